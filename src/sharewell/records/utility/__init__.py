"""What an analyst can still learn from a released table: one file per use."""
