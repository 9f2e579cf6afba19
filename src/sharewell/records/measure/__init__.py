"""How students of a table could be recognised or their values learned: one file per attack."""
