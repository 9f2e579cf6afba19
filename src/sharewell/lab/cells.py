"""Cells: whatever can be counted student by student, as totals that a recipient adds up again in a release.

A kind says which cell every event, row or student falls into, group by group; each total is then a linear measurement
of who was counted (`lab.tracing`), and the same counts give the log density ratio of every student.
"""

from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_matrix

from sharewell.lab.tracing import Averages, Observed
from sharewell.stats.arrays import Array

SIZES = (2, 3, 5, 8, 12, 20, 40, 80, 160, 640)  # students behind an average: those between two of these are alike
SMALL = 1.0  # counts added: what the release lacks is not impossible


@dataclass(frozen=True)
class CountedCells:
    """One group of cells of a population: sorted codes, students × codes, and the share of each code."""

    codes: Array
    table: csr_matrix
    averages: Averages

    def of(self, student: Array, code: Array, students: int) -> csr_matrix:
        """Count the cells of another log in the codes of this one; others are left out."""
        place, known = self._places(code)
        return _table(student[known], place[known], (students, self.codes.size))

    def totals(self, code: Array) -> Array:
        """Count how often the cells of this one occur among others."""
        place, known = self._places(code)
        return np.bincount(place[known], minlength=self.codes.size)

    def observed(self, totals: Array, every: int) -> Observed:
        """Compare the shares of a release, which has `every` cells in all, with those of the population."""
        share = self.averages.share
        floor = 0.5 / max(float(self.table.sum()), 1.0)
        plain = np.clip(share, floor, 1 - floor)
        return Observed(change=totals / max(every, 1) - share, size=every / (plain * (1 - plain)))

    def density(self, totals: Array) -> Array:
        """Compute the log density ratio of every student, released to population (DOMIAS, van Breugel et al. 2023)."""
        own = np.asarray(self.table.sum(axis=0)).ravel()
        theirs = (totals + SMALL) / (totals.sum() + SMALL * totals.size)
        ours = (own + SMALL) / (own.sum() + SMALL * own.size)
        return np.asarray(self.table @ np.log(theirs / ours))

    def _places(self, code: Array) -> tuple[Array, Array]:
        place = np.minimum(np.searchsorted(self.codes, code), self.codes.size - 1)
        return place, self.codes[place] == code


def count_cells(student: Array, code: Array, students: int, *, share: float) -> CountedCells:
    """Count the cells of a population of whom `share` are in a release."""
    codes, place = np.unique(code, return_inverse=True)
    table = _table(student, place.reshape(-1), (students, codes.size))
    totals = np.asarray(table.sum(axis=0)).ravel()
    every = float(totals.sum())
    averages = Averages(
        counts=csr_matrix(table.T),
        base=csr_matrix(np.asarray(table.sum(axis=1)).reshape(1, -1)),
        over=np.zeros(codes.size, dtype=np.int64),
        share=totals / every,
        scale=np.full(codes.size, 1 / (share * every)),
        family=family_of(np.bincount(table.indices, minlength=codes.size)),
    )
    return CountedCells(codes, table, averages)


def family_of(students: Array) -> Array:
    """Number the class of averages that about as many students are behind."""
    found: Array = np.searchsorted(SIZES, students, side="right")
    return found


def _table(student: Array, place: Array, shape: tuple[int, int]) -> csr_matrix:
    table = csr_matrix((np.ones(place.size), (student, place)), shape=shape)
    table.sum_duplicates()
    return table
