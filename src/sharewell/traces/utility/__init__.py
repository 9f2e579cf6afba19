"""What analysts can still learn, one file per use."""
