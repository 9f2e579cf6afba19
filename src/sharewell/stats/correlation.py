"""Correlation of two series, and how sure it is."""

import math

import numpy as np
from scipy.special import ndtri

from sharewell.stats.arrays import Array


def pearson(first: Array, second: Array) -> float:
    """Pearson's correlation; a series that does not vary correlates with nothing."""
    first, second = np.asarray(first, dtype=float), np.asarray(second, dtype=float)
    if len(first) < 2 or np.ptp(first) == 0 or np.ptp(second) == 0:
        return 0.0
    return float(np.clip(np.corrcoef(first, second)[0, 1], -1.0, 1.0))


def fisher_interval(value: float, n: int, *, confidence: float = 0.95) -> tuple[float, float]:
    """Interval of a correlation by Fisher's z (Fisher 1921): artanh r is nearly normal with variance 1/(n−3)."""
    if n <= 3:
        return -1.0, 1.0
    centre = math.atanh(max(-1 + 1e-12, min(1 - 1e-12, value)))
    half = float(ndtri(0.5 + confidence / 2)) / math.sqrt(n - 3)
    return math.tanh(centre - half), math.tanh(centre + half)
