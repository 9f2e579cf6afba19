"""How many rows an invented student has: lengths that m students share, or classes of lengths that they do.

An exam of eight questions has eight rows for everybody; a chain that ends by chance would make it three or forty.
"""

from dataclasses import dataclass

import numpy as np

from sharewell.stats.arrays import Array
from sharewell.stats.noise import level_counts


@dataclass(frozen=True, kw_only=True)
class Lengths:
    """Classes from `low` to `high` rows, both included, with cumulative chances."""

    low: Array
    high: Array
    cumulative: Array

    @property
    def longest(self) -> int:
        return int(self.high.max())

    def draw(self, students: int, generator: np.random.Generator) -> Array:
        """Evenly within a class."""
        place = np.searchsorted(self.cumulative, generator.random(students), side="right")
        place = np.minimum(place, self.cumulative.size - 1)
        low, high = self.low[place], self.high[place]
        found: Array = low + (generator.random(students) * (high - low + 1)).astype(np.int64)
        return found


def fit_lengths(
    lengths: Array, *, m: int, longest: int | None, c: float = 0.0, generator: np.random.Generator
) -> Lengths:
    """Counts of shared lengths and of classes of the others; noise of c standard errors on every count."""
    reached = int(np.sort(lengths)[-min(m, lengths.size)])  # nobody is longer than what m students reached
    most = reached if longest is None else min(reached, longest)
    cut = lengths[lengths <= most]  # cut off at the longest, they would all end there, and show it
    students = np.bincount(cut)
    own = students[cut] >= m
    low, high, counts = _shared(students, m)
    classes = _classes(np.sort(cut[~own]), m)
    low, high, counts = (np.concatenate([one, other]) for one, other in zip((low, high, counts), classes, strict=True))
    if not counts.size:
        middle = np.array([max(1, min(int(np.median(lengths)), most))])
        return Lengths(low=middle, high=middle, cumulative=np.ones(1))
    noisy = level_counts(counts, c=c, generator=generator)
    return Lengths(low=low, high=high, cumulative=np.cumsum(noisy) / noisy.sum())


def _classes(lengths: Array, m: int) -> tuple[Array, Array, Array]:
    """Neighbouring lengths together until each class has m students; what is left over at the end joins the last."""
    ends = [place for place in range(1, lengths.size) if lengths[place] != lengths[place - 1]]
    firsts = [0]
    for place in ends:
        if place - firsts[-1] >= m:
            firsts.append(place)
    if len(firsts) > 1 and lengths.size - firsts[-1] < m:
        firsts.pop()
    if lengths.size < m:
        firsts = []
    bounds = np.array([*firsts, lengths.size])
    return lengths[bounds[:-1]], lengths[bounds[1:] - 1], np.diff(bounds)


def _shared(students: Array, m: int) -> tuple[Array, Array, Array]:
    exact = np.flatnonzero(students >= m)
    return exact, exact.copy(), students[exact]
