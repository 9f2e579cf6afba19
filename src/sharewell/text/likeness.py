"""How much a word is spelled like a name: the mean log-odds of its letter triples in names against dictionary words."""

from collections.abc import Mapping
from functools import cache

from sharewell.text.listed_words import table


def likeness(plain: str) -> float:
    """For a word in plain letters; a triple that neither list has counts nothing."""
    odds = _odds()
    triples = [f"^{plain}$"[i : i + 3] for i in range(len(plain))]
    return sum(odds.get(triple, 0.0) for triple in triples) / max(len(triples), 1)


@cache
def _odds() -> Mapping[str, float]:
    odds: Mapping[str, float] = table("triples")
    return odds
