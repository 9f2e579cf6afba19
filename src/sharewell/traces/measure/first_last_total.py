"""Someone knows when a student began and stopped, and about how much they did in all."""

import numpy as np
from numba import njit, prange

from sharewell.traces.arrays import Array
from sharewell.traces.log import Log
from sharewell.traces.measure.attempts import Attempts
from sharewell.traces.measure.fitting import summed
from sharewell.traces.measure.found import Found
from sharewell.traces.measure.sides import Points

TOLERANCE = 0.1


def first_last_total(points: Points, attempts: Attempts) -> Found:
    """First and last window and the total to a tenth: whoever agrees in most of them is a candidate."""
    targets = attempts.sampled(points.present)
    known, released = _spans(points.known), _spans(points.released)
    size, within = _agreeing(known, released, points.released.lengths > 0, targets)
    return summed(points.released.students, targets, size, within, certain=len(targets) == len(points.present))


def _spans(log: Log) -> Array:
    """First window, last window and number of events of every student; -1 for those without."""
    spans = np.full((log.students, 3), -1, np.int64)
    there = log.lengths > 0
    spans[there, 0] = log.points[log.starts[:-1][there]]
    spans[there, 1] = log.points[log.starts[1:][there] - 1]
    spans[:, 2] = np.bincount(log.owners, weights=log.events, minlength=log.students)
    return spans


@njit(parallel=True, cache=True)
def _agreeing(known: Array, released: Array, present: Array, targets: Array) -> tuple[Array, Array]:
    size, within = np.zeros(targets.size, np.int64), np.zeros(targets.size, np.bool_)
    for i in prange(targets.size):
        own = known[targets[i]]
        best = 0
        for student in range(present.size):
            if not present[student]:
                continue
            other = released[student]
            near = abs(other[2] - own[2]) <= TOLERANCE * own[2]
            score = int(other[0] == own[0]) + int(other[1] == own[1]) + int(near)
            if score > best:
                best, size[i], within[i] = score, 0, False
            if score == best:
                size[i] += 1
                within[i] = within[i] or student == targets[i]
    return size, within
