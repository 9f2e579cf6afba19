"""Someone holds everything that a student did, from another copy of the log, and looks for the trace most like it.

Two releases of one log are joined in this way, and so is a release with the platform's own records. All points and how
often each occurred are compared by the cosine of the roots of counts. Where released counts are cut to bands, or to
presence, what is known is cut alike: the release says so.
"""

from dataclasses import replace

import numpy as np
from scipy.sparse import csr_matrix

from sharewell.traces.arrays import Array
from sharewell.traces.log import Log
from sharewell.traces.measure.attempts import Attempts
from sharewell.traces.measure.fitting import summed
from sharewell.traces.measure.found import Found
from sharewell.traces.measure.sides import Points
from sharewell.traces.protection.count_bands import FLOORS, Counts, told

BLOCK = 64
FEW_POINTS = 2_000
ALIKE = 1e-9  # cosines that differ by less are the same


def whole_trace(points: Points, attempts: Attempts) -> Found:
    """The released traces most like all that is known of each target."""
    targets = attempts.sampled(points.present)
    known, released = (_profiles(log) for log in (_cut_alike(points), points.released))
    present = points.released.lengths > 0
    size, within = np.zeros(len(targets), np.int64), np.zeros(len(targets), np.bool_)
    for first in range(0, len(targets), BLOCK):
        part = slice(first, first + BLOCK)
        alike = np.where(present, _cosines(known[targets[part]], released), -1.0)
        best = alike >= alike.max(axis=1, keepdims=True) - ALIKE
        size[part] = best.sum(axis=1)
        within[part] = best[np.arange(len(best)), targets[part]]
    everyone = len(targets) == len(points.present)
    return summed(points.released.students, targets, size, within, certain=everyone)


def _cosines(some: csr_matrix, everyone: csr_matrix) -> Array:
    """Where points are few, most students have each of them, and full columns are faster than sparse ones."""
    if some.shape[1] <= FEW_POINTS:
        return np.asarray((everyone @ some.T.toarray()).T)
    return np.asarray((some @ everyone.T).toarray())


def _cut_alike(points: Points) -> Log:
    """What is known, with numbers of events as the release tells them."""
    seen = points.released.events
    counts: Counts = "all" if not np.isin(seen, FLOORS).all() else "bands" if (seen > 1).any() else "presence"
    return replace(points.known, events=told(points.known.events, counts))


def _profiles(log: Log) -> csr_matrix:
    """Roots of the numbers of events, students × points, of unit length."""
    roots: Array = np.sqrt(log.events.astype(float))
    length = np.sqrt(np.bincount(log.owners, weights=log.events, minlength=log.students))
    shape = (log.students, len(log.keys))
    return csr_matrix((roots / length[log.owners], log.points, log.starts), shape=shape)
