"""Which (student, point) pairs to leave out: those that few share, telling ones, the tail of long traces."""

import numpy as np

from sharewell.traces.arrays import Array
from sharewell.traces.log import Log


def shared_by_few(log: Log, needed: int) -> Array:
    """Pairs whose point fewer than `needed` students share."""
    return log.popularity[log.points] < needed


def telling(log: Log, exposed: Array, count: int) -> Array:
    """The `count` rarest points of each exposed student."""
    owners = log.owners
    order = np.lexsort((log.popularity[log.points], owners))
    rank = np.empty(len(owners), np.int64)
    rank[order] = np.arange(len(owners)) - log.starts[:-1][owners]
    return np.asarray((rank < count) & exposed[owners])


def beyond(log: Log, longest: int) -> Array:
    """What comes after a student's first `longest` points."""
    return np.asarray(np.arange(len(log.points)) - np.repeat(log.starts[:-1], log.lengths) >= longest)
