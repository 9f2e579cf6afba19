"""What takes names out of posts."""
