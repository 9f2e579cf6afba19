"""Attacks on posts: one file each."""
