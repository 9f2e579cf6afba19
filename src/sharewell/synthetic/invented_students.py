"""Invented students of a practice copy, and what a file of it must be able to do."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Protocol

import numpy as np
import pyarrow as pa

from sharewell.stats.arrays import Array
from sharewell.synthetic.columns import Leaf, ModelledColumn, ReadColumn
from sharewell.synthetic.contributions import Contributions, NoisyHistogram

DAY, WEEK = 86_400, 7 * 86_400
MONDAY = 3 * DAY  # seconds after the start of 1970
STEPS = (0, 1, 2, *(base * 2**power for power in range(22) for base in (3, 4)))  # ranges of counts begin here


@dataclass(frozen=True, kw_only=True)
class Clock:
    """The weeks of a course that enough students were active in, counted from 1970."""

    first: int
    weeks: int

    def week(self, seconds: Array) -> Array:
        """The week of the course for every moment; what lies outside counts to its ends."""
        found: Array = np.clip(week_of(seconds) - self.first, 0, self.weeks - 1)
        return found

    @property
    def start(self) -> int:
        return self.first * WEEK - MONDAY


def week_of(seconds: Array) -> Array:
    """Weeks since 1970, from Monday to Sunday."""
    found: Array = (seconds + MONDAY) // WEEK
    return found


@dataclass(frozen=True, kw_only=True, eq=False)
class InventedStudents:
    """Students who do not exist: their ids, a leaf for every feature, their last week, and who draws the rest."""

    ids: pa.Array
    leaves: Mapping[str, Array]
    last: Array
    clock: Clock
    generator: np.random.Generator

    @property
    def size(self) -> int:
        return len(self.ids)

    def amount(self, name: str) -> Array:
        """A whole number in the range that was drawn for every student."""
        return amounts(self.leaves[name], self.generator)


def amounts(leaves: Array, generator: np.random.Generator) -> Array:
    """Whole numbers drawn inside the ranges of `count_column`."""
    ends = np.array(STEPS)
    found: Array = ends[leaves] + generator.integers(ends[leaves + 1] - ends[leaves])
    return found


class PracticeFile(Protocol):
    """One file of a practice copy: students' features, histograms to be learnt, and rows drawn from both.

    `students` are the ids in it; features and contributions are of all students of the course, `place` saying where
    each of its own stands among so many.
    """

    @property
    def students(self) -> Sequence[str]: ...

    def weeks(self) -> tuple[Array, Array]:
        """List students, by their codes here, and the weeks of their activity."""

    def lacking(self, place: Array, size: int) -> Array:
        """List students whom this file should have and has not."""

    def features(self, place: Array, size: int) -> list[ReadColumn]:
        """What the file says of every student, in few values."""

    def contributions(self, place: Array, size: int, clock: Clock) -> list[Contributions]:
        """What it says beyond that, as histograms."""

    def expand(self, cohort: InventedStudents, learnt: Mapping[str, NoisyHistogram]) -> pa.Table:
        """The file, invented."""


def count_column(name: str, counts: Array, *, fewest: int) -> ReadColumn:
    """Code counts in ranges that double every two steps.

    They end where enough students reach."""
    most = np.sort(counts)[-min(fewest, counts.size)]
    ends = [end for end in STEPS if end <= max(most, 1)]
    ends.append(STEPS[len(ends)])
    leaves = tuple(Leaf(low=float(low), high=float(high)) for low, high in pairwise(ends))
    codes = np.minimum(np.searchsorted(ends, counts, side="right") - 1, len(leaves) - 1)
    column = ModelledColumn(name=name, type=pa.int64(), leaves=leaves, ordered=len(leaves))
    return ReadColumn(column=column, codes=codes)


def for_everybody(read: ReadColumn, place: Array, size: int) -> ReadColumn:
    """Extend a column of some students to all: the others count as rare."""
    if np.unique(place).size == size:
        codes = np.empty(size, np.int64)
        codes[place] = read.codes
        return ReadColumn(column=read.column, codes=codes)
    column = with_rare(read.column)
    rare = next(number for number, leaf in enumerate(column.leaves) if leaf.rare)
    codes = np.full(size, rare)
    codes[place] = read.codes
    return ReadColumn(column=column, codes=codes)


def with_rare(column: ModelledColumn) -> ModelledColumn:
    """The column with a leaf for what is rare."""
    if any(leaf.rare for leaf in column.leaves):
        return column
    return replace(column, leaves=(*column.leaves, Leaf(rare=True)))
