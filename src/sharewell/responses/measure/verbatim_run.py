"""Membership by copying: the longest stretch of consecutive items that a student shares with any released one."""

import numpy as np

from sharewell.responses.log import Log
from sharewell.stats.arrays import Array
from sharewell.stats.compiled import njit

BASE = np.uint64(0x9E3779B97F4A7C15)  # odd, so that powers never vanish modulo 2^64
EMPTY = np.uint64(0)


def longest_shared(original: Log, fake: Log) -> Array:
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
        table = _table(_hashes(theirs, fake.bounds, size))
        alive = _any_in(_hashes(ours, original.bounds, size), original.bounds, table, alive)
        found[alive] = size
    return found


def _mixed(item: Array) -> Array:
    """Item codes spread over 64 bits (the finaliser of splitmix64, Steele et al. 2014)."""
    x = (item.astype(np.uint64) + np.uint64(1)) * np.uint64(0xBF58476D1CE4E5B9)
    x ^= x >> np.uint64(27)
    x *= np.uint64(0x94D049BB133111EB)
    return x ^ (x >> np.uint64(31))


@njit(cache=True)
def _hashes(codes: Array, bounds: Array, size: int) -> Array:
    """For every row the hash of the stretch of this length that ends there; EMPTY where there are too few rows."""
    out = np.zeros(codes.size, dtype=np.uint64)
    lead = _power(size)
    for student in range(bounds.size - 1):
        value = np.uint64(0)
        for place in range(bounds[student], bounds[student + 1]):
            value = value * BASE + codes[place]
            if place - bounds[student] >= size:
                value -= lead * codes[place - size]
            if place - bounds[student] >= size - 1:
                out[place] = value
    return out


@njit(cache=True)
def _slot(table: Array, value: np.uint64) -> np.uint64:
    """Where a hash stands in the table, or the empty slot where it would."""
    mask = np.uint64(table.size - 1)
    slot = (value ^ (value >> np.uint64(29))) & mask
    while table[slot] != EMPTY and table[slot] != value:
        slot = (slot + np.uint64(1)) & mask
    return slot


@njit(cache=True)
def _table(hashes: Array) -> Array:
    """The hashes in an open-addressing table."""
    slots = 64
    while slots < 2 * hashes.size:
        slots *= 2
    table = np.zeros(slots, dtype=np.uint64)
    for value in hashes:
        table[_slot(table, value)] = value
    return table


@njit(cache=True)
def _any_in(hashes: Array, bounds: Array, table: Array, alive: Array) -> Array:
    """Which of the students still alive have a stretch in the table."""
    out = np.zeros(alive.size, dtype=np.bool_)
    for student in range(bounds.size - 1):
        place = bounds[student]
        while alive[student] and not out[student] and place < bounds[student + 1]:
            value = hashes[place]
            out[student] = value != EMPTY and table[_slot(table, value)] == value
            place += 1
    return out


@njit(cache=True)
def _power(size: int) -> np.uint64:
    power = np.uint64(1)
    for _ in range(size):
        power *= BASE
    return power
