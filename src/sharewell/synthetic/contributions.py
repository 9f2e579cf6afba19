"""Histograms to which every student adds one in all, however many rows they have, and what noise leaves of them.

A student's one is split over cells in `UNIT` whole parts, so that exact discrete Gaussian noise can be added: with or
without the student, the cells differ by at most `UNIT` parts (L1, and so L2).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import prod

import numpy as np
from scipy.sparse import csr_matrix

from sharewell.stats.arrays import Array
from sharewell.synthetic import discrete_gaussian as exact
from sharewell.synthetic.zcdp import gaussian_rho

UNIT = 32
FINE = 2**16  # steps of a weight
SMOOTHED = 0.61  # of the noise is left by weights of 1/4, 1/2, 1/4
CLEAR = 0.4  # of the scatter of cells must be more than noise, or they are drawn together


@dataclass(frozen=True, kw_only=True, eq=False)
class Contributions:
    """What each student adds: `parts` is students × cells, in whole parts of `UNIT`."""

    name: str
    shape: tuple[int, ...]
    parts: csr_matrix
    ordered: bool = False  # cells are ranges in a row

    def of(self, member: Array) -> "Contributions":
        """The same for some students (a mask)."""
        return replace(self, parts=self.parts[np.flatnonzero(member)])


@dataclass(frozen=True, kw_only=True, eq=False)
class NoisyHistogram:
    """Counts in students, with noise of a known standard deviation."""

    counts: Array
    noise: float
    rho: float
    ordered: bool

    @cached_property
    def shares(self) -> Array:
        """Compute what is drawn from: the distribution nearest to the noisy counts.

        Ranges in a row are drawn to their neighbours.
        Of two columns: how they depend, as far as that is more than noise.
        """
        if self.counts.ndim == 2:
            rows, columns = (np.maximum(self.counts.sum(axis=axis), 1e-9) for axis in (1, 0))
            apart = np.outer(rows, columns) * max(float(self.counts.sum()), 1.0) / (rows.sum() * columns.sum())
            found = towards(self.counts, apart, self.noise) + 1e-6 * apart
            chances: Array = found / found.sum()
            return chances
        if not self.ordered:
            return _shares(self.counts, self.noise)
        wide = np.pad(self.counts, 1, mode="edge")
        return _shares(wide[:-2] / 4 + wide[1:-1] / 2 + wide[2:] / 4, self.noise * SMOOTHED)

    @property
    def given_first(self) -> Array:
        """The chance of every column given the row."""
        chances: Array = self.shares / self.shares.sum(axis=1, keepdims=True)
        return chances


def _shares(counts: Array, noise: float) -> Array:
    """The nearest distribution; an even one as far as cells scatter by noise alone."""
    size, total = counts.size, max(float(counts.sum()), 1.0)
    off = counts - total / size
    trust = max(0.0, 1 - noise**2 * size / max(float((off**2).sum()), 1e-9))
    found = on_simplex(counts, total) if trust > CLEAR else towards(counts, np.full(size, total / size), noise)
    chances: Array = (found + 1e-9 * total) / (found + 1e-9 * total).sum()
    return chances


def on_simplex(counts: Array, total: float) -> Array:
    """The nearest counts of this total without a negative one (Duchi et al. 2008)."""
    falling = np.sort(counts)[::-1]
    over = (np.cumsum(falling) - total) / np.arange(1, counts.size + 1)
    found: Array = np.maximum(counts - over[np.flatnonzero(falling > over)[-1]], 0.0)
    return found


def towards(counts: Array, expected: Array, noise: float) -> Array:
    """Shrink counts to what is expected as far as they scatter by noise.

    James and Stein (1961)."""
    off = counts - expected
    trust = max(0.0, 1 - noise**2 * off.size / max(float((off**2).sum()), 1e-9))
    found: Array = np.maximum(expected + trust * off, 0.0)
    return found if found.sum() > 0 else np.ones_like(found)


def contributions(
    name: str, shape: Sequence[int], student: Array, cells: Sequence[Array], students: int,
    *, weight: Array | None = None, ordered: bool = False,
) -> Contributions:  # fmt: skip
    """Split the one of every student over their rows, evenly or by `weight`."""
    place = np.ravel_multi_index([np.asarray(one, np.int64) for one in cells], tuple(shape))
    of_row = np.ones(student.size) if weight is None else weight
    table = csr_matrix((of_row.astype(float), (student, place)), shape=(students, prod(shape)))
    table.data = _whole_parts(table)
    table.eliminate_zeros()
    return Contributions(name=name, shape=tuple(shape), parts=table, ordered=ordered)


def _whole_parts(table: csr_matrix) -> Array:
    """Round every row to `UNIT` parts: where its running sum passes a whole number, from a start of its own.

    Whole numbers and the row's own cells alone decide: no student moves what another adds.
    """
    rows = np.repeat(np.arange(table.shape[0]), np.diff(table.indptr))
    before = np.concatenate([[0], np.cumsum(np.rint(table.data * FINE).astype(np.int64))])
    total = (before[table.indptr[1:]] - before[table.indptr[:-1]])[rows]
    within = before[1:] - before[table.indptr[rows]]  # up to and with this cell
    mixed = np.add.reduceat(table.indices.astype(np.int64) * 40_503 + 1, table.indptr[:-1][np.diff(table.indptr) > 0])
    start = np.repeat(mixed % 65_536 / 65_536, np.diff(table.indptr)[np.diff(table.indptr) > 0])
    upto = np.floor(within / total * UNIT + start).astype(np.int64)
    found = np.diff(upto, prepend=0)
    first = np.flatnonzero(np.diff(rows, prepend=-1))
    found[first] = upto[first]
    return found


def measure(one: Contributions, rho: float, generator: np.random.Generator) -> NoisyHistogram:
    """Sum up the parts of all students and add noise that costs ρ."""
    variance = exact.variance_of(UNIT**2 / (2 * rho))
    total = np.asarray(one.parts.sum(axis=0)).ravel()
    noisy = (total + exact.discrete_gaussian(variance, total.size, generator)) / UNIT
    return NoisyHistogram(
        counts=noisy.reshape(one.shape),
        noise=variance**0.5 / UNIT,
        rho=gaussian_rho(variance, sensitivity=UNIT),
        ordered=one.ordered,
    )


def statement(learnt: Mapping[str, NoisyHistogram]) -> list[dict[str, object]]:
    """What each histogram cost, for the promise."""
    return [
        {"what": "histogram", "columns": [name], "rho": one.rho, "noise": one.noise} for name, one in learnt.items()
    ]
