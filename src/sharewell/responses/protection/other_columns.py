"""Further columns of a log: categories given the item or the student, response times, attempt numbers, numbers of rows.

A column that never changes within a student (a class, a school) is drawn once for every invented student; any other
is drawn given the item. Either way only what at least m students showed.

All of it is averages over the students learnt from, and very many: as many as an item has values, for every item. So
each carries noise, the more the more there are for each item, and is then drawn towards what holds for all items;
where students are few next to nothing of the single item is left. Of response times an item has one number, its mean:
how times scatter around it is counted over all items together.
"""

from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from sharewell.errors import InputError
from sharewell.responses.log import Log
from sharewell.responses.protection.items_left_out import stay_away
from sharewell.responses.protection.markov_chain import Noise
from sharewell.responses.protection.times import Histogram, classes
from sharewell.responses.steps_taken import tally, times_squared
from sharewell.stats.arrays import Array
from sharewell.stats.noise import blurred, share_errors

CLASS = 0.25  # width of a class of response times, in the logarithm
FURTHER_NOISE = 4.0  # standard errors on what belongs to further columns, for each on answers
SHOWN_NOISE = 2.0  # the same on which values come at all: beside items these are many more
USUAL = 0.7  # by which logarithms of shares and of response times differ, about
DIGITS = 3  # decimals of a drawn response time


@dataclass(frozen=True, kw_only=True)
class GivenItem:
    """Categories given the item: row i holds what at least m students showed on item i; row n, over all items."""

    values: pa.Array
    starts: Array
    codes: Array
    chances: Array

    def draw(self, item: Array, lengths: Array, generator: np.random.Generator) -> pa.Array:
        empty = self.starts[item] == self.starts[item + 1]
        row = np.where(empty, self.starts.size - 2, item)
        rising = np.repeat(np.arange(self.starts.size - 1), np.diff(self.starts)) + self.chances
        most = self.chances[self.starts[row + 1] - 1]
        place = np.searchsorted(rising, row + generator.random(item.size) * most, side="right")
        return self.values.take(pa.array(self.codes[np.minimum(place, self.starts[row + 1] - 1)]))


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


@dataclass(frozen=True)
class Guard:
    """What protects a column: students who share each value, and noise on how often it comes."""

    m: int
    c: float  # standard errors on answers
    generator: np.random.Generator

    def shown(self, students: Array, people: int) -> Array:
        """Which values come at all: those that m students share, and with noise some with little more do not."""
        found: Array = students >= self.m
        if self.c and found.any():
            found[found] = ~stay_away(
                students[found], self.m, c=SHOWN_NOISE * self.c, people=people, generator=self.generator
            )
        return found

    def noisy(self, value: Array, error: Array, *, numbers: float = 1.0) -> Array:
        """Values with noise, drawn towards their mean; `numbers` is how many of them there are for each item."""
        c = FURTHER_NOISE * self.c * float(np.sqrt(max(1.0, numbers)))
        return blurred(value, error, group=None, c=c, generator=self.generator, usual=USUAL)


def fit_other(log: Log, values: pa.Array, codes: Array, *, guard: Guard, column: str) -> OtherColumn:
    same = codes == np.repeat(codes[log.bounds[:-1]], log.lengths)
    if not same.all() or log.rows == log.lengths.size:
        return fit_given_item(log, values, codes, guard=guard, column=column)
    students = np.bincount(codes[log.bounds[:-1]], minlength=len(values))
    common = np.flatnonzero(guard.shown(students, log.lengths.size))
    if not common.size:
        raise InputError(_nothing_shared(guard.m), column=column)
    share = np.exp(guard.noisy(np.log(students[common]), 1 / np.sqrt(students[common])))
    return GivenStudent(values=values.take(pa.array(common)), cumulative=np.cumsum(share) / share.sum())


def fit_ids(log: Log, values: pa.Array, codes: Array, *, guard: Guard, column: str) -> OtherColumn:
    """Numbers that students share (an assignment, a class) like further columns; others belong to a row each."""
    students = tally(codes.astype(np.int64), log.student.astype(np.int64))[2]
    if (students < guard.m).all():
        return RowNumbers()
    return fit_other(log, values, codes, guard=guard, column=column)


