"""Someone knows precisely those points of a student's released log that give the most away."""

from collections import Counter

import numpy as np
from numba import njit, prange

from sharewell.traces.arrays import Array
from sharewell.traces.log import Log
from sharewell.traces.measure.attempts import Attempts
from sharewell.traces.measure.candidates import holds
from sharewell.traces.measure.every_choice import worst_case
from sharewell.traces.measure.found import Found
from sharewell.traces.measure.sides import Points

MOST_STUDENTS = 5_000  # beyond, the exact search would take too long: a greedy choice for some students is counted
GREEDY = 100  # of these students


def worst_points(points: Points, attempts: Attempts, known: int) -> Found:
    """Whether some `known` points leave a student alone (searched), and how few candidates a greedy choice leaves."""
    log = points.released
    targets = attempts.sampled(points.present)
    targets = targets if log.students <= MOST_STUDENTS else targets[:: len(targets) // GREEDY]
    fewest = _fewest(log.starts, log.points, log.shared, log.holders, targets, known)
    alone = np.zeros(log.students)
    alone[targets] = fewest == 1
    unlike = targets[~_with_a_double(log)[targets]]  # whoever has the same points as another is never alone
    if log.students <= MOST_STUDENTS:
        alone[unlike] = worst_case(log, known, unlike) != 0
    right, tries = np.zeros(log.students), np.zeros(log.students, np.int64)
    right[targets], tries[targets] = np.where(alone[targets] > 0, 1.0, 1 / np.maximum(fewest, 1)), 1
    return Found(alone=alone, right=right, tries=tries, certain=True)


def _with_a_double(log: Log) -> Array:
    """Whether another student has the very same points."""
    sets = [log.points[log.starts[student] : log.starts[student + 1]].tobytes() for student in range(log.students)]
    owners = Counter(sets)
    return np.array([owners[points] > 1 for points in sets], np.bool_)


@njit(parallel=True, cache=True)
def _fewest(starts: Array, points: Array, shared: Array, holders: Array, targets: Array, known: int) -> Array:
    """Candidates left when, one after the other, the point is taken that leaves the fewest."""
    fewest = np.zeros(targets.size, np.int64)
    for i in prange(targets.size):
        own = points[starts[targets[i]] : starts[targets[i] + 1]]
        rarest = own[np.argmin(shared[own + 1] - shared[own])]
        crowd = holders[shared[rarest] : shared[rarest + 1]].copy()
        for _ in range(known - 1):
            crowd = _narrowed(own, shared, holders, crowd)
        fewest[i] = crowd.size
    return fewest


@njit(cache=True)
def _narrowed(own: Array, shared: Array, holders: Array, crowd: Array) -> Array:
    best, least = own[0], crowd.size + 1
    for point in own:
        left = 0
        for student in crowd:
            left += holds(shared, holders, point, student)
        if left < least:
            best, least = point, left
    kept = np.empty(least, crowd.dtype)
    filled = 0
    for student in crowd:
        if holds(shared, holders, best, student):
            kept[filled] = student
            filled += 1
    return kept
