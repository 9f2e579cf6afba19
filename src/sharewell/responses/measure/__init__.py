"""Attacks on released logs, one file per attack; `membership_risks` runs them and measures how well each does."""
