"""Someone knows how often a student was active in a few windows: exactly, to a fifth, or "little, some, much"."""

from collections.abc import Callable
from typing import TypeAlias

import numpy as np

from sharewell.traces.arrays import Array
from sharewell.traces.measure.asking import Asking
from sharewell.traces.measure.attackers import attacker, draw
from sharewell.traces.measure.attempts import Attempts
from sharewell.traces.measure.fitting import ANY, Facts, best_fits, events_at
from sharewell.traces.measure.sides import Points

TOLERANCE = 0.2

Ranges: TypeAlias = Callable[[Array], tuple[Array, Array]]  # counts → the least and the most that would fit


def exact_counts(points: Points, attempts: Attempts, known: int) -> Asking:
    """Numbers of events as they are: a multiset instead of a set."""
    return _with_ranges(points, attempts, known, lambda counts: (counts, counts))


def rough_counts(points: Points, attempts: Attempts, known: int) -> Asking:
    """Numbers of events to within a fifth."""
    return _with_ranges(
        points,
        attempts,
        known,
        lambda counts: (
            np.ceil(counts * (1 - TOLERANCE)).astype(np.int64),
            np.floor(counts * (1 + TOLERANCE)).astype(np.int64),
        ),
    )


def banded_counts(points: Points, attempts: Attempts, known: int) -> Asking:
    """Little, some, much: thirds of what is usual in the release."""
    lower, upper = (int(_quantile(points.often, share)) for share in (1 / 3, 2 / 3)) if points.often.any() else (1, 1)
    upper = max(upper, lower + 1)
    edges = np.array([1, lower + 1, upper + 1, ANY])

    def band(counts: Array) -> tuple[Array, Array]:
        number = np.searchsorted(edges[1:3], counts, side="right")
        return edges[number], edges[number + 1] - 1

    return _with_ranges(points, attempts, known, band)


def _with_ranges(points: Points, attempts: Attempts, known: int, ranges: Ranges) -> Asking:
    targets, repeats = attempts.of(points.present, points.among)
    drawn = draw(points.known, attacker("random"), targets, known, seed=attempts.seed, repeats=repeats)
    least, most = ranges(events_at(points.known, targets, drawn))
    weights = np.ones(drawn.shape, np.int16)
    return best_fits(points, Facts(targets=targets, points=drawn, least=least, most=most, weights=weights))


def _quantile(often: Array, share: float) -> float:
    """The number below which a share of all lie, between two neighbours where it falls; `often` has 0, 1, 2 … occur."""
    ends = np.cumsum(often)
    place = (ends[-1] - 1) * share
    low, high = (int(np.searchsorted(ends, number, side="right")) for number in (int(place), int(np.ceil(place))))
    return float(low + (high - low) * (place - int(place)))
