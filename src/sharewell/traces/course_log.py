"""A log as a course: who did what when, event by event, with sessions. What invented students are learnt from.

Events are sorted by student and time. A token is one combination of the columns that an event carries; a stratum is one
combination of the columns that say the same in all rows of a student (an outcome, a course).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa
from ibis.expr.types import Table

from sharewell.data import engine
from sharewell.data.files import digest_of
from sharewell.data.formats.columns import number as number_in
from sharewell.traces.arrays import Array

SESSION_GAP = 30 * 60  # seconds without an event after which a new session begins
DAY, HOUR = 86_400, 3_600
Rows = list[tuple[Any, ...]]


@dataclass(frozen=True, kw_only=True)
class CourseColumns:
    """What each column is: `events` make a token, `fixed` a stratum, `numbers` are numbers of an event."""

    student: str
    at: str
    events: tuple[str, ...] = ()
    fixed: tuple[str, ...] = ()
    numbers: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class CourseLog:
    """`starts[s]:starts[s + 1]` are the events of student s; `second` counts from 1970."""

    ids: pa.Array
    starts: Array
    second: Array
    token: Array
    tokens: Rows
    stratum: Array  # per student
    strata: Rows
    numbers: Mapping[str, Array]

    @property
    def students(self) -> int:
        return len(self.starts) - 1

    def digest(self) -> str:
        """Equal only for the same events of the same students."""
        arrays = (self.ids, self.starts, self.second, self.token, self.stratum, *self.numbers.values())
        return digest_of(self.tokens, self.strata, tuple(self.numbers), *arrays)

    @cached_property
    def lengths(self) -> Array:
        return np.diff(self.starts)

    @cached_property
    def student(self) -> Array:
        return np.repeat(np.arange(self.students), self.lengths)

    @cached_property
    def day(self) -> Array:
        return self.second // DAY

    @cached_property
    def first(self) -> Array:
        """Whether an event is its student's first."""
        found = np.zeros(self.second.size, np.bool_)
        found[self.starts[:-1][self.lengths > 0]] = True
        return found

    @cached_property
    def gap(self) -> Array:
        """Seconds since the student's event before; zero at the first."""
        return np.where(self.first, 0, np.diff(self.second, prepend=0))

    @cached_property
    def begins(self) -> Array:
        """Whether an event begins a session."""
        return np.asarray(self.first | (self.gap > SESSION_GAP))

    def only(self, chosen: Array) -> "CourseLog":
        """The log of some students."""
        return self._rows(chosen[self.student], chosen)

    def with_tokens(self, usable: Array) -> "CourseLog":
        """Only events with a usable token, numbered anew; students left without any are gone."""
        rows = usable[self.token]
        kept = np.bincount(self.student[rows], minlength=self.students) > 0
        smaller = self._rows(rows, kept)
        tokens = [row for row, used in zip(self.tokens, usable, strict=True) if used]
        return replace(smaller, token=(np.cumsum(usable) - 1)[smaller.token], tokens=tokens)

    def _rows(self, rows: Array, students: Array) -> "CourseLog":
        lengths = np.bincount(self.student[rows], minlength=self.students)[students]
        return replace(
            self,
            ids=self.ids.filter(pa.array(students)),
            starts=np.concatenate([[0], np.cumsum(lengths)]),
            second=self.second[rows],
            token=self.token[rows],
            stratum=self.stratum[students],
            numbers={name: values[rows] for name, values in self.numbers.items()},
        )


def read_course(
    events: Table,
    columns: CourseColumns,
    *,
    tokens: Rows | None = None,
    strata: Rows | None = None,
    order: Sequence[str] = (),
) -> CourseLog:
    """The log of a table whose times are timestamps; a release is read with the tokens and strata of the original.

    Combinations that the original does not have get numbers behind its own.
    """
    named = {"__student": events[columns.student], "__second": events[columns.at].epoch_seconds().cast("int64")}
    named |= {f"__event_{place}": events[name] for place, name in enumerate(columns.events)}
    named |= {f"__fixed_{place}": events[name] for place, name in enumerate(columns.fixed)}
    named |= {f"__number_{place}": number_in(events, name) for place, name in enumerate(columns.numbers)}
    named |= {f"__order_{place}": events[name] for place, name in enumerate(order)}
    chosen = events.select(**named)
    within = [f"__order_{place}" for place in range(len(order))] or _named(chosen, "__event_")
    rows = engine.arrow(chosen.order_by(["__student", "__second", *within])).combine_chunks()
    who = rows["__student"].combine_chunks().dictionary_encode()
    owner = np.asarray(who.indices)
    starts = np.concatenate([[0], np.cumsum(np.bincount(owner, minlength=len(who.dictionary)))])
    token, listed = _coded(rows, _named(chosen, "__event_"), tokens)
    stratum, kinds = _coded(rows.take(pa.array(starts[:-1])), _named(chosen, "__fixed_"), strata)
    return CourseLog(
        ids=who.dictionary, starts=starts, second=np.asarray(rows["__second"]), token=token, tokens=listed,
        stratum=stratum, strata=kinds,
        numbers={
            name: np.asarray(rows[f"__number_{place}"].cast(pa.float64())) for place, name in enumerate(columns.numbers)
        },
    )  # fmt: skip


def _named(table: Table, start: str) -> list[str]:
    return [name for name in table.columns if name.startswith(start)]


def _coded(rows: pa.Table, names: list[str], known: Rows | None) -> tuple[Array, Rows]:
    """A number for every row and the combination that each number stands for."""
    if not names:
        return np.zeros(rows.num_rows, np.int64), [()]
    numbers = np.zeros(rows.num_rows, np.int64)
    for name in names:
        codes = rows[name].combine_chunks().dictionary_encode(null_encoding="encode").indices.to_numpy()
        numbers = np.unique(numbers * (codes.max(initial=0) + 1) + codes, return_inverse=True)[1]
    _, places = np.unique(numbers, return_index=True)
    cells = rows.select(names).take(pa.array(places))
    found = list(zip(*(column.to_pylist() for column in cells.columns), strict=True))
    listed = list(known or [])
    place = {row: number for number, row in enumerate(listed)}
    for row in found:
        if row not in place:
            place[row] = len(listed)
            listed.append(row)
    return np.array([place[row] for row in found], np.int64)[numbers], listed
