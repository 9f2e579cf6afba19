"""Membership by copying: the longest stretch of consecutive items that a student shares with any released one."""

import numpy as np

from sharewell.responses.log import Log
from sharewell.responses.steps_taken import is_among
from sharewell.stats.arrays import Array

BASE = np.uint64(0x9E3779B97F4A7C15)  # odd, so that powers never vanish modulo 2^64


def longest_shared(original: Log, fake: Log) -> Array:
    """Find for every original student the length of the longest stretch that occurs verbatim in the release.

    Stretches are compared by 64-bit rolling hashes (Karp and Rabin 1987), length after length; only rows at which a
    stretch of the present length ends in both logs can end a longer one.
    """
    found = np.zeros(original.lengths.size, dtype=np.int64)
    sides = [
        (_mixed(log.item), np.arange(log.rows) - np.repeat(log.bounds[:-1], log.lengths)) for log in (original, fake)
    ]
    ends = [(np.arange(log.rows), np.zeros(log.rows, dtype=np.uint64)) for log in (original, fake)]
    student, size, power = original.student, 0, np.ones(1, dtype=np.uint64)
    while ends[0][0].size:
        found[student[ends[0][0]]] = size
        for side, (code, begun) in enumerate(sides):
            place, value = (part[begun[ends[side][0]] >= size] for part in ends[side])
            ends[side] = place, value + power * code[place - size]
        both = np.intersect1d(ends[0][1], ends[1][1])
        for side, (place, value) in enumerate(ends):
            shared = is_among(value, both)
            ends[side] = place[shared], value[shared]
        size, power = size + 1, power * BASE
    return found


def _mixed(item: Array) -> Array:
    """Item codes spread over 64 bits (the finaliser of splitmix64, Steele et al. 2014)."""
    x = (item.astype(np.uint64) + np.uint64(1)) * np.uint64(0xBF58476D1CE4E5B9)
    x ^= x >> np.uint64(27)
    x *= np.uint64(0x94D049BB133111EB)
    return x ^ (x >> np.uint64(31))
