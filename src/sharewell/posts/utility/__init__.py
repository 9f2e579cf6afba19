"""What posts are used for."""
