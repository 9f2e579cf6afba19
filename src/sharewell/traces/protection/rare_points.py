"""Which (student, point) pairs to leave out: those that few share, telling ones, the tail of long traces."""

import numpy as np

from sharewell.traces.log import Log


def shared_by_few(log: Log, needed: int) -> np.ndarray:
    """Pairs whose point fewer than `needed` students share."""
    return log.popularity[log.points] < needed


def telling(log: Log, exposed: np.ndarray, count: int) -> np.ndarray:
    """The `count` rarest points of each exposed student."""
    owners = log.owners
    order = np.lexsort((log.popularity[log.points], owners))
    rank = np.empty(len(owners), np.int64)
    rank[order] = np.arange(len(owners)) - log.starts[:-1][owners]
    return (rank < count) & exposed[owners]


def beyond(log: Log, longest: int) -> np.ndarray:
    """What comes after a student's first `longest` points."""
    return np.arange(len(log.points)) - np.repeat(log.starts[:-1], log.lengths) >= longest
