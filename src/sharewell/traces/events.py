"""Event tables made ready: a student and a real time in every row."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ibis.expr.types import Table, TimestampColumn

from sharewell.data import engine
from sharewell.data.formats.columns import check_columns, first_row, moment
from sharewell.data.formats.dates import parse
from sharewell.errors import InputError


@dataclass(frozen=True, kw_only=True)
class Times:
    """How times are read: layout, where the students live, what becomes of rows without one, and the file."""

    layout: str | None = None
    zone: str | None = None
    without: str = "refuse"
    file: str | Path | None = None


AS_THEY_ARE = Times()


def ready(
    events: Any,
    *,
    student: str,
    at: str,
    also: Sequence[str] = (),
    times: Times = AS_THEY_ARE,
    only_these: bool = False,
) -> Table:
    """The events of students with `at` as a timestamp, in local time where a zone is given.

    Times that had to be read from text are read once and kept. `only_these` leaves every other column behind.
    """
    table = engine.table(events)
    check_columns(table, file=times.file, student=student, at=at, also=also)
    if only_these:
        table = table.select(*dict.fromkeys((student, at, *also)))
    table = table.mutate(**{at: table[student].notnull().ifelse(table[at], None)})  # rows keep their numbers
    time = _time(table, student, at, times)
    if times.zone is not None:
        time = engine.local_time(time, times.zone)
    timed = table.mutate(**{at: time})
    timed = timed.filter(timed[student].notnull() & timed[at].notnull())
    return engine.materialise(timed) if table[at].type().is_string() else timed


def _time(table: Table, student: str, at: str, times: Times) -> TimestampColumn:
    if times.without == "drop" and times.layout is not None and table[at].type().is_string():
        return parse(table[at].strip(), times.layout)
    time = moment(table, at, layout=times.layout, file=times.file)
    row = None if times.without == "drop" else first_row(table, table[student].notnull() & time.isnull())
    if row is not None:
        where = "the frame" if times.file is None else "the file"
        raise InputError(
            f"has no time; correct the row, or take such events out of {where}", file=times.file, column=at, row=row
        )
    return time
