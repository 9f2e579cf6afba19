"""What is done to a log, one file per protection, and the search for the least of it."""
