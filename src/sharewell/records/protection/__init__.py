"""Making students look alike: the searches for a recoding, and what writes it into the table."""
