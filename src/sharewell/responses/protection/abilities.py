"""Abilities of students who do not exist, drawn from how the estimated ones are spread (Vie et al. 2022, §3.3)."""

from dataclasses import dataclass

import numpy as np
from scipy.special import ndtri
from scipy.stats import gaussian_kde

from sharewell.responses.protection.even_draws import even
from sharewell.stats.arrays import Array


@dataclass(frozen=True, kw_only=True)
class NormalAbilities:
    """A normal distribution fitted to the estimates: two numbers leave the training data."""

    mean: float
    spread: float

    def draw(self, students: int, generator: np.random.Generator) -> Array:
        found: Array = self.mean + self.spread * ndtri(even(students, generator))
        return found


@dataclass(frozen=True, kw_only=True)
class KernelAbilities:
    """A kernel estimate on a grid, for abilities that are skewed or have two humps. The estimates are not kept."""

    grid: Array
    cumulative: Array

    def draw(self, students: int, generator: np.random.Generator) -> Array:
        return np.interp(even(students, generator), self.cumulative, self.grid)


Abilities = NormalAbilities | KernelAbilities
POINTS = 201


def fit_abilities(estimates: Array, kind: str) -> Abilities:
    spread = float(estimates.std())
    if kind == "normal" or spread == 0:
        return NormalAbilities(mean=float(estimates.mean()), spread=spread)
    estimate = gaussian_kde(estimates)  # bandwidth by Scott's rule
    wide = 3 * float(np.sqrt(estimate.covariance[0, 0]))
    # The ends are quantiles: the single most able student must not set the range.
    low, high = np.quantile(estimates, [0.01, 0.99])
    grid = np.linspace(low - wide, high + wide, POINTS)
    density = estimate(grid)
    cumulative = np.concatenate([[0.0], np.cumsum((density[1:] + density[:-1]) / 2)])
    return KernelAbilities(grid=grid, cumulative=cumulative / cumulative[-1])
