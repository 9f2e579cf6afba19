"""The hot loops: which combinations fall into one class, and what a class holds.

A combination's key is the sum of one random 64-bit tag per column (Zobrist hashing, Zobrist 1970), so that a change of
one column's level touches one tag. Two different combinations share a key with probability 2^-64; every result is
recounted by other code at the end.
"""

import numpy as np
from numba import njit

EMPTY = np.int32(-1)


@njit(cache=True)
def add_tags(keys: np.ndarray, codes: np.ndarray, tags: np.ndarray, out: np.ndarray) -> None:
    """out = keys + the tags of one column at one level (`tags` is indexed by the column's codes)."""
    for i in range(codes.size):
        out[i] = keys[i] + tags[codes[i]]


@njit(cache=True)
def classify(keys: np.ndarray, ids: np.ndarray, slots: np.ndarray) -> int:
    """Number the distinct keys from 0 in order of first sight; `slots` is scratch of a power of two > 2·keys."""
    mask = slots.size - 1
    slots[:] = EMPTY
    first = np.empty(keys.size, np.uint64)
    classes = 0
    for i in range(keys.size):
        key = keys[i]
        place = np.int64((key * np.uint64(0x9E3779B97F4A7C15)) >> np.uint64(20)) & mask
        while slots[place] != EMPTY and first[slots[place]] != key:
            place = (place + 1) & mask
        if slots[place] == EMPTY:
            slots[place] = classes
            first[classes] = key
            classes += 1
        ids[i] = slots[place]
    return classes


@njit(cache=True)
def total(ids: np.ndarray, classes: int, weights: np.ndarray) -> np.ndarray:
    sums = np.zeros(classes, np.int64)
    for i in range(ids.size):
        sums[ids[i]] += weights[i]
    return sums


@njit(cache=True)
def tally(ids: np.ndarray, classes: int, codes: np.ndarray, values: int, weights: np.ndarray) -> np.ndarray:
    """How many rows of each class hold each value: (classes, values)."""
    table = np.zeros((classes, values), np.int64)
    for i in range(ids.size):
        table[ids[i], codes[i]] += weights[i]
    return table


@njit(cache=True)
def failing(ids: np.ndarray, fails: np.ndarray, counts: np.ndarray) -> int:
    rows = 0
    for i in range(ids.size):
        if fails[ids[i]]:
            rows += counts[i]
    return rows


def scratch(size: int) -> np.ndarray:
    """Slots for `classify`."""
    return np.empty(1 << max(4, int(2 * size).bit_length()), np.int32)
