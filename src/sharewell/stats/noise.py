"""Noise on what a generator learnt, measured in the standard errors that one choice of students leaves.

An estimate moves by its standard error when other students are drawn; noise of c standard errors hides who was drawn
the better the larger c. The standard errors are those of students, not of rows: a student with many rows on an item
counts as one who moves it much (the sandwich of Liang and Zeger 1986). After the noise every estimate is drawn towards
the mean of its group by as much as its noise makes it untrustworthy (Efron and Morris 1973): that uses nothing but the
noisy numbers and gives nothing away.
"""

import numpy as np

from sharewell.stats.arrays import Array

LEAST_SHARE = 0.05  # of the mean count: what a count keeps that noise made negative
FEW = 25  # rows: a share of fewer is at least as uncertain as one half would be
SPREADS = np.linspace(0.02, 4.0, 100)  # true spreads that are reckoned with, in usual ones
MANY_DRAWS = 20  # that have an equal part in a sum of squares, or as many unequal ones as scatter like these
LEAST_SPREAD = 1e-3  # of true values around their group's mean: what is left where all scatter is noise


def blurred(
    value: Array,
    error: Array,
    *,
    group: Array | None,
    c: float,
    generator: np.random.Generator,
    usual: float,
    weight: Array | None = None,
    of_mean: float | None = None,
) -> Array:
    """Values with noise of c standard errors each, drawn towards the mean of their group and that of all.

    `usual` is about how much such values differ, wherever they are from. A value without error is not there or never
    varies; it stays as it is and says nothing of how the others differ. With `of_mean` their common mean is one number
    more, with so many standard errors of its own, and groups are none. With a weight of every value the noise has, so
    weighed, the size that it has on average (see `of_usual_size`).
    """
    moved = error > 0
    if c == 0 or not moved.any():
        return value
    drawn = generator.standard_normal(int(moved.sum()))
    if weight is not None:
        drawn = of_usual_size(drawn, weight[moved] * error[moved] ** 2)
    noisy = value[moved] + c * error[moved] * drawn
    variance = (c * error[moved]) ** 2  # what is aimed at is what analysts find in the original, its own luck included
    found = value.astype(float)
    if of_mean is not None:
        mean = _with_noise_of_its_own(value[moved], error[moved], usual, of_mean, generator)
        found[moved] = _shrunk(noisy, variance, np.full(noisy.size, mean), usual)
        return found
    found[moved] = _drawn_together(noisy, variance, None if group is None else group[moved], usual)
    return found


def of_usual_size(drawn: Array, share: Array) -> Array:
    """Standard normal draws scaled so that Σ share·draw² is Σ share: where it points is luck, how far is not.

    Only where many draws have a part in the sum: of a few, knowing its size would disclose what each of them is.
    """
    if share.sum() ** 2 < MANY_DRAWS * np.sum(share**2):
        return drawn
    found: Array = drawn * np.sqrt(share.sum() / np.sum(share * drawn**2))
    return found


def _with_noise_of_its_own(value: Array, error: Array, usual: float, c: float, generator: np.random.Generator) -> float:
    """The mean of all values, each by its certainty, with noise of c standard errors."""
    weight = 1 / (error**2 + usual**2)
    off = c * float(np.sqrt(np.sum((weight * error) ** 2)) / weight.sum())
    return float(np.average(value, weights=weight)) + off * float(generator.standard_normal())


def _drawn_together(noisy: Array, variance: Array, group: Array | None, usual: float) -> Array:
    alone = np.zeros(noisy.size, dtype=np.int64)
    means, of_means = _means(noisy, variance, alone if group is None else group)
    firm = np.isfinite(of_means)
    if group is not None:
        over, _ = _means(means[firm], of_means[firm], alone[: int(firm.sum())])
        means[firm] = _shrunk(means[firm], of_means[firm], over[0], usual)
    return _shrunk(noisy, variance, means[alone if group is None else group], usual)


def noisy_counts(counts: Array, error: Array, *, c: float, generator: np.random.Generator) -> Array:
    """Counts with noise of c standard errors each, never below zero."""
    if c == 0:
        return counts.astype(float)
    found: Array = np.maximum(counts + c * error * generator.standard_normal(counts.size), 0.0)
    return found


def level_counts(counts: Array, *, c: float, generator: np.random.Generator) -> Array:
    """Counts that every class must have, with noise of c standard errors, drawn towards their mean; never zero."""
    if c == 0:
        return counts.astype(float)
    usual = float(counts.mean())
    drawn = blurred(counts.astype(float), np.sqrt(counts), group=None, c=c, generator=generator, usual=usual)
    found: Array = np.maximum(drawn, counts.mean() * LEAST_SHARE)
    return found


def share_errors(cell: Array, residual: Array, who: Array, trials: Array) -> Array:
    """Standard errors of shares whose rows come in students: root of the sum of squared sums, over the rows."""
    people = int(who.max(initial=0)) + 1
    pairs, place = np.unique(cell.astype(np.int64) * people + who, return_inverse=True)
    sums = np.bincount(place, weights=residual)
    squares = np.bincount(pairs // people, weights=sums**2, minlength=trials.size)
    plain = 0.5 / np.sqrt(np.maximum(trials, 1))  # a share of which nothing varied is not therefore certain
    found: Array = np.maximum(np.sqrt(squares) / np.maximum(trials, 1), np.where(trials < FEW, plain, 0.0))
    return found


def _means(noisy: Array, variance: Array, group: Array) -> tuple[Array, Array]:
    """The mean of every group, each value by its certainty, and the variance of that mean."""
    spread = float(np.var(noisy)) if noisy.size else 0.0
    weight = 1 / (variance + spread + LEAST_SPREAD)
    total = np.bincount(group, weights=weight)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.bincount(group, weights=weight * noisy) / total, 1 / total


def _shrunk(noisy: Array, variance: Array, mean: Array, usual: float) -> Array:
    """The posterior mean of every value under its noise."""
    found: Array = mean + trust(noisy - mean, variance, usual=usual) * (noisy - mean)
    return found


def trust(away: Array, variance: Array, *, usual: float) -> Array:
    """Estimate the part of what is seen that is no noise, τ²/(τ² + variance).

    Over all that the true spread τ may be: how likely each makes what is seen, times a half-normal prior of the usual
    spread (Gelman 2006). Where there is much noise the prior decides, where there is little what is seen. A plug-in
    estimate would be zero half of the time, and the order of all values lost with it.
    """
    spreads = usual * SPREADS
    total = variance[:, None] + spreads**2
    fit = -0.5 * np.sum(np.log(total) + away[:, None] ** 2 / total, axis=0) - SPREADS**2 / 2
    chance = np.exp(fit - fit.max())
    found: Array = (spreads**2 / total) @ (chance / chance.sum())
    return found
