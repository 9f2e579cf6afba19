"""Who fits best? Every candidate is scored by the known facts that the release confirms; the best ones remain.

One kernel serves all attackers that know points: a fact is a point with the range its number of events lies in, and
counts for (someone was there, so often) or against (someone was never there).
"""

from dataclasses import dataclass

import numpy as np
from numba import njit, prange

from sharewell.traces.arrays import Array
from sharewell.traces.log import Log
from sharewell.traces.measure.attackers import NOBODY
from sharewell.traces.measure.found import Found

ANY = np.iinfo(np.int64).max


@dataclass(frozen=True, kw_only=True)
class Facts:
    """One row per attempt, one column per fact; NOBODY fills the places of facts that there are not."""

    targets: Array
    points: Array
    least: Array
    most: Array
    weights: Array


def best_fits(released: Log, facts: Facts) -> Found:
    """Attack the release with every row of facts."""
    order = np.argsort(released.points, kind="stable")
    size, within = _best(
        released.shared, released.holders, released.events[order].astype(np.int64), released.lengths > 0,
        facts.targets, (facts.points, facts.least, facts.most, facts.weights),
    )  # fmt: skip
    return summed(released.students, facts.targets, size, within)


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
) -> tuple[Array, Array]:
    points, least, most, weights = facts
    size, within = np.zeros(targets.size, np.int64), np.zeros(targets.size, np.bool_)
    for i in prange(targets.size):
        scores = np.zeros(present.size, np.int16)
        for j in range(points.shape[1]):
            point = points[i, j]
            if point < 0:
                continue
            for place in range(shared[point], shared[point + 1]):
                if least[i, j] <= events[place] <= most[i, j]:
                    scores[holders[place]] += weights[i, j]
        best = np.int16(-30_000)
        for student in range(present.size):
            if present[student] and scores[student] > best:
                best = scores[student]
        for student in range(present.size):
            if present[student] and scores[student] == best:
                size[i] += 1
        within[i] = present[targets[i]] and scores[targets[i]] == best
    return size, within
