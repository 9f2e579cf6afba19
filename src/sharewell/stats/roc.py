"""ROC of a score over two groups: area under the curve, and hits at a low rate of false alarms."""

import math
from dataclasses import dataclass

import numpy as np
from scipy.special import ndtri

from sharewell.stats.arrays import Array
from sharewell.stats.intervals import wilson


@dataclass(frozen=True, kw_only=True)
class MeasuredShare:
    """A measured share with its 95 % interval."""

    value: float
    low: float
    high: float


def auc(inside: Array, outside: Array, *, confidence: float = 0.95) -> MeasuredShare:
    """Chance that a random insider scores above a random outsider, ties counted half; DeLong et al. (1988) interval."""
    if min(inside.size, outside.size) < 2:
        raise ValueError("an AUC needs at least two students on each side")
    above, below = _placements(inside, outside), 1 - _placements(outside, inside)
    value = float(above.mean())
    spread = math.sqrt(above.var(ddof=1) / inside.size + below.var(ddof=1) / outside.size)
    if spread == 0:  # all placements equal (perfect separation, say): DeLong's variance says nothing, Wilson's does
        low, high = wilson(value * inside.size, inside.size, confidence=confidence)
        return MeasuredShare(value=value, low=low, high=high)
    half = float(ndtri(0.5 + confidence / 2)) * spread
    return MeasuredShare(value=value, low=max(0.0, value - half), high=min(1.0, value + half))


def area(inside: Array, outside: Array) -> float:
    """The same chance without its interval."""
    return float(_placements(inside, outside).mean())


def hits_at(inside: Array, outside: Array, *, false_alarms: float) -> MeasuredShare:
    """True-positive rate at a false-positive rate of at most `false_alarms`: one point of the curve, no interpolation.

    The threshold is the lowest score that at most this share of outsiders exceeds; ties with it are not hits.
    """
    allowed = math.floor(false_alarms * outside.size + 1e-9)
    threshold = np.sort(outside)[outside.size - 1 - allowed]
    hits = int((inside > threshold).sum())
    low, high = wilson(hits, inside.size)
    return MeasuredShare(value=hits / inside.size, low=low, high=high)


def _placements(of: Array, among: Array) -> Array:
    """For each value the share of `among` below it, ties counted half."""
    ordered = np.sort(among)
    left, right = np.searchsorted(ordered, of, "left"), np.searchsorted(ordered, of, "right")
    return (left + right) / (2 * among.size)
