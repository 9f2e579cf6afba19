"""Membership by copying: the longest stretch of consecutive items that a student shares with any released one."""

import numpy as np
from numba import njit

from sharewell.responses.log import Log

BASE = np.uint64(0x9E3779B97F4A7C15)  # odd, so that powers never vanish modulo 2^64
EMPTY = np.uint64(0)


def longest_shared(original: Log, fake: Log) -> np.ndarray:
    """For every original student the length of the longest stretch that occurs verbatim in the release.

    Stretches are compared by 64-bit rolling hashes (Karp and Rabin 1987), length after length, until no student's
    stretch is found any more.
    """
    found = np.zeros(original.lengths.size, dtype=np.int64)
    alive = np.ones(original.lengths.size, dtype=bool)
    ours, theirs = _mixed(original.item), _mixed(fake.item)
    size = 0
    while alive.any():
        size += 1
        table = _stretches(theirs, fake.bounds, size)
        alive = _any_in(ours, original.bounds, size, table, alive)
        found[alive] = size
    return found


def _mixed(item: np.ndarray) -> np.ndarray:
    """Item codes spread over 64 bits (the finaliser of splitmix64, Steele et al. 2014)."""
    x = (item.astype(np.uint64) + np.uint64(1)) * np.uint64(0xBF58476D1CE4E5B9)
    x ^= x >> np.uint64(27)
    x *= np.uint64(0x94D049BB133111EB)
    return x ^ (x >> np.uint64(31))


@njit(cache=True)
def _stretches(codes: np.ndarray, bounds: np.ndarray, size: int) -> np.ndarray:
    """Hashes of all stretches of one length in an open-addressing table."""
    slots = 64
    while slots < 2 * codes.size:
        slots *= 2
    table = np.zeros(slots, dtype=np.uint64)
    mask = np.uint64(slots - 1)
    lead = _power(size)
    for student in range(bounds.size - 1):
        value = np.uint64(0)
        for place in range(bounds[student], bounds[student + 1]):
            value = value * BASE + codes[place]
            if place - bounds[student] >= size:
                value -= lead * codes[place - size]
            if place - bounds[student] >= size - 1:
                slot = (value ^ (value >> np.uint64(29))) & mask
                while table[slot] != EMPTY and table[slot] != value:
                    slot = (slot + np.uint64(1)) & mask
                table[slot] = value
    return table


@njit(cache=True)
def _any_in(codes: np.ndarray, bounds: np.ndarray, size: int, table: np.ndarray, alive: np.ndarray) -> np.ndarray:
    """Which of the students still alive have a stretch of this length in the table."""
    out = np.zeros(alive.size, dtype=np.bool_)
    mask = np.uint64(table.size - 1)
    lead = _power(size)
    for student in range(bounds.size - 1):
        if not alive[student]:
            continue
        value = np.uint64(0)
        for place in range(bounds[student], bounds[student + 1]):
            value = value * BASE + codes[place]
            if place - bounds[student] >= size:
                value -= lead * codes[place - size]
            if place - bounds[student] >= size - 1:
                slot = (value ^ (value >> np.uint64(29))) & mask
                while table[slot] != EMPTY and table[slot] != value:
                    slot = (slot + np.uint64(1)) & mask
                if table[slot] == value:
                    out[student] = True
                    break
    return out


@njit(cache=True)
def _power(size: int) -> np.uint64:
    power = np.uint64(1)
    for _ in range(size):
        power *= BASE
    return power
