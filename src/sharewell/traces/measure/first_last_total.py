"""Someone knows when a student began and stopped, and about how much they did in all."""

from dataclasses import dataclass

import numpy as np

from sharewell.stats.compiled import njit, prange
from sharewell.traces.arrays import Array
from sharewell.traces.log import Log
from sharewell.traces.measure.asking import NO_SCORE, Answer, Asking, BestScore, Part
from sharewell.traces.measure.attempts import Attempts
from sharewell.traces.measure.fitting import summed
from sharewell.traces.measure.sides import Points

TOLERANCE = 0.1


@dataclass(frozen=True, kw_only=True)
class Spans(BestScore):
    """First window, last window and total of every target."""

    side: str
    names: Array
    spans: Array

    def asked(self, part: Part) -> Answer:
        log = part.logs[self.side]
        return _agreeing(self.spans, _spans(log), log.lengths > 0, part.place(self.names))


def first_last_total(points: Points, attempts: Attempts) -> Asking:
    """First and last window and the total to a tenth: whoever agrees in most of them is a candidate."""
    targets = attempts.sampled(points.present, points.among)
    best, size, own = yield Spans(
        side=points.side, names=points.names(targets), spans=_spans(points.known)[targets]
    )  # fmt: skip
    return summed(points.known.students, targets, size, own == best, certain=len(targets) == points.among)


def _spans(log: Log) -> Array:
    """First window, last window and number of events of every student; those without are not looked at."""
    spans = np.full((log.students, 3), -1, np.int64)
    there = log.lengths > 0
    spans[there, 0] = log.keys[log.points[log.starts[:-1][there]]]
    spans[there, 1] = log.keys[log.points[log.starts[1:][there] - 1]]
    spans[:, 2] = np.bincount(log.owners, weights=log.events, minlength=log.students)
    return spans


@njit(parallel=True, cache=True)
def _agreeing(known: Array, released: Array, present: Array, targets: Array) -> tuple[Array, Array, Array]:
    best, size, own = np.full(targets.size, NO_SCORE), np.zeros(targets.size), np.full(targets.size, NO_SCORE)
    for i in prange(targets.size):
        for student in range(present.size):
            if not present[student]:
                continue
            other = released[student]
            near = abs(other[2] - known[i, 2]) <= TOLERANCE * known[i, 2]
            score = int(other[0] == known[i, 0]) + int(other[1] == known[i, 1]) + int(near)
            if score > best[i]:
                best[i], size[i] = score, 0
            if score == best[i]:
                size[i] += 1
            if student == targets[i]:
                own[i] = score
    return best, size, own
