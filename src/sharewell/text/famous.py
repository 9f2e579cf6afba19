"""Names that the world knows: performers, athletes, authors, figures of history, of comics and of myths.

Whether "Night" or "Elements" is somebody takes knowledge of the world. The table is made by
train/make_famous_names.py from packages whose licences allow it (named there); it holds hashes of the words and of
the pairs of neighbouring words of such names, and in how many of them a word stands.
"""

from collections.abc import Sequence
from functools import cache
from importlib import resources
from typing import cast

import numpy as np

from sharewell.text.arrays import Array
from sharewell.text.languages import short

COLUMNS = ("famous_alone", "famous_parts", "famous_pair_before", "famous_pair_after")


@cache
def _table() -> dict[str, Array]:
    with resources.files("sharewell.text").joinpath("tables", "famous.npz").open("rb") as file:
        stored = np.load(file, allow_pickle=False)
        return {name: stored[name] for name in stored.files}


def pair(first: str, second: str) -> str:
    return f"{first} {second}"


def look_up(words: Sequence[str]) -> Array:
    """Per word: whether it is a famous name by itself, and the logarithm of how many famous names it is a part of."""
    table = _table()
    place, known = _places(words, table["words"])
    alone, parts = table["alone"][place], table["parts"][place]
    return np.column_stack([known & (alone > 0), np.where(known, np.log1p(parts), 0.0)]).astype(np.float32)


def are_pairs(pairs: Sequence[str]) -> Array:
    """Which pairs of words stand beside each other in a famous name."""
    return _places(pairs, _table()["pairs"])[1]


def _places(asked: Sequence[str], keys: Array) -> tuple[Array, Array]:
    wanted = np.array([short(one) for one in asked], dtype=np.uint32)
    place = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
    return place, cast(Array, keys[place] == wanted)
