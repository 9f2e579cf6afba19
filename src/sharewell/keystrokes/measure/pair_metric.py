"""A metric learnt on other typists: how two samples of one person go together, against two of different people.

Both samples are vectors. Their joint covariance is learnt on other people than those who are scored with it:
log N([x, y]; 0, joint) − log N(x) − log N(y), the two-covariance model (Sizov, Lee and Kinnunen 2014,
eq. 12) with a covariance of its own for each sample, because one of them may be protected and the other not. In
canonical variates, with correlation ρ, each adds −½ log(1 − ρ²) − (ρ²(u² + v²) − 2ρuv) / (2(1 − ρ²)).
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from sharewell.keystrokes.arrays import Array
from sharewell.keystrokes.measure.other_typists import lessons

RIDGE = 0.05  # of the variance: keeps features apart that few people differ on
ROUNDING = 1e-20  # a variance this small is that of a constant
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
    near, far = (one - one.mean(axis=0) for one in (pairs.near, pairs.far))  # sums of squares then lose no digits
    pairs = Pairs(near=near, far=far, pair=pairs.pair)
    every = list(lessons(pairs.pair[rows], len(pairs.near), seed))
    teach = np.array([one.teaches[pairs.pair] for one in every], dtype=float)
    every = [one for one, people in zip(every, teach, strict=True) if people.sum() > 2]
    if every:
        for lesson, metric in zip(every, _learnt(pairs, teach[teach.sum(axis=1) > 2]), strict=True):
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


def _learnt(pairs: Pairs, teach: Array) -> Iterator[_Metric]:
    """One metric for each row of `teach`, which says who of the pairs teaches it: all are learnt at once."""
    near, far = pairs.near[pairs.pair], pairs.far
    people = teach.sum(axis=1)
    means = [teach @ one / people[:, None] for one in (near, far)]
    (first, used), (second, _) = (_whitening(one, teach, mean) for one, mean in zip((near, far), means, strict=True))
    u, correlation, v = np.linalg.svd(first.transpose(0, 2, 1) @ _covariance(near, far, teach, means) @ second)
    size = correlation.shape[1]
    for place in range(len(teach)):
        yield _Metric(
            means=(means[0][place], means[1][place]),
            turns=(first[place] @ u[place][:, :size], second[place] @ v[place][:size].T),
            correlation=_unbiased(correlation[place], int(used[place]), int(people[place])),
        )


def _covariance(one: Array, other: Array, teach: Array, means: Sequence[Array]) -> Array:
    """Lessons × features × features, from sums of products over those who teach."""
    people, width = teach.sum(axis=1)[:, None, None], other.shape[1]
    products = (one[:, :, None] * other[:, None, :]).reshape(len(one), -1)
    return np.asarray(
        (teach @ products).reshape(len(teach), -1, width) / people - means[0][:, :, None] * means[1][:, None, :]
    )


def _whitening(values: Array, teach: Array, mean: Array) -> tuple[Array, Array]:
    """Turns samples into uncorrelated variates of variance one, and how many; directions that hardly vary are zero."""
    covariance = _covariance(values, values, teach, (mean, mean))
    variance = np.maximum(np.diagonal(covariance, axis1=1, axis2=2), 0.0)
    scale = np.where(variance > ROUNDING, 1 / np.sqrt(np.maximum(variance, ROUNDING)), 0.0)
    size, vectors = np.linalg.eigh(scale[:, :, None] * covariance * scale[:, None, :])
    kept = size > RIDGE / 10
    weight = np.where(kept, 1 / np.sqrt(np.maximum(size, 0.0) + RIDGE), 0.0)
    return scale[:, :, None] * vectors * weight[:, None, :], kept.sum(axis=1)


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
