"""Intervals: how sure a measured share or mean is."""

import math

import numpy as np
from scipy.special import betaincinv, ndtri

from sharewell.stats.arrays import Array


def wilson(hits: float, n: float, *, confidence: float = 0.95) -> tuple[float, float]:
    """Wilson score interval of a share (Wilson 1927, eq. 4): keeps its coverage near 0 and 1 and for small n."""
    if n == 0:
        return 0.0, 1.0
    z = float(ndtri(0.5 + confidence / 2))
    share = hits / n
    centre = (share + z * z / (2 * n)) / (1 + z * z / n)
    half = z / (1 + z * z / n) * math.sqrt(share * (1 - share) / n + z * z / (4 * n * n))
    low = 0.0 if hits == 0 else max(0.0, centre - half)  # rounding must not push the estimate outside
    high = 1.0 if hits == n else min(1.0, centre + half)
    return low, high


def exact(hits: int, n: int, *, confidence: float = 0.95) -> tuple[float, float]:
    """Clopper–Pearson interval of a share: never covers less than it says (Clopper and Pearson 1934)."""
    if n == 0:
        return 0.0, 1.0
    tail = (1 - confidence) / 2
    low = 0.0 if hits == 0 else float(betaincinv(hits, n - hits + 1, tail))
    high = 1.0 if hits == n else float(betaincinv(hits + 1, n - hits, 1 - tail))
    return low, high


def bootstrap_mean(values: Array, *, seed: int, repeats: int = 2000, confidence: float = 0.95) -> tuple[float, float]:
    """Percentile bootstrap interval of a mean (Efron 1979)."""
    values = np.asarray(values, dtype=float)
    if values.size == 0:
        raise ValueError("no values to resample")
    generator = np.random.default_rng(seed)
    means = values[generator.integers(0, values.size, (repeats, values.size))].mean(axis=1)
    tail = (1 - confidence) / 2
    low, high = np.quantile(means, [tail, 1 - tail])
    return float(low), float(high)


def bootstrap_share(hits: int, n: int, *, seed: int, repeats: int = 2000) -> tuple[float, float]:
    """95 % bootstrap interval of a share, never narrower than Wilson's.

    Resampling n yes-or-no draws gives Binomial(n, hits/n), so the resampling is drawn from it directly. It collapses
    to a point when all draws agree; Wilson's interval does not, hence the envelope of both. Keyed with different
    chances scatter less than the binomial (Hoeffding 1956, theorem 4), so the interval covers at least what it says.
    """
    low, high = wilson(hits, n)
    if n == 0:
        return low, high
    shares = np.random.default_rng(seed).binomial(n, hits / n, repeats) / n
    return min(low, float(np.quantile(shares, 0.025))), max(high, float(np.quantile(shares, 0.975)))
