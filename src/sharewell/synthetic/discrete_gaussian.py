"""Exact draws for differential privacy: integer arithmetic alone, so that no rounding of floats spends more.

Canonne, Kamath, Steinke (2020), "The Discrete Gaussian for Differential Privacy", algorithms 1 to 3, for arrays: each
chance is a ratio of whole numbers and is compared with a uniform whole number.
"""

import math
from collections.abc import Sequence

import numpy as np

from sharewell.errors import InputError
from sharewell.stats.arrays import Array

WIDEST = 5_000.0  # a standard deviation up to which all products fit into 64 bits
PARTS = 16  # σ² is a multiple of 1/16, and a whole number beyond
FINE = 1_000.0


def discrete_gaussian(variance: float, size: int, generator: np.random.Generator) -> Array:
    """Draw whole numbers by exp(−x²/2σ²); σ² is rounded up to `variance_of`."""
    below, above = _ratio(variance)
    scale = math.isqrt(above // below) + 1
    drawn = np.empty(size, np.int64)
    todo = np.arange(size)
    while todo.size:
        proposed = _discrete_laplace(scale, todo.size, generator)
        off = (np.abs(proposed) * scale * below - above) ** 2
        taken = bernoulli_exp(off, 2 * above * below * scale * scale, generator)
        drawn[todo[taken]] = proposed[taken]
        todo = todo[~taken]
    return drawn


def variance_of(variance: float) -> float:
    """The variance parameter that is drawn with: no smaller than what was asked for."""
    below, above = _ratio(variance)
    return above / below


def bernoulli_exp(above: Array, below: int, generator: np.random.Generator) -> Array:
    """True with chance exp(−above/below), for whole numbers."""
    whole, rest = np.divmod(np.asarray(above, np.int64), below)
    alive = np.ones(whole.size, bool)
    while (active := np.flatnonzero(alive & (whole > 0))).size:
        alive[active] = _exp_up_to_one(np.ones(active.size, np.int64), 1, generator)
        whole[active] -= 1
    left = np.flatnonzero(alive)
    alive[left] = _exp_up_to_one(rest[left], below, generator)
    return alive


def exponential_mechanism(scores: Sequence[int], *, over: int, generator: np.random.Generator) -> int:
    """Draw a place by exp(score/over): a uniform one, taken by its gap to the best."""
    gap = max(scores) - np.asarray(scores, np.int64)
    while True:
        place = int(generator.integers(gap.size))
        if bernoulli_exp(gap[[place]], over, generator)[0]:
            return place


def _ratio(variance: float) -> tuple[int, int]:
    if not 0 < variance <= WIDEST**2:
        raise InputError("epsilon is too small for so many columns: the noise would hide every count")
    parts = PARTS if variance < FINE**2 else 1
    return parts, math.ceil(variance * parts)


def _exp_up_to_one(above: Array, below: int, generator: np.random.Generator) -> Array:
    """True with chance exp(−above/below) where that ratio is at most one: the first failure comes at an odd place."""
    odd = np.zeros(above.size, bool)
    alive, place = np.arange(above.size), 0
    while alive.size:
        place += 1
        odd[alive] = place % 2 == 1
        alive = alive[generator.integers(below * place, size=alive.size) < above[alive]]
    return odd


def _discrete_laplace(scale: int, size: int, generator: np.random.Generator) -> Array:
    """Whole numbers with chances in proportion to exp(−|x|/scale)."""
    drawn = np.empty(size, np.int64)
    todo = np.arange(size)
    while todo.size:
        low = generator.integers(scale, size=todo.size)
        fits = bernoulli_exp(low, scale, generator)
        high = _successes(todo.size, generator)
        value = low + scale * high
        negative = generator.integers(2, size=todo.size) == 1
        taken = fits & ~(negative & (value == 0))
        drawn[todo[taken]] = np.where(negative, -value, value)[taken]
        todo = todo[~taken]
    return drawn


def _successes(size: int, generator: np.random.Generator) -> Array:
    """How often in a row something of chance 1/e happens."""
    count = np.zeros(size, np.int64)
    alive = np.arange(size)
    while alive.size:
        alive = alive[_exp_up_to_one(np.ones(alive.size, np.int64), 1, generator)]
        count[alive] += 1
    return count
