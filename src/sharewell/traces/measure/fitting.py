"""Who fits best? Every candidate is scored by the known facts that the release confirms; the best ones remain.

One kernel serves all attackers that know points: a fact is a point with the range its number of events lies in, and
counts for (someone was there, so often) or against (someone was never there).
"""

from dataclasses import dataclass

import numpy as np

from sharewell.stats.compiled import njit, prange
from sharewell.traces.arrays import Array
from sharewell.traces.log import Log, numbers_of
from sharewell.traces.measure.asking import NO_SCORE, Answer, Asking, BestScore, Part
from sharewell.traces.measure.attackers import NOBODY
from sharewell.traces.measure.found import Found
from sharewell.traces.measure.sides import Points

ANY = np.iinfo(np.int64).max
NOT_REACHED = np.int16(-30_000)
UNKNOWN = np.iinfo(np.int64).min  # the key of a fact that there is not


@dataclass(frozen=True, kw_only=True)
class Facts:
    """One row per attempt, one column per fact; NOBODY fills the places of facts that there are not."""

    targets: Array
    points: Array
    least: Array
    most: Array
    weights: Array


@dataclass(frozen=True, kw_only=True)
class Fitting(BestScore):
    """Facts by the keys of their points, which are the same wherever students are looked at."""

    side: str
    names: Array
    keys: Array
    least: Array
    most: Array
    weights: Array

    def asked(self, part: Part) -> Answer:
        log = part.logs[self.side]
        facts = (numbers_of(log, self.keys), self.least, self.most, self.weights)
        return _best(log.shared, log.holders, log.events_by_point, log.lengths > 0, part.place(self.names), facts)


def best_fits(points: Points, facts: Facts) -> Asking:
    """Attack the release with every row of facts."""
    best, size, own = yield Fitting(
        side=points.side, names=points.names(facts.targets),
        keys=np.where(facts.points == NOBODY, UNKNOWN, points.known.keys[facts.points]),
        least=facts.least, most=facts.most, weights=facts.weights,
    )  # fmt: skip
    return summed(points.known.students, facts.targets, size, own == best)


def summed(students: int, targets: Array, candidates: Array, within: Array, *, certain: bool = False) -> Found:
    """How many candidates remained, and whether the target is one of them, by student."""
    right = np.where(within, 1 / np.maximum(candidates, 1), 0.0)
    alone = (within & (candidates == 1)).astype(float)
    return Found(
        alone=np.bincount(targets, weights=alone, minlength=students),
        right=np.bincount(targets, weights=right, minlength=students),
        tries=np.bincount(targets, minlength=students),
        certain=certain,
    )


def events_at(log: Log, targets: Array, points: Array) -> Array:
    """How many events each target has at each of their points; 0 where there is no point."""
    keys = log.owners.astype(np.int64) * len(log.keys) + log.points
    wanted = targets[:, None].astype(np.int64) * len(log.keys) + np.maximum(points, 0)
    place = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
    return np.where((keys[place] == wanted) & (points != NOBODY), log.events[place], 0).astype(np.int64)


@njit(parallel=True, cache=True)
def _best(
    shared: Array, holders: Array, events: Array, present: Array, targets: Array, facts: tuple[Array, ...]
) -> tuple[Array, Array, Array]:
    points, least, most, weights = facts
    top, size, own = np.full(targets.size, NO_SCORE), np.zeros(targets.size), np.full(targets.size, NO_SCORE)
    for i in prange(targets.size):
        scores = np.zeros(present.size, np.int16)
        for j in range(points.shape[1]):
            point = points[i, j]
            if point < 0:
                continue
            for place in range(shared[point], shared[point + 1]):
                if least[i, j] <= events[place] <= most[i, j]:
                    scores[holders[place]] += weights[i, j]
        best, reached = NOT_REACHED, 0
        for student in range(present.size):
            if present[student] and scores[student] > best:
                best = scores[student]
        for student in range(present.size):
            reached += present[student] and scores[student] == best
        if reached:
            top[i], size[i] = best, reached
        if targets[i] >= 0 and present[targets[i]]:
            own[i] = scores[targets[i]]
    return top, size, own
