"""Someone knows how often a student was active in a few windows, exactly or to a fifth."""

import numpy as np

from sharewell.traces.arrays import Array
from sharewell.traces.attacks.known_points import drawn_points
from sharewell.traces.attacks.matching import Facts, events_at
from sharewell.traces.attacks.view import View

TOLERANCE = 0.2


def exact_counts(view: View, targets: Array, known: int, seed: int) -> Facts:
    """Numbers of events as they are: a multiset instead of a set."""
    drawn, counts = _counted(view, targets, known, seed)
    return drawn, counts, counts, np.ones_like(counts)


def rough_counts(view: View, targets: Array, known: int, seed: int) -> Facts:
    """Numbers of events to within a fifth."""
    drawn, counts = _counted(view, targets, known, seed)
    least, most = np.ceil(counts * (1 - TOLERANCE)), np.floor(counts * (1 + TOLERANCE))
    return drawn, least.astype(np.int64), most.astype(np.int64), np.ones_like(counts)


def _counted(view: View, targets: Array, known: int, seed: int) -> tuple[Array, Array]:
    drawn = drawn_points(view.known, "random", targets, known, seed)
    return drawn, events_at(view.known, targets, drawn)
