"""Runs the fictional course end to end; nothing imports it but the command line."""
