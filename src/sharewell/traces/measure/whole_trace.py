"""Someone holds everything that a student did, from another copy of the log, and looks for the trace most like it.

Two releases of one log are joined in this way, and so is a release with the platform's own records. All points and how
often each occurred are compared by the cosine of the roots of counts. Where released counts are cut to bands, or to
presence, what is known is cut alike: the release says so.
"""

from dataclasses import dataclass, replace

import numpy as np
from scipy.sparse import csr_matrix

from sharewell.traces.arrays import Array
from sharewell.traces.log import Log, numbers_of
from sharewell.traces.measure.asking import Answer, Asking, BestScore, Part, as_near
from sharewell.traces.measure.attempts import Attempts
from sharewell.traces.measure.fitting import summed
from sharewell.traces.measure.sides import Points
from sharewell.traces.protection.count_bands import FLOORS, Counts, told

BLOCK = 64
FEW_POINTS = 2_000
ALIKE = 1e-9  # cosines that differ by less are the same


@dataclass(frozen=True, kw_only=True)
class Likest(BestScore):
    """The whole traces of all targets, over the keys of points; `best` is the best cosine of all students, if known."""

    side: str
    names: Array
    keys: Array
    traces: csr_matrix
    best: Array | None = None

    def asked(self, part: Part) -> Answer:
        log = part.logs[self.side]
        place = numbers_of(log, self.keys)
        here = place >= 0
        into = csr_matrix(
            (np.ones(int(here.sum())), (np.flatnonzero(here), place[here])), shape=(here.size, len(log.keys))
        )
        others = np.flatnonzero(log.lengths)
        known, released = self.traces @ into, _traces(log)[others]

        def scores(block: slice) -> Array:
            return _cosines(known[block], released)

        return as_near(scores, others, part.place(self.names), best=self.best, block=BLOCK, close=ALIKE)


def whole_trace(points: Points, attempts: Attempts) -> Asking:
    """The released traces most like all that is known of each target.

    Asked twice: who is as like as the likest, but for errors of rounding, is known once the likest is.
    """
    targets = attempts.sampled(points.present, points.among)
    traces = _traces(_cut_alike(points))[targets]
    question = Likest(side=points.side, names=points.names(targets), keys=points.known.keys, traces=traces)
    best, _, _ = yield question
    _, size, own = yield replace(question, best=best)
    return summed(points.known.students, targets, size, own >= best - ALIKE, certain=len(targets) == points.among)


def _cosines(some: csr_matrix, everyone: csr_matrix) -> Array:
    """Where points are few, most students have each of them, and full columns are faster than sparse ones."""
    if some.shape[1] <= FEW_POINTS:
        return np.asarray((everyone @ some.T.toarray()).T)
    return np.asarray((some @ everyone.T).toarray())


def _cut_alike(points: Points) -> Log:
    """What is known, with numbers of events as the release tells them."""
    seen = np.flatnonzero(points.often)
    counts: Counts = "all" if not np.isin(seen, FLOORS).all() else "bands" if (seen > 1).any() else "presence"
    return replace(points.known, events=told(points.known.events, counts))


def _traces(log: Log) -> csr_matrix:
    """Roots of the numbers of events, students × points, of unit length."""
    roots: Array = np.sqrt(log.events.astype(float))
    length = np.sqrt(np.bincount(log.owners, weights=log.events, minlength=log.students))
    shape = (log.students, len(log.keys))
    return csr_matrix((roots / length[log.owners], log.points, log.starts), shape=shape)
