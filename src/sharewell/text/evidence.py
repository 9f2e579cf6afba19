"""What is known about a word before a post is read: how it is usually written, and which lists of names hold it.

The table is made by train/make_word_tables.py from packages whose licences allow it (named there); it holds hashes of
words and small numbers.
"""

import hashlib
from collections.abc import Sequence
from functools import cache
from importlib import resources

import numpy as np

from sharewell.text.arrays import Array

COLUMNS = ("lower", "title", "upper", "lower_cluster", "title_cluster", "flags", "bearers", "abroad")
OOV, STEP = -20.5, 1 / 12  # log probability of an unknown word; logarithms are kept in twelfths
GIVEN, FAMILY = 1, 2


def hashed(word: str) -> int:
    return int.from_bytes(hashlib.blake2b(word.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "big")


@cache
def _table() -> tuple[Array, Array]:
    with resources.files("sharewell.text").joinpath("tables", "evidence.npz").open("rb") as file:
        stored = np.load(file, allow_pickle=False)
        return stored["keys"], stored["values"]


def look_up(words: Sequence[str]) -> Array:
    """Per word, the columns of COLUMNS: log probabilities (the last in German or Spanish), shares of names in its
    clusters, flags, log of bearers."""
    keys, values = _table()
    wanted = np.array([hashed(word) for word in words], dtype=np.uint64)
    place = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
    known = keys[place] == wanted
    unknown = round(-OOV / STEP)
    found = np.where(known[:, None], values[place], [unknown] * 3 + [0, 0, 0, 0, unknown]).astype(np.float32)
    found[:, [0, 1, 2, 7]] *= -STEP
    found[:, 3:5] /= 200
    found[:, 6] *= STEP
    return found
