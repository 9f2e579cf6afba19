"""A metric learnt on other typists: how two samples of one person go together, against two of different people.

Both samples are vectors. Their joint covariance is learnt on other people than those who are scored with it:
log N([x, y]; 0, joint) − log N(x) − log N(y), the two-covariance model (Sizov, Lee and Kinnunen 2014,
eq. 12) with a covariance of its own for each sample, because one of them may be protected and the other not. In
canonical variates, with correlation ρ, each adds −½ log(1 − ρ²) − (ρ²(u² + v²) − 2ρuv) / (2(1 − ρ²)).
"""

from dataclasses import dataclass

import numpy as np

from sharewell.keystrokes.arrays import Array
from sharewell.keystrokes.measure.strangers import lessons

RIDGE = 0.05  # of the variance: keeps features apart that few people differ on
MOST = 0.995  # a correlation of one would weigh one feature beyond all others


@dataclass(frozen=True, kw_only=True)
class Pairs:
    """Two samples of the same features; person `pair[i]` of `near` is person i of `far`."""

    near: Array
    far: Array
    pair: Array


def scores(pairs: Pairs, rows: Array, seed: int) -> Array:
    """Rows of `far` against everyone in `near`, each by what people teach who are neither of the two."""
    result = np.zeros((len(rows), len(pairs.near)))
    for lesson in lessons(pairs.pair[rows], len(pairs.near), seed):
        others = np.flatnonzero(lesson.teaches[pairs.pair])
        if len(others) > 2:
            metric = _learnt(pairs, others)
            for sought, known in lesson.blocks:
                result[np.ix_(sought, known)] = metric.scores(pairs.near[known], pairs.far[rows[sought]])
    return result


@dataclass(frozen=True, kw_only=True)
class _Metric:
    """Canonical variates of the two samples: what is taken off, what turns each into them, how they correlate."""

    means: tuple[Array, Array]
    turns: tuple[Array, Array]
    correlation: Array

    def scores(self, near: Array, far: Array) -> Array:
        known, sought = (
            (one - mean) @ turn for one, mean, turn in zip((near, far), self.means, self.turns, strict=True)
        )
        return _log_ratio(known, sought, self.correlation)


def _learnt(pairs: Pairs, others: Array) -> _Metric:
    near, far = pairs.near[pairs.pair[others]], pairs.far[others]
    first, second = _whitening(near), _whitening(far)
    left, right = (near - near.mean(axis=0)) @ first, (far - far.mean(axis=0)) @ second
    u, correlation, v = np.linalg.svd(left.T @ right / len(others))
    size = min(len(correlation), u.shape[1], v.shape[0])
    return _Metric(
        means=(near.mean(axis=0), far.mean(axis=0)),
        turns=(first @ u[:, :size], second @ v[:size].T),
        correlation=_unbiased(correlation[:size], left.shape[1], len(others)),
    )


def _whitening(values: Array) -> Array:
    """Turns a sample into uncorrelated variates of variance one; directions that hardly vary are left out."""
    spread = values.std(axis=0)
    scale = np.where(spread > 0, 1 / np.maximum(spread, 1e-12), 0.0)
    centred = (values - values.mean(axis=0)) * scale
    size, vectors = np.linalg.eigh(centred.T @ centred / len(values))
    kept = size > RIDGE / 10
    return np.asarray(scale[:, None] * vectors[:, kept] / np.sqrt(size[kept] + RIDGE))


def _unbiased(correlation: Array, features: int, people: int) -> Array:
    """Canonical correlations less what chance alone gives with so many features on so few people (Wherry 1931)."""
    chance = min(0.9, features / max(people, 1))
    shrunk = np.maximum(correlation**2 - chance, 0.0) / (1 - chance)
    return np.asarray(np.minimum(np.sqrt(shrunk), MOST))


def _log_ratio(known: Array, sought: Array, correlation: Array) -> Array:
    weight = 1 / (1 - correlation**2)
    square = correlation**2 * weight
    own = (known**2 @ square)[None, :] + (sought**2 @ square)[:, None]
    return np.asarray((sought * (correlation * weight)) @ known.T - own / 2 + 0.5 * np.log(weight).sum())
