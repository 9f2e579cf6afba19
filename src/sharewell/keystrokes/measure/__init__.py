"""Attacks: who could be found by how they type. One file per attack."""
