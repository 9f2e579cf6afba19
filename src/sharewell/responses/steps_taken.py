"""Steps from item to item: who took them, how often, and how many different students did."""

from dataclasses import dataclass

import numpy as np

from sharewell.responses.log import Log
from sharewell.stats.arrays import Array

BEFORE_START = -1  # the "item" before the start, in contexts of higher order


@dataclass(frozen=True, kw_only=True)
class Steps:
    """The steps of a log: context and target codes, who took them, and whether an item was taken out in between."""

    before: Array
    after: Array
    student: Array
    joined: Array
    earlier: tuple[Array, ...] = ()  # the item two back, three back


def steps_of(log: Log, *, order: int = 1) -> Steps:
    """Every step of every student, with the start and the end (both code n)."""
    outside, lengths = len(log.items), log.lengths
    first = log.bounds[:-1] + np.arange(lengths.size)
    after = np.full(log.rows + lengths.size, outside, dtype=np.int64)
    after[np.arange(log.rows) + log.student] = log.item
    joined = np.zeros(after.size, dtype=bool)
    if log.joined is not None:
        joined[np.arange(log.rows) + log.student] = log.joined
    before = _shifted(after, first, outside)
    earlier, last = [], before
    for _ in range(order - 1):
        last = _shifted(last, first, BEFORE_START)
        earlier.append(last)
    student = np.repeat(np.arange(lengths.size, dtype=np.int64), lengths + 1)
    return Steps(before=before, after=after, student=student, joined=joined, earlier=tuple(earlier))


def _shifted(codes: Array, first: Array, fill: int) -> Array:
    """The code one place earlier in the same student's sequence."""
    out = np.empty_like(codes)
    out[1:] = codes[:-1]
    out[first] = fill
    return out


def step_keys(log: Log) -> tuple[Array, Array]:
    """Every step from one row to the next of the same student, as one number, and the student."""
    student = log.student
    same = student[1:] == student[:-1]
    keys = log.item[:-1].astype(np.int64) * len(log.items) + log.item[1:]
    return keys[same], student[1:][same].astype(np.int64)


def own_steps(log: Log) -> tuple[Array, Array, Array]:
    """List the distinct (step, student) pairs and how many students took each step.

    Three arrays of equal length: step, student, number of students who took that step.
    """
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


def times_squared(keys: Array, student: Array) -> Array:
    """For every distinct key, in sorted order, the sum over students of how often each had it, squared."""
    people = int(student.max()) + 1 if student.size else 1
    pairs, times = np.unique(keys * people + student, return_counts=True)
    place = np.unique(pairs // people, return_inverse=True)[1]
    return np.bincount(place, weights=times.astype(float) ** 2)


def is_among(keys: Array, known: Array) -> Array:
    """Which keys occur in the sorted `known`."""
    if not known.size:
        return np.zeros(keys.size, dtype=bool)
    place = np.minimum(np.searchsorted(known, keys), known.size - 1)
    found: Array = known[place] == keys
    return found
