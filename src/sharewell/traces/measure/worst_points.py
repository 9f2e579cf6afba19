"""Someone knows precisely those points of a student's released log that give the most away."""

from collections import Counter
from collections.abc import Generator
from dataclasses import dataclass

import numpy as np

from sharewell.stats.compiled import njit, prange
from sharewell.traces.arrays import Array
from sharewell.traces.log import Log, numbers_of
from sharewell.traces.measure.asking import Answer, Asking, Part, Question
from sharewell.traces.measure.attempts import Attempts
from sharewell.traces.measure.candidates import holds
from sharewell.traces.measure.every_choice import worst_case
from sharewell.traces.measure.found import Found
from sharewell.traces.measure.sides import Points

MOST_STUDENTS = 5_000  # beyond, the exact search would take too long: a greedy choice for some students is counted
GREEDY = 300  # of these students: of a hundred the interval of none alone is wider than the limit of an open release


@dataclass(frozen=True, kw_only=True)
class Holding:
    """How many students hold the points that are chosen so far, and each one of a target's own points besides.

    The own points of target i are `own[ends[i - 1]:ends[i]]`; those chosen are a row of `chosen`.
    """

    side: str
    own: Array
    ends: Array
    chosen: Array

    def asked(self, part: Part) -> Answer:
        log = part.logs[self.side]
        own, chosen = numbers_of(log, self.own), numbers_of(log, self.chosen)
        return (_holding(log.shared, log.holders, own, self.ends, chosen),)

    def together(self, one: Answer, other: Answer) -> Answer:
        return (one[0] + other[0],)


def worst_points(points: Points, attempts: Attempts, known: int) -> Asking:
    """Whether some `known` points leave a student alone (searched), and how few candidates a greedy choice leaves."""
    log, few = points.released, points.whole is None and points.students <= MOST_STUDENTS
    targets = attempts.sampled(points.present, points.among)
    targets = targets if few else targets[:: max(1, len(targets) // GREEDY)]
    fewest = yield from _fewest(points, targets, known)
    alone = np.zeros(log.students)
    alone[targets] = fewest == 1
    if few:
        unlike = targets[~_with_a_double(log)[targets]]  # whoever has the same points as another is never alone
        alone[unlike] = worst_case(log, known, unlike) != 0
    right, tries = np.zeros(log.students), np.zeros(log.students, np.int64)
    right[targets], tries[targets] = np.where(alone[targets] > 0, 1.0, 1 / np.maximum(fewest, 1)), 1
    return Found(alone=alone, right=right, tries=tries, certain=len(targets) == points.among)


def _fewest(points: Points, targets: Array, known: int) -> Generator[Question, Answer, Array]:
    """Candidates left when, one after the other, the point is taken that leaves the fewest."""
    log = points.released
    sizes = log.lengths[targets]
    ends = np.cumsum(sizes)
    places = np.repeat(log.starts[targets] - (ends - sizes), sizes) + np.arange(sizes.sum())
    own, chosen = log.keys[log.points[places]], np.empty((len(targets), 0), np.int64)
    left = np.zeros(len(targets))
    for _ in range(known):
        (counts,) = yield Holding(side=points.side, own=own, ends=ends, chosen=chosen)
        best = [
            first + int(np.argmin(part)) for first, part in zip(ends - sizes, np.split(counts, ends[:-1]), strict=True)
        ]
        left, chosen = counts[best], np.column_stack([chosen, own[best]])
    return left


def _with_a_double(log: Log) -> Array:
    """Whether another student has the very same points."""
    sets = [log.points[log.starts[student] : log.starts[student + 1]].tobytes() for student in range(log.students)]
    owners = Counter(sets)
    return np.array([owners[points] > 1 for points in sets], np.bool_)


@njit(parallel=True, cache=True)
def _holding(shared: Array, holders: Array, own: Array, ends: Array, chosen: Array) -> Array:
    """A walk over the holders of the first chosen point; what nobody here holds has the number -1."""
    counts = np.zeros(own.size)
    for i in prange(ends.size):
        points = own[(ends[i - 1] if i else 0) : ends[i]]
        here = counts[(ends[i - 1] if i else 0) : ends[i]]
        if chosen.shape[1] == 0:
            for j in range(points.size):
                here[j] = shared[points[j] + 1] - shared[points[j]] if points[j] >= 0 else 0
            continue
        if np.any(chosen[i] < 0):
            continue
        for place in range(shared[chosen[i, 0]], shared[chosen[i, 0] + 1]):
            fits = True
            for point in chosen[i, 1:]:
                fits = fits and holds(shared, holders, point, holders[place])
            if fits:
                for j in range(points.size):
                    here[j] += points[j] >= 0 and holds(shared, holders, points[j], holders[place])
    return counts
