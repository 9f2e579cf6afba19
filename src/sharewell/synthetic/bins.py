"""Bins of a column for the model: values too few for their noise are taken together, and shared out by one table alone.

Everything here looks at noisy counts only, and so costs no privacy.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from sharewell.stats.arrays import Array
from sharewell.synthetic.columns import ModelledColumn

MOST = 24  # bins of a column
CLEAR = 4.0  # standard deviations of the noise that a bin must have rows for


@dataclass(frozen=True, kw_only=True)
class Bins:
    """`of_leaf` is the bin of every leaf, `shares` how leaves share the rows of their bin."""

    of_leaf: Array
    counts: Array  # noisy, per bin
    leaves: Array  # how many, per bin
    shares: Array  # (bins, leaves)

    @property
    def size(self) -> int:
        return self.counts.size


def binned(column: ModelledColumn, noisy: Array, noise: float, *, rows: float, cuts: Sequence[float] = ()) -> Bins:
    """Put neighbouring numbers and rare categories together, missing cells apart."""
    enough = max(rows / MOST, CLEAR * noise)
    of_leaf = np.full(noisy.size, -1)
    ranges = _runs(column, noisy[: column.ordered], enough, CLEAR * noise, cuts)
    of_leaf[: column.ordered] = ranges
    rest = np.arange(column.ordered, noisy.size)
    of_leaf[rest] = _categories(column, noisy, rest, CLEAR * noise) + ranges.max(initial=-1) + 1
    of_leaf = np.unique(of_leaf, return_inverse=True)[1].reshape(-1)
    size = int(of_leaf.max()) + 1
    counts = np.bincount(of_leaf, weights=noisy, minlength=size)
    leaves = np.bincount(of_leaf, minlength=size)
    return Bins(of_leaf=of_leaf, counts=counts, leaves=leaves, shares=_shares(noisy, of_leaf, size, noise))


def _runs(column: ModelledColumn, noisy: Array, enough: float, clear: float, cuts: Sequence[float]) -> Array:
    """Numbers from low to high, until a bin has enough; listed ones that are clear of the noise stay alone."""
    found = np.empty(noisy.size, np.int64)
    number, inside = 0, 0.0
    for place, (leaf, count) in enumerate(zip(column.leaves, noisy, strict=False)):
        alone = not leaf.is_range and count >= max(clear, enough)
        if place and (alone or inside >= enough or leaf.low in cuts):
            number, inside = number + 1, 0.0
        found[place] = number
        inside += max(float(count), 0.0)
    return found


def _categories(column: ModelledColumn, noisy: Array, rest: Array, clear: float) -> Array:
    """Values that are clear of the noise stay alone; others go with their group, level by level, or with the rest."""
    found = np.full(rest.size, -1)
    apart = [(column.leaves[leaf].value is None and not column.leaves[leaf].rare) for leaf in rest]
    lone = (noisy[rest] >= clear) | np.array(apart, bool)
    found[lone] = np.arange(int(lone.sum()))
    number = int(lone.sum())
    for groups in column.parents:
        left = np.flatnonzero(found < 0)
        for group in np.unique(groups[rest[left]]) if left.size else ():
            inside = left[groups[rest[left]] == group]
            if group >= 0 and noisy[rest[inside]].sum() >= clear:
                found[inside], number = number, number + 1
    found[found < 0] = number
    return found


def _shares(noisy: Array, of_leaf: Array, size: int, noise: float) -> Array:
    """How the leaves of a bin share its rows: their noisy counts, drawn together as far as they scatter by noise."""
    made = np.zeros((size, noisy.size))
    for place in range(size):
        inside = np.flatnonzero(of_leaf == place)
        counts = noisy[inside]
        mean = max(float(counts.mean()), 1e-9)
        trust = max(0.0, 1 - noise**2 / max(float(counts.var()), 1e-9)) if inside.size > 1 else 1.0
        weights = np.maximum(mean + trust * (counts - mean), 0.0)
        made[place, inside] = weights / weights.sum() if weights.sum() > 0 else 1 / inside.size
    return made
