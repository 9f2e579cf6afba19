"""How far attackers get, one file per attack."""
