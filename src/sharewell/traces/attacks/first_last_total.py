"""Someone knows when a student began and stopped, and to a tenth how much they did in all."""

import numpy as np

from sharewell.traces.arrays import Array
from sharewell.traces.attacks.view import View
from sharewell.traces.log import Log

TOLERANCE = 0.1


def know(view: View, targets: Array, known: int, seed: int) -> tuple[Array]:
    """First window, last window and number of events of each target."""
    return (_spans(view.known)[targets],)


def score(view: View, knowledge: tuple[Array]) -> Array:
    """In how many of the three a candidate agrees."""
    own, others = knowledge[0][:, None, :], view.once(_released)
    same = (others[:, :2] == own[:, :, :2]).sum(axis=2)
    return np.asarray(same + (np.abs(others[:, 2] - own[:, :, 2]) <= TOLERANCE * own[:, :, 2]))


def _released(view: View) -> Array:
    return np.asarray(_spans(view.released)[view.present])


def _spans(log: Log) -> Array:
    spans = np.full((log.students, 3), -1, np.int64)
    there = log.lengths > 0
    spans[there, 0] = log.keys[log.points[log.starts[:-1][there]]]
    spans[there, 1] = log.keys[log.points[log.starts[1:][there] - 1]]
    spans[:, 2] = np.bincount(log.owners, weights=log.events, minlength=log.students)
    return spans