def _nothing_shared(m: int) -> str:
    return f"no value is shared by {m} students, so that none can be passed on; give the column the role 'drop'"


def fit_given_item(log: Log, values: pa.Array, codes: Array, *, guard: Guard, column: str) -> GivenItem:
    """Frequencies of a column given the item; an item on which m students share nothing takes those of all items."""
    items, width = len(log.items), len(values)
    usual = _usual_shares(log, codes.astype(np.int64), width, guard)
    shared = np.flatnonzero(usual)  # a rare value is not even remembered
    if not shared.size:
        raise InputError(_nothing_shared(guard.m), column=column)
    cell, times = _given_items(log, codes, usual, guard)
    row = np.concatenate([cell // width, np.full(shared.size, items)])
    times = np.concatenate([times, usual[shared]])
    starts = np.concatenate([[0], np.cumsum(np.bincount(row, minlength=items + 1))])
    running = np.cumsum(times / np.bincount(row, weights=times, minlength=items + 1)[row])
    before = np.concatenate([[0.0], running])[starts[:-1]]
    place = np.searchsorted(shared, np.concatenate([cell % width, shared]))
    return GivenItem(values=values.take(pa.array(shared)), starts=starts, codes=place, chances=running - before[row])


def _usual_shares(log: Log, codes: Array, width: int, guard: Guard) -> Array:
    """The share of every value over all items, with noise; nothing for those that are not shown."""
    found, times, students = tally(codes, log.student.astype(np.int64))
    shown = guard.shown(students, log.lengths.size)
    error = np.sqrt(times_squared(codes, log.student.astype(np.int64))) / times
    share, numbers = np.zeros(width), shown.sum() / np.unique(log.item).size
    share[found[shown]] = np.exp(guard.noisy(np.log(times[shown] / log.rows), error[shown], numbers=numbers))
    return share


def _given_items(log: Log, codes: Array, usual: Array, guard: Guard) -> tuple[Array, Array]:
    """Items with values (as one number each) and their shares: by how much they differ from the usual ones, noisily."""
    keys, student = log.item.astype(np.int64) * usual.size + codes, log.student.astype(np.int64)
    found, times, students = tally(keys, student)
    shown = guard.shown(students, log.lengths.size) & (usual[found % usual.size] > 0)
    error = (np.sqrt(times_squared(keys, student)) / times)[shown]
    cell, beside = found[shown], usual[found[shown] % usual.size]
    of_item = times[shown] / np.bincount(log.item)[cell // usual.size]
    numbers = cell.size / max(1, np.unique(cell // usual.size).size)
    return cell, beside * np.exp(guard.noisy(np.log(of_item / beside), error, numbers=numbers))


@dataclass(frozen=True, kw_only=True)
class Durations:
    """Response times: the mean of every item in the logarithm, and classes of how far rows lie from it."""

    centre: Array
    around: Histogram

    def draw(self, item: Array, lengths: Array, generator: np.random.Generator) -> pa.Array:
        place = self.centre[item] + self.around.draw(item.size, generator)
        return pa.array(np.round(np.expm1(np.maximum(place, 0.0)), DIGITS))


def fit_durations(log: Log, *, guard: Guard, column: str) -> Durations:
    assert log.duration is not None
    if (log.duration < 0).any():
        raise InputError("a response time is negative; correct it or drop the row", column=column)
    place, trials = np.log1p(log.duration), np.bincount(log.item, minlength=len(log.items))
    centre = np.bincount(log.item, weights=place, minlength=trials.size) / np.maximum(trials, 1)
    away = place - centre[log.item]
    error = np.where(trials > 0, share_errors(log.item, away, log.student, trials), 0.0)
    around = classes(away, log.student, guard.m, width=CLASS, noise=Noise(FURTHER_NOISE * guard.c, guard.generator))
    return Durations(centre=guard.noisy(centre, error), around=around)
