"""What the kept columns of a log hold: part of what is known of an event, numbers, or something nobody can know."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Self

import numpy as np
import pyarrow as pa
from ibis.expr.types import Table

from sharewell.data import engine
from sharewell.data.formats.columns import is_number, number
from sharewell.data.formats.dates import DATE_LIKE, SECONDS_1990, SECONDS_2100
from sharewell.data.formats.rows import holds_anywhere, holds_everywhere
from sharewell.errors import InputError
from sharewell.traces.arrays import Array
from sharewell.traces.protection.recoding import OTHER

FEW_VALUES = 50  # a column of numbers with more different values than this is averaged, not listed
CLOCK = r"^\s*[0-9]{1,2}:[0-9]{2}(:[0-9]{2}(\.[0-9]+)?)?\s*$"


@dataclass(frozen=True, kw_only=True)
class KeptColumns:
    """How each kept column is treated.

    `shared` say the same in all rows of a student, and a group shows one value of them for all members. `listed` are
    values that an attacker may know of an event, `fixed` those of them that say the same in all rows of a student and
    that the plan does not call sensitive: groups are formed within them. `numbers` differ from row to row and have many
    values; `private` are constant per student and known to nobody, as the plan says in writing; `unseen` are known to
    nobody and differ from row to row. Of all of them `many` have many different numbers, and `constant` say the same in
    all rows of a student.
    """

    shared: tuple[str, ...] = ()
    listed: tuple[str, ...] = ()
    fixed: tuple[str, ...] = ()
    numbers: tuple[str, ...] = ()
    private: tuple[str, ...] = ()
    unseen: tuple[str, ...] = ()
    many: tuple[str, ...] = ()
    constant: tuple[str, ...] = ()

    @property
    def of_students(self) -> tuple[str, ...]:
        """What is read off a group of its members, but for what groups are formed within."""
        return (*self.shared, *self.private)

    @property
    def all(self) -> tuple[str, ...]:
        return (*self.shared, *self.listed, *self.numbers, *self.private, *self.unseen)

    def without(self, names: Collection[str]) -> Self:
        left = {one.name: tuple(name for name in getattr(self, one.name) if name not in names) for one in fields(self)}
        return replace(self, **left)


def kept_columns(
    events: Table,
    kept: Sequence[str],
    unknowable: Mapping[str, str],
    *,
    student: str,
    file: str,
    plain: Collection[str] = (),
) -> KeptColumns:
    """Look at every kept column once; one that holds times is refused. `plain` are those that are not sensitive."""
    for name in kept:
        if _is_time(events, name):
            raise InputError(
                "is kept and holds times: a second time gives events away; name it under drop, or replace it by a "
                "length before the release",
                file=file,
                column=name,
            )
    looks = {name: _looks(events, name, student) for name in kept}
    known = [name for name in kept if name not in unknowable]
    shared = [name for name in known if looks[name].constant and (looks[name].many_numbers or name not in plain)]
    numbers = [name for name in known if looks[name].many_numbers and name not in shared]
    listed = [name for name in known if name not in numbers and name not in shared]
    private = [name for name in kept if name in unknowable and looks[name].constant]
    return KeptColumns(
        shared=tuple(shared),
        listed=tuple(listed),
        fixed=tuple(name for name in listed if looks[name].constant),
        numbers=tuple(numbers),
        private=tuple(private),
        unseen=tuple(name for name in kept if name in unknowable and name not in private),
        many=tuple(name for name in kept if looks[name].many_numbers),
        constant=tuple(name for name in kept if looks[name].constant),
    )


@dataclass(frozen=True, kw_only=True)
class KeptLooks:
    constant: bool
    many_numbers: bool


def _looks(events: Table, name: str, student: str) -> KeptLooks:
    cells = events.select(who=events[student], cell=events[name])
    each = cells.group_by("who").agg(values=cells.cell.nunique())
    totals = engine.arrow(each.aggregate(most=each["values"].max())).to_pylist()[0]
    values = engine.value(cells.cell.nunique())
    return KeptLooks(constant=(totals["most"] or 0) <= 1, many_numbers=values > FEW_VALUES and is_number(events, name))


def _is_time(events: Table, name: str) -> bool:
    """Whether every cell that is there is a date, a time of day, or a moment counted in seconds."""
    cells = events[name]
    if cells.type().is_temporal():
        return True
    if not holds_anywhere(cells.notnull()):
        return False
    if is_number(events, name):
        moments = number(events, name)
        seconds = moments.between(SECONDS_1990, SECONDS_2100)
        milliseconds = moments.between(SECONDS_1990 * 1000, SECONDS_2100 * 1000)
        return holds_everywhere(seconds) or holds_everywhere(milliseconds)
    text = bool(cells.type().is_string())
    return text and holds_everywhere(cells.strip().re_search(DATE_LIKE) | cells.re_search(CLOCK))


def merged_strata(events: Table, fixed: Sequence[str], *, student: str, least: int) -> Table:
    """Combinations of fixed values that fewer than `least` students have, under one name."""
    if not fixed:
        return events
    text = {name: events[name].cast("string") for name in fixed}
    people = engine.arrow(engine.distinct(events.mutate(**text), [student, *fixed]).order_by([student, *fixed]))
    rows = list(zip(*(people[name].to_pylist() for name in fixed), strict=True))
    sizes: dict[tuple[object, ...], int] = {}
    for row in rows:
        sizes[row] = sizes.get(row, 0) + 1
    small = people.filter(pa.array([sizes[row] < least for row in rows]))
    if small.num_rows == 0:
        return events
    listed = engine.listed(small.select([student]).rename_columns(["student"]))
    merged = {name: events[student].isin(listed.student).ifelse(OTHER, text[name]) for name in fixed}
    return events.mutate(**merged)


def strata(events: Table, ids: pa.Array, fixed: Sequence[str], *, student: str) -> Array:
    """A number for each student: equal for those whose fixed values agree."""
    if not fixed:
        return np.zeros(len(ids), np.int64)
    columns = [events[student], *(events[name].cast("string") for name in fixed)]
    people = engine.arrow(events.select([column.name(str(n)) for n, column in enumerate(columns)]).distinct())
    who, *values = (people[name].to_pylist() for name in people.column_names)
    rows = dict(zip(who, zip(*values, strict=True), strict=True))
    numbers = {row: number for number, row in enumerate(sorted(set(rows.values()), key=str))}
    return np.array([numbers[rows[student_id]] for student_id in ids.to_pylist()], np.int64)
