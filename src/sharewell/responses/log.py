"""A response log as arrays: who did which item when, and whether it was right, in the order it happened.

The engine hands over the columns that are needed; each is recoded to small integers in the order of its sorted
values, so that what stays in memory is codes, never text. Rows of one student follow one another, in time order (file
order where there is no time).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pyarrow as pa
from ibis.expr.types import Table

from sharewell.data import engine
from sharewell.data.files import digest_of
from sharewell.data.formats.columns import check_columns
from sharewell.errors import InputError
from sharewell.stats.arrays import Array

RIGHT = {"1", "1.0", "true", "t", "yes", "correct", "right"}
WRONG = {"0", "0.0", "false", "f", "no", "incorrect", "wrong", "hint"}  # a hint asked for counts as not correct


@dataclass(frozen=True, kw_only=True)
class Columns:
    """Which column plays which part."""

    student: str
    item: str
    correct: str | None = None
    skill: str | None = None
    time: str | None = None
    attempt: str | None = None  # never read: counted anew in what is generated
    duration: str | None = None
    further: tuple[str, ...] = ()
    ids: tuple[str, ...] = ()  # numbers of rows, assignments, classes: drawn anew, pseudonymised by the pipeline

    def names(self) -> list[str]:
        single = [self.student, self.item, self.correct, self.skill, self.time, self.duration]
        return [name for name in single if name is not None] + [*self.further, *self.ids]


@dataclass(frozen=True, kw_only=True)
class Log:
    """Coded rows, sorted by student and time. `bounds[i]:bounds[i+1]` are the rows of student i."""

    students: pa.Array
    items: pa.Array
    bounds: Array  # int64, one more than students
    item: Array  # int32 codes
    correct: Array | None = None  # int8
    skill_of: Array | None = None  # int32 per item: its (commonest) skill
    skills: pa.Array | None = None
    time: Array | None = None  # int64 microseconds
    duration: Array | None = None  # float
    joined: Array | None = None  # rows whose predecessor was taken out: the step to them is not a true one
    further: Mapping[str, tuple[pa.Array, Array]] = field(default_factory=dict)  # values, int32 codes

    @property
    def rows(self) -> int:
        return int(self.item.size)

    @property
    def lengths(self) -> Array:
        return np.diff(self.bounds)

    @property
    def student(self) -> Array:
        """The student code of every row."""
        return np.repeat(np.arange(self.lengths.size, dtype=np.int32), self.lengths)

    def digest(self) -> str:
        """Equal only for the same rows of the same students."""
        further = (part for pair in self.further.values() for part in pair)
        coded = (self.bounds, self.item, self.correct, self.skill_of, self.skills, self.time, self.duration)
        return digest_of(self.students, self.items, *coded, tuple(self.further), *further)

    def only(self, wanted: Array) -> "Log":
        """The log of some students (a mask over students); items keep their codes."""
        rows = np.repeat(wanted, self.lengths)
        return replace(
            self._rows(rows),
            students=self.students.filter(pa.array(wanted)),
            bounds=_bounds(self.lengths[wanted]),
        )

    def without_items(self, gone: Array) -> "Log":
        """The log without the rows of some items (a mask over items); a student who has no row left is left out."""
        kept = ~gone[self.item]
        student, place = self.student[kept], np.flatnonzero(kept)
        joined = np.zeros(place.size, dtype=bool) if self.joined is None else self.joined[kept]
        joined[1:] |= (np.diff(place) > 1) & (student[1:] == student[:-1])
        left = np.bincount(student, minlength=self.lengths.size)
        smaller = replace(self._rows(kept), bounds=_bounds(left), joined=joined)
        return smaller.only(left > 0) if (left == 0).any() else smaller

    def only_rows(self, wanted: Array) -> "Log":
        """The log of some rows (a mask); every student keeps at least one of them."""
        lengths = np.bincount(self.student[wanted], minlength=self.lengths.size)
        return replace(self._rows(wanted), bounds=_bounds(lengths))

    def _rows(self, mask: Array) -> "Log":
        further = {name: (values, codes[mask]) for name, (values, codes) in self.further.items()}
        return replace(
            self,
            item=self.item[mask],
            correct=None if self.correct is None else self.correct[mask],
            time=None if self.time is None else self.time[mask],
            duration=None if self.duration is None else self.duration[mask],
            joined=None if self.joined is None else self.joined[mask],
            further=further,
        )


def read(data: Any, columns: Columns, *, layout: str | None = None, items: pa.Array | None = None) -> Log:
    """A log out of a frame, a path or an Ibis table. With `items` the codes are those of another log."""
    table = engine.table(data)
    check_columns(table, **{name: value for name, value in vars(columns).items() if name != "attempt"})
    return coded(engine.arrow(_selected(table, columns, layout)), columns, items=items)


def coded(rows: pa.Table, columns: Columns, *, items: pa.Array | None = None) -> Log:
    """The same for rows whose times are timestamps and whose durations are numbers."""
    if not rows.num_rows:
        raise InputError("the log has no rows; expected one row per answer")
    plain = {columns.time, columns.duration}
    cells = {name: rows[name] if name in plain else _dictionary(rows[name]) for name in columns.names()}
    student, students = _codes(cells[columns.student], columns.student)
    item, names = _codes(cells[columns.item], columns.item)
    if items is not None:
        item, names = _recode(item, names, items)
    time = _moments(cells[columns.time], columns.time) if columns.time else None
    duration = _numbers(cells[columns.duration], columns.duration) if columns.duration else None
    order = _order(student, time)
    correct = _outcomes(cells[columns.correct], columns.correct)[order] if columns.correct else None
    further = {name: _codes(cells[name], name, allow_missing=True)[::-1] for name in (*columns.further, *columns.ids)}
    skill = _codes(cells[columns.skill], columns.skill, allow_missing=True) if columns.skill else None
    return Log(
        students=students,
        items=names,
        bounds=_bounds(np.bincount(student, minlength=len(students))),
        item=item[order],
        correct=correct,
        skill_of=None if skill is None else _commonest(item, skill[0], len(names), len(skill[1])),
        skills=None if skill is None else skill[1],
        time=None if time is None else time[order],
        duration=None if duration is None else duration[order],
        further={name: (values, codes[order]) for name, (values, codes) in further.items()},
    )


def _selected(table: Table, columns: Columns, layout: str | None) -> Table:
    """Only the columns that are needed, times and durations read as such."""
    chosen = {name: table[name] for name in columns.names()}
    if columns.time:
        from sharewell.data.formats.columns import moment

        chosen[columns.time] = moment(table, columns.time, layout=layout)
    if columns.duration:
        from sharewell.data.formats.columns import number

        chosen[columns.duration] = number(table, columns.duration)
    return table.select(**chosen)


def _dictionary(column: pa.ChunkedArray) -> pa.ChunkedArray:
    return column.dictionary_encode().unify_dictionaries()


def _codes(column: pa.ChunkedArray, name: str, *, allow_missing: bool = False) -> tuple[Array, pa.Array]:
    """Codes in the order of the sorted values, so that they do not depend on the order of rows."""
    if column.null_count and not allow_missing:
        raise InputError("a value is missing; fill it in or drop the row", column=name, row=_first_null(column))
    values = column.chunk(0).dictionary
    codes = np.concatenate([np.asarray(chunk.indices.fill_null(len(values))) for chunk in column.chunks]).astype(
        np.int32
    )
    if column.null_count:
        values = pa.concat_arrays([values, pa.nulls(1, values.type)])
    order = np.asarray(pa.compute.sort_indices(values))
    rank = np.empty(order.size, dtype=np.int32)
    rank[order] = np.arange(order.size, dtype=np.int32)
    return rank[codes], values.take(pa.array(order))


def _recode(codes: Array, values: pa.Array, target: pa.Array) -> tuple[Array, pa.Array]:
    """The same rows in the codes of `target`, to which values that it lacks are appended."""
    found = pa.compute.index_in(values.cast(target.type), value_set=target)
    place = np.asarray(found.fill_null(-1)).astype(np.int32)
    fresh = place < 0
    place[fresh] = len(target) + np.arange(int(fresh.sum()), dtype=np.int32)
    extra = values.cast(target.type).filter(pa.array(fresh))
    return place[codes], pa.concat_arrays([target, extra])


def _moments(column: pa.ChunkedArray, name: str) -> Array:
    return _numbers(column.cast(pa.timestamp("us")).cast(pa.int64()), name)


def _numbers(column: pa.ChunkedArray, name: str | None) -> Array:
    if column.null_count:
        raise InputError("a value is missing; fill it in or drop the row", column=name, row=_first_null(column))
    found: Array = column.to_numpy()
    return found


def _outcomes(column: pa.ChunkedArray, name: str | None) -> Array:
    """0 and 1 out of numbers, truth values or the usual words; anything else is refused with its row."""
    codes, values = _codes(column, name or "")
    words = [str(value).strip().lower() for value in values.to_pylist()]
    meaning = np.array([1 if w in RIGHT else 0 if w in WRONG else -1 for w in words], dtype=np.int8)
    outcome = meaning[codes]
    if (outcome < 0).any():
        row = int(np.argmax(outcome < 0)) + 1
        raise InputError(
            "expected 0 or 1 (or true/false, correct/incorrect); where there is partial credit, write 1 from the "
            "mark on that counts as right, or plan the file as [traces.…] with this column under keep",
            column=name,
            row=row,
        )
    return outcome


def _order(student: Array, time: Array | None) -> Array:
    if time is None and (student[1:] >= student[:-1]).all():
        return np.arange(student.size)
    if time is None:
        return np.argsort(student, kind="stable")
    found: Array = np.lexsort((np.arange(student.size), time, student))
    return found


def _commonest(item: Array, skill: Array, items: int, skills: int) -> Array:
    """The skill that most rows of an item carry; an item that occurs nowhere gets skill 0."""
    pairs, counts = np.unique(item.astype(np.int64) * skills + skill, return_counts=True)
    order = np.lexsort((-pairs, counts))  # ascending: the last written wins; ties go to the lower skill code
    chosen = np.zeros(items, dtype=np.int32)
    chosen[pairs[order] // skills] = pairs[order] % skills
    return chosen


def _first_null(column: pa.ChunkedArray) -> int:
    return int(np.argmax(np.asarray(column.is_null()))) + 1


def _bounds(lengths: Array) -> Array:
    return np.concatenate([[0], np.cumsum(lengths, dtype=np.int64)])


def from_frames(frames: Sequence[Any], columns: Columns) -> list[Log]:
    """Several logs in one coding of items, so that their sequences can be compared."""
    first = read(frames[0], columns)
    logs = [first]
    for frame in frames[1:]:
        logs.append(read(frame, columns, items=logs[-1].items))
    return [replace(log, items=logs[-1].items) for log in logs]
