"""Count the values of further columns as an attacker does, in total and per item.

Response times count in classes. Numbers that the pipeline replaces by pseudonyms later (assignments, classes) are
looked at as they were drawn: how often each comes may give back which is which.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pyarrow as pa

from sharewell.responses.log import Log
from sharewell.responses.steps_taken import is_among, tally
from sharewell.stats.arrays import Array

CLASS = 0.25  # width of a class of response times, in the logarithm
RESPONSE_TIME = ""  # no column has this name


@dataclass(frozen=True)
class Counted:
    """Rows, once for every column: the cell (-1 where the population has none such), what it is a share of, and who."""

    cell: Array
    base: Array
    student: Array


@dataclass(frozen=True)
class FurtherCells:
    """The cells of a population: a column, an item or none, and a value."""

    log: Log

    @cached_property
    def values(self) -> Mapping[str, pa.Array]:
        """The values of every column in which students share any: numbers of single rows are drawn afresh."""
        student = self.log.student.astype(np.int64)
        return {
            name: values
            for name, (values, codes) in _categories(self.log).items()
            if tally(codes.astype(np.int64), student)[2].max(initial=0) > 1
        }

    @cached_property
    def known(self) -> dict[bool, Array]:
        """The cells that somebody has, sorted, of single items and over all."""
        return {by_item: np.unique(self._keys(self.log, by_item=by_item)[0]) for by_item in (True, False)}

    def counted(self, log: Log, *, by_item: bool) -> Counted:
        """The rows of a log in the cells of the population."""
        keys, base, student = self._keys(log, by_item=by_item)
        known = self.known[by_item]
        cell = np.where(is_among(keys, known), np.searchsorted(known, keys), -1)
        return Counted(cell, base, student)

    def column_of(self, base: Array, *, by_item: bool) -> Array:
        """The column that a base belongs to, as a number."""
        found: Array = base // len(self.log.items) if by_item else base
        return found

    def _keys(self, log: Log, *, by_item: bool) -> tuple[Array, Array, Array]:
        """Cell, base and student of all rows; a value that the population lacks has a negative cell."""
        items, widest = len(self.log.items), max(len(values) for values in self.values.values())
        inside, theirs = log.item < items, _categories(log)
        student, item = log.student[inside].astype(np.int64), log.item[inside].astype(np.int64)
        keys, bases, students = [], [], []
        for place, (name, values) in enumerate(self.values.items()):
            if name in theirs:
                code = _recoded(*theirs[name], values)[inside]
                base = place * items + item if by_item else np.full(item.size, place)
                keys.append(np.where(code < 0, -1, base * widest + code))
                bases.append(base)
                students.append(student)
        none = np.zeros(0, dtype=np.int64)
        return np.concatenate([none, *keys]), np.concatenate([none, *bases]), np.concatenate([none, *students])


def _categories(log: Log) -> dict[str, tuple[pa.Array, Array]]:
    """Values and codes of every further column, response times in classes."""
    found = dict(log.further)
    if log.duration is not None:
        place = np.floor(np.log1p(np.maximum(log.duration, 0.0)) / CLASS).astype(np.int64)
        classes, codes = np.unique(place, return_inverse=True)
        found[RESPONSE_TIME] = (pa.array(classes), codes)
    return found


def _recoded(values: pa.Array, codes: Array, target: pa.Array) -> Array:
    """Codes of the same values in `target`, -1 where it lacks them; numbers drawn afresh need not be of its type."""
    place = pa.compute.index_in(values.cast(pa.string()), value_set=target.cast(pa.string()))
    found: Array = np.asarray(place.fill_null(-1)).astype(np.int64)[codes]
    return found
