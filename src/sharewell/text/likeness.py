"""How much a word is spelled like a name: the mean log-odds of its letter triples in names against dictionary words."""

import json
from collections.abc import Mapping
from functools import cache
from importlib import resources


def likeness(plain: str) -> float:
    """For a word in plain letters; a triple that neither list has counts nothing."""
    odds = _odds()
    triples = [f"^{plain}$"[i : i + 3] for i in range(len(plain))]
    return sum(odds.get(triple, 0.0) for triple in triples) / max(len(triples), 1)


@cache
def _odds() -> Mapping[str, float]:
    text = resources.files("sharewell.text").joinpath("tables", "triples.json").read_text(encoding="utf-8")
    odds: Mapping[str, float] = json.loads(text)
    return odds
