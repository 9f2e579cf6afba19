"""What an analyst can still learn from generated logs, one file per use."""
