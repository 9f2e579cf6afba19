"""Practice copies: all files of a plan invented together, under one set of invented students and one privacy budget."""
