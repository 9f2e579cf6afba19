"""A kind of data that Sharewell does not have: who sat in which lecture. Only the tests install it."""
