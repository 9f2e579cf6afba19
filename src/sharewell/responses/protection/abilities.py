"""Abilities of students who do not exist, drawn from how the estimated ones are spread (Vie et al. 2022, §3.3)."""

from dataclasses import dataclass, replace

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


@dataclass(frozen=True, kw_only=True)
class Diligence:
    """How ability goes with the length of a log: able students do more, or weak ones do. Two numbers."""

    slope: float = 0.0  # of ability, per logarithm of rows
    centre: float = 0.0  # mean logarithm of rows

    def of(self, lengths: Array) -> Array:
        """What the length of a log adds to the ability of its student."""
        found: Array = self.slope * (np.log(lengths) - self.centre)
        return found

    def even(self, ability: Array, lengths: Array) -> Array:
        """Drawn abilities of which long logs have by luck neither the better nor the worse; their mean stays."""
        away = np.log(lengths) - np.log(lengths).mean()
        reach = float(lengths @ away) / float(lengths.sum())
        if reach < SAME_LENGTH:
            return ability
        lean = float(lengths @ (ability - ability.mean())) / float(lengths.sum())
        found: Array = ability - lean / reach * away
        return found

    def steeper(self, level: float, lengths: Array) -> "Diligence":
        """A line under which rows, of which long logs have more, come from students more able by `level`."""
        away = np.log(lengths) - self.centre
        reach = float(lengths @ away) / float(lengths.sum())
        return self if reach < SAME_LENGTH else replace(self, slope=self.slope + level / reach)


def fit_diligence(estimates: Array, lengths: Array, *, off: float = 0.0) -> Diligence:
    """A straight line through the estimates; its slope is off by so many standard errors."""
    centre = float(np.log(lengths).mean())
    centred = np.log(lengths) - centre
    squares = float(centred @ centred)
    if squares == 0:
        return Diligence(centre=centre)
    slope = float(centred @ estimates) / squares
    error = float(np.std(estimates - slope * centred)) / np.sqrt(squares)
    return Diligence(slope=slope + off * error, centre=centre)


Abilities = NormalAbilities | KernelAbilities
POINTS = 201
SAME_LENGTH = 0.05  # logs whose lengths differ less say nothing about ability


def fit_abilities(estimates: Array, kind: str, *, off: float = 0.0) -> Abilities:
    """How estimates are spread; the width of that is off by so many of its standard errors, 1/√(2n) of it each."""
    centre, wider = float(estimates.mean()), float(np.exp(off / np.sqrt(2 * estimates.size)))
    estimates = estimates if off == 0 else centre + wider * (estimates - centre)
    spread = float(estimates.std())
    if kind == "normal" or spread == 0:
        return NormalAbilities(mean=centre, spread=spread)
    estimate = gaussian_kde(estimates)  # bandwidth by Scott's rule
    wide = 3 * float(np.sqrt(estimate.covariance[0, 0]))
    # The ends are quantiles: the single most able student must not set the range.
    low, high = np.quantile(estimates, [0.01, 0.99])
    grid = np.linspace(low - wide, high + wide, POINTS)
    density = estimate(grid)
    cumulative = np.concatenate([[0.0], np.cumsum((density[1:] + density[:-1]) / 2)])
    return KernelAbilities(grid=grid, cumulative=cumulative / cumulative[-1])
