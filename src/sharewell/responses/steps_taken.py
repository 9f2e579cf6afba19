"""Steps from item to item: who took them, how often, and how many different students did."""

import numpy as np

from sharewell.responses.log import Log
from sharewell.stats.arrays import Array


def step_keys(log: Log) -> tuple[Array, Array]:
    """Every step from one row to the next of the same student, as one number, and the student."""
    student = log.student
    same = student[1:] == student[:-1]
    keys = log.item[:-1].astype(np.int64) * len(log.items) + log.item[1:]
    return keys[same], student[1:][same].astype(np.int64)


def own_steps(log: Log) -> tuple[Array, Array, Array]:
    """The distinct (step, student) pairs, and how many students took the step."""
    keys, student = step_keys(log)
    size = log.lengths.size
    pairs = np.unique(keys * size + student)
    step = pairs // size
    known, _, takers = tally(keys, student)
    return step, pairs % size, takers[np.searchsorted(known, step)]


def tally(keys: Array, student: Array) -> tuple[Array, Array, Array]:
    """Distinct keys, how often each occurs, and with how many different students."""
    people = int(student.max()) + 1 if student.size else 1
    if keys.size and int(keys.max()) >= np.iinfo(np.int64).max // people:
        raise OverflowError("too many different items for this order; use order 1")
    packed = np.sort(keys * people + student)
    fresh = np.ones(packed.size, dtype=bool)
    fresh[1:] = packed[1:] != packed[:-1]
    key = packed // people
    first = np.ones(key.size, dtype=bool)
    first[1:] = key[1:] != key[:-1]
    place = np.flatnonzero(first)
    if not place.size:
        return key, place, place
    times = np.diff(np.append(place, key.size))
    return key[place], times, np.add.reduceat(fresh.astype(np.int64), place)


def is_among(keys: Array, known: Array) -> Array:
    """Which keys occur in the sorted `known`."""
    if not known.size:
        return np.zeros(keys.size, dtype=bool)
    place = np.minimum(np.searchsorted(known, keys), known.size - 1)
    found: Array = known[place] == keys
    return found
