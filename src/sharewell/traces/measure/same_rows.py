"""Someone knows the original log and how the release was made, and so the rows that every student must have in it.

Nobody can be told from those who have the same rows, and from all others anybody can: no attacker who looks at points
and at how often they occur comes further. Nothing is drawn. Rows are compared by a sum of well-mixed numbers, one for
every point with its number of events; that two different traces give the same sum of 64 bits does not happen.
"""

from dataclasses import dataclass

import numpy as np

from sharewell.traces.arrays import Array
from sharewell.traces.log import Log
from sharewell.traces.measure.asking import Answer, Asking, Part
from sharewell.traces.measure.fitting import summed
from sharewell.traces.measure.sides import Points

# The multipliers and shifts of SplitMix64 (Steele, Lea and Flood 2014).
STEP, FIRST, SECOND = (np.uint64(n) for n in (0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB))


@dataclass(frozen=True, kw_only=True)
class HowManyAlike:
    """The answer is for every target: how many students have the same rows."""

    side: str
    rows: Array

    def asked(self, part: Part) -> Answer:
        log = part.logs[self.side]
        everyone = np.sort(rows_of(log)[log.lengths > 0])
        first, last = (np.searchsorted(everyone, self.rows, side) for side in ("left", "right"))
        return ((last - first).astype(np.float64),)

    def together(self, one: Answer, other: Answer) -> Answer:
        return (one[0] + other[0],)


def same_rows(points: Points) -> Asking:
    """How many students cannot be told from each target: everybody who is here, since to count them is cheap."""
    targets = points.present
    (alike,) = yield HowManyAlike(side=points.side, rows=rows_of(points.released)[targets])
    found = np.ones(len(targets), np.bool_)
    return summed(points.known.students, targets, alike, found, certain=len(targets) == points.among)


def look_alikes(log: Log) -> Array:
    """How many students have the same rows as each, with themselves."""
    _, place, sizes = np.unique(rows_of(log), return_inverse=True, return_counts=True)
    return np.asarray(sizes[place])


def rows_of(log: Log) -> Array:
    """One number for all rows of a student: equal where points and numbers of events are."""
    keys, events = log.keys[log.points].astype(np.uint64), log.events.astype(np.uint64)
    mixed = _mixed(_mixed(keys) + events)
    sums = np.concatenate([np.zeros(1, np.uint64), np.cumsum(mixed, dtype=np.uint64)])
    return np.asarray(sums[log.starts[1:]] - sums[log.starts[:-1]])


def _mixed(numbers: Array) -> Array:
    """Whole numbers scattered over 64 bits; overflow is meant."""
    found = numbers + STEP
    found = (found ^ (found >> np.uint64(30))) * FIRST
    found = (found ^ (found >> np.uint64(27))) * SECOND
    return np.asarray(found ^ (found >> np.uint64(31)))
