"""Further columns of a log: categories given the item or the student, response times, attempt numbers, numbers of rows.

A column that never changes within a student (a class, a school) is drawn once for every invented student; any other
is drawn given the item. Either way only what at least m students showed.
"""

from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from sharewell.errors import InputError
from sharewell.responses.log import Log
from sharewell.responses.steps_taken import tally
from sharewell.stats.arrays import Array
from sharewell.stats.compiled import njit

CLASS = 0.25  # width of a class of response times, in the logarithm
DIGITS = 3  # decimals of a drawn response time


@dataclass(frozen=True, kw_only=True)
class GivenItem:
    """Categories given the item: row i holds what at least m students showed on item i; row n, over all items."""

    values: pa.Array
    starts: Array
    codes: Array
    chances: Array

    def draw(self, item: Array, lengths: Array, generator: np.random.Generator) -> pa.Array:
        return self.values.take(pa.array(_pick(item, self.starts, self.codes, self.chances, generator)))


@dataclass(frozen=True, kw_only=True)
class GivenStudent:
    """Categories of students, one for all rows of an invented student."""

    values: pa.Array
    cumulative: Array

    def draw(self, item: Array, lengths: Array, generator: np.random.Generator) -> pa.Array:
        drawn = np.searchsorted(self.cumulative, generator.random(lengths.size), side="right")
        return self.values.take(pa.array(np.repeat(drawn.clip(max=len(self.values) - 1), lengths)))


@dataclass(frozen=True, kw_only=True)
class RowNumbers:
    """A number of its own for every row; the pipeline turns it into a pseudonym."""

    def draw(self, item: Array, lengths: Array, generator: np.random.Generator) -> pa.Array:
        return pa.array(generator.integers(0, np.iinfo(np.int64).max, item.size))


OtherColumn = GivenItem | GivenStudent | RowNumbers


def fit_other(log: Log, values: pa.Array, codes: Array, *, m: int, column: str) -> OtherColumn:
    same = codes == np.repeat(codes[log.bounds[:-1]], log.lengths)
    if not same.all() or log.rows == log.lengths.size:
        return fit_given_item(log, values, codes, m=m, column=column)
    students = np.bincount(codes[log.bounds[:-1]], minlength=len(values))
    common = np.flatnonzero(students >= m)
    if not common.size:
        raise InputError(_nothing_shared(m), column=column)
    return GivenStudent(
        values=values.take(pa.array(common)), cumulative=np.cumsum(students[common]) / students[common].sum()
    )


def fit_ids(log: Log, values: pa.Array, codes: Array, *, m: int, column: str) -> OtherColumn:
    """Numbers that students share (an assignment, a class) like further columns; others belong to a row each."""
    students = tally(codes.astype(np.int64), log.student.astype(np.int64))[2]
    if (students < m).all():
        return RowNumbers()
    return fit_other(log, values, codes, m=m, column=column)


def _nothing_shared(m: int) -> str:
    return f"no value is shared by {m} students, so that none can be passed on; give the column the role 'drop'"


def fit_given_item(log: Log, values: pa.Array, codes: Array, *, m: int, column: str) -> GivenItem:
    """Frequencies of a column given the item; an item on which m students share nothing takes those of all items."""
    items, width = len(log.items), len(values)
    everywhere = np.full(codes.size, items, dtype=np.int64)
    rows = np.concatenate([log.item.astype(np.int64), everywhere])
    student = np.tile(log.student.astype(np.int64), 2)
    found, times, students = tally(rows * width + np.tile(codes, 2), student)
    common = students >= m
    if not common[found // width == items].any():
        raise InputError(_nothing_shared(m), column=column)
    kept, times = found[common], times[common]
    row = kept // width
    starts = np.concatenate([[0], np.cumsum(np.bincount(row, minlength=items + 1))])
    total = np.bincount(row, weights=times, minlength=items + 1)
    running = np.cumsum(times / total[row])
    before = np.concatenate([[0.0], running])[starts[:-1]]
    shared, codes = np.unique(kept % width, return_inverse=True)  # a rare value is not even remembered
    return GivenItem(values=values.take(pa.array(shared)), starts=starts, codes=codes, chances=running - before[row])


@dataclass(frozen=True, kw_only=True)
class Durations:
    """Response times given the item: a logarithmic class that at least m students showed, evenly within it."""

    classes: GivenItem

    def draw(self, item: Array, lengths: Array, generator: np.random.Generator) -> pa.Array:
        place = np.asarray(self.classes.draw(item, lengths, generator)) + generator.random(item.size)
        return pa.array(np.round(np.expm1(place * CLASS), DIGITS))


def fit_durations(log: Log, *, m: int, column: str) -> Durations:
    assert log.duration is not None
    if (log.duration < 0).any():
        raise InputError("a response time is negative; correct it or drop the row", column=column)
    classes, codes = np.unique(np.floor(np.log1p(log.duration) / CLASS).astype(np.int64), return_inverse=True)
    return Durations(classes=fit_given_item(log, pa.array(classes), codes, m=m, column=column))


@njit(cache=True)
def _pick(
    item: Array,
    starts: Array,
    codes: Array,
    chances: Array,
    generator: np.random.Generator,
) -> Array:
    out = np.empty(item.size, dtype=np.int64)
    for place in range(item.size):
        row = item[place]
        if starts[row] == starts[row + 1]:
            row = starts.size - 2
        low, high = starts[row], starts[row + 1]
        draw = generator.random() * chances[high - 1]
        while low < high - 1 and chances[low] <= draw:
            low += 1
        out[place] = codes[low]
    return out


@njit(cache=True)
def attempt_numbers(item: Array, lengths: Array, items: int) -> Array:
    """1 for a student's first row on an item, 2 for the second …"""
    out = np.empty(item.size, dtype=np.int64)
    seen = np.zeros(items, dtype=np.int64)
    place = 0
    for student in range(lengths.size):
        begun = place
        for _ in range(lengths[student]):
            seen[item[place]] += 1
            out[place] = seen[item[place]]
            place += 1
        for back in range(begun, place):
            seen[item[back]] = 0
    return out
