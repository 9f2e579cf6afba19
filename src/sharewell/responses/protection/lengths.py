"""How many rows an invented student has: lengths that stand out, or classes of lengths that m students share.

An exam of eight questions has eight rows for everybody; a chain that ends by chance would make it three or forty.
Classes lie on a grid that does not depend on the students: borders that do would disclose how many lie between them,
whatever noise the counts carry.
"""

from dataclasses import dataclass

import numpy as np
from scipy.special import ndtr

from sharewell.stats.arrays import Array
from sharewell.stats.noise import noisy_counts

GROWTH = 1.25  # of the classes of the grid
EDGE_NOISE = 0.25  # of the noise on counts of lengths: where lengths end is one number
CURVE_NOISE = 0.25  # of the same noise, on the mean and the width of all lengths
AWAY = 0.5  # of what the curve expects: by how much a class differs from it, about
LEAST_WIDTH = 0.05  # of the curve
STANDS_OUT = 1.5  # times what a length would have if those of its class were spread evenly


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
    """Counts of lengths that stand out and of classes of the others; noise of c standard errors on every count."""
    reached = int(np.sort(lengths)[-min(m, lengths.size)])  # nobody is longer than what m students reached
    most = reached if longest is None else min(reached, longest)
    students = np.bincount(lengths[lengths <= most], minlength=most + 1)  # cut off there, all would end and show it
    grid = np.append(_grid(most), most + 1)
    own = np.flatnonzero(_standing_out(students, grid, m=m, c=c, generator=generator))
    if c > 0:
        most = max(_last_border(lengths, grid[:-1], m=m, c=c, generator=generator), int(own.max(initial=0)))
        students, grid = students[: most + 1], np.append(grid[grid <= most], most + 1)
    others = students.copy()
    others[own] = 0
    rest = np.add.reduceat(others, grid[:-1])
    noisy = noisy_counts(students[own], np.sqrt(students[own]), c=c, generator=generator)
    low, high, counts = _merged(grid, _as_usual(grid, others, rest, c=c, generator=generator), rest, m)
    chances = np.concatenate([np.maximum(noisy, 1.0), np.maximum(counts, 1.0)])
    if not chances.size:
        middle = np.array([max(1, min(int(np.median(lengths)), most))])
        return Lengths(low=middle, high=middle, cumulative=np.ones(1))
    return Lengths(
        low=np.concatenate([own, low]),
        high=np.concatenate([own, high]),
        cumulative=np.cumsum(chances) / chances.sum(),
    )


def _as_usual(grid: Array, others: Array, rest: Array, *, c: float, generator: np.random.Generator) -> Array:
    """Counts of classes with noise, drawn towards those of a normal curve over the logarithm of lengths.

    The mean and the width of the curve are two numbers, and carry little of the noise.
    """
    noisy = noisy_counts(rest, np.sqrt(rest), c=c, generator=generator)
    total = int(rest.sum())
    if c == 0 or total < 2:
        return noisy
    place = np.log(np.arange(1, others.size))
    mean = float(np.average(place, weights=others[1:]))
    width = max(float(np.sqrt(np.average((place - mean) ** 2, weights=others[1:]))), LEAST_WIDTH)
    off = CURVE_NOISE * c / np.sqrt(total) * generator.standard_normal(2)
    mean, width = mean + width * float(off[0]), width * float(np.exp(off[1] / np.sqrt(2)))
    shares = np.diff(ndtr((np.log(grid - 0.5) - mean) / width))
    expected = total * shares / max(float(shares.sum()), LEAST_WIDTH)
    trust = np.divide(
        (AWAY * expected) ** 2, (AWAY * expected) ** 2 + c**2 * rest, where=rest > 0, out=np.zeros(rest.size)
    )
    found: Array = np.where(rest > 0, expected + trust * (noisy - expected), 0.0)
    return found


def _grid(most: int) -> Array:
    """Where the classes begin, from one row to `most`."""
    powers = GROWTH ** np.arange(int(np.log(most) / np.log(GROWTH)) + 1)
    found: Array = np.unique(np.ceil(powers).astype(np.int64))
    return found[found <= most]


def _last_border(lengths: Array, grid: Array, *, m: int, c: float, generator: np.random.Generator) -> int:
    """The last border of the grid that m students reached, with noise that is never in its favour.

    The length of the m-th longest log itself would be one student's own number.
    """
    above = lengths.size - np.searchsorted(np.sort(lengths), grid)
    noisy = above - EDGE_NOISE * c * np.sqrt(above) * np.abs(generator.standard_normal(grid.size))
    holds = grid[noisy >= m]
    return int(holds.max(initial=grid[0]))


def _standing_out(students: Array, grid: Array, *, m: int, c: float, generator: np.random.Generator) -> Array:
    """Lengths that m students share and that are far commoner than the others of their class.

    The noise is that of a share of the class: where everybody has the same length there is none, and nothing to hide.
    """
    place = np.searchsorted(grid, np.arange(students.size), side="right") - 1
    place = np.maximum(place, 0)
    together, width = np.add.reduceat(students, grid[:-1])[place], np.diff(grid)[place]
    share = students / np.maximum(together, 1)
    error = np.sqrt(share * (1 - share) / np.maximum(together, 1))
    noisy = share + c * error * generator.standard_normal(students.size)
    found: Array = (students >= m) & (noisy >= np.minimum(STANDS_OUT / width, 1.0))
    return found


def _merged(grid: Array, noisy: Array, rest: Array, m: int) -> tuple[Array, Array, Array]:
    """Neighbouring classes together until m students are in each; what is left over at the end joins the last."""
    low: list[int] = []
    high: list[int] = []
    counts: list[float] = []
    begun, sure, total = int(grid[0]), 0, 0.0
    for place in range(noisy.size):
        begun = begun if sure else int(grid[place])
        sure, total = sure + int(rest[place]), total + float(noisy[place])
        if sure >= m and total >= m:
            low, high, counts = [*low, begun], [*high, int(grid[place + 1]) - 1], [*counts, total]
            sure, total = 0, 0.0
    if sure and low:
        high[-1], counts[-1] = int(grid[-1]) - 1, counts[-1] + total
    return np.array(low, dtype=np.int64), np.array(high, dtype=np.int64), np.array(counts)
