"""Uses: what an analyst can still learn from released typing. One file per use."""
