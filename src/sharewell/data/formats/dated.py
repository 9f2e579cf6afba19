"""Columns of times as the plan says they are written: read into moments before any kind sees them, and written back.

A pattern (`%d %b, %H:%M`), a count (`epoch-ms`, `elapsed-s`, `excel`) and the year of dates without one are all
that the plan tells; the words and the type of the column are learned from it, so that a released file has its times in
the form in which they came. Columns that are not times of events are only checked, or become ISO dates where they are
to be coarsened.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

import ibis
from ibis.expr.types import Column, NumericColumn, Table, TimestampColumn

from sharewell.data import backends
from sharewell.data.formats import date_patterns, years
from sharewell.data.formats.clocks import epoch_us
from sharewell.data.formats.columns import number
from sharewell.data.formats.date_refusals import Said, refuse_unread
from sharewell.data.formats.dates import make_timestamp
from sharewell.errors import InputError
from sharewell.plan.date_layouts import COUNTS, comes_back, is_pattern, needs_year
from sharewell.plan.windows import MONDAY

MICRO = 1_000_000
EARLIEST = 631_152_000  # 1990: no log of learners is older, so a smaller epoch counts from a start of its own
EXCEL_ZERO = int(
    (datetime(1899, 12, 30) - datetime(1970, 1, 1)).total_seconds()
)  # Excel's own leap year error included


@dataclass(frozen=True, kw_only=True)
class Written:
    """How a column of times was written."""

    layout: str
    year: int | None = None
    first_month: int | None = None
    start: int = 0  # the second, counted from 1970, at which a count is zero
    whole: bool = False  # a count without fractions
    negative: bool = False  # a count that begins before its zero
    type: str = "string"
    words: Mapping[str, Mapping[int, str]] = field(default_factory=dict)

    def told(self) -> dict[str, Any]:
        """What a recipient needs to read the times again."""
        since = {} if self.first_month is None else {"first_month": self.first_month}
        return {"layout": self.layout, "year": self.year, **since, "start": self.start}


@dataclass(frozen=True, kw_only=True)
class Dates:
    """What a plan says of the dates of one file."""

    layouts: Mapping[str, str]
    year: int | None = None
    first_month: int | None = None  # of the twelve in which dates without a year lie
    times: frozenset[str] = frozenset()  # columns that tell when an event happened
    coarsened: frozenset[str] = frozenset()  # columns that become ranges: ISO dates serve them best
    may_fail: bool = False  # rows without a time that exists are to be left out
    file: str | Path | None = None


def read(table: Table, dates: Dates) -> tuple[Table, dict[str, Written], list[InputError]]:
    """The table with its times as moments, how each was written, and the first problem of every column."""
    found: dict[str, Written] = {}
    problems: list[InputError] = []
    changed: dict[str, Column] = {}
    for column, layout in dates.layouts.items():
        if column not in table.columns or not comes_back(layout):
            continue
        if table[column].type().is_timestamp() or table[column].type().is_date():
            continue  # a typed column needs no words
        try:
            moments, written = _column(table, column, layout, dates)
        except InputError as error:
            problems.append(error)
            continue
        if column in dates.times:
            changed[column], found[column] = moments, written
        elif column in dates.coarsened:
            changed[column] = moments.date().cast("string")
    return (table.mutate(**changed) if changed else table), found, problems


def reread(table: Table, told: Mapping[str, Mapping[str, Any]]) -> Table:
    """A released table with its times as moments, by what the release itself says of them."""
    changed = {}
    for column, how in told.items():
        if column in table.columns and not table[column].type().is_timestamp():
            text = table[column].cast("string")
            if is_pattern(how["layout"]):
                changed[column] = date_patterns.read(text, how["layout"], how["year"], how.get("first_month"))
            else:
                changed[column] = _counted(text.cast("float64"), how["layout"], int(how["start"]))
    return table.mutate(**changed) if changed else table


def written(table: Table, how: Mapping[str, Written]) -> Table:
    """Moments as the file had them; a column that no longer holds moments (hours of a day) stays as it is."""
    changed = {
        column: _as_it_came(table[column], one)
        for column, one in how.items()
        if column in table.columns and table[column].type().is_timestamp()
    }
    return table.mutate(**changed) if changed else table


def _column(table: Table, column: str, layout: str, dates: Dates) -> tuple[TimestampColumn, Written]:
    kind = str(table[column].type())
    if is_pattern(layout):
        text = table[column].cast("string").strip()
        year, since = (dates.year, dates.first_month) if needs_year(layout) else (None, None)
        moments = date_patterns.read(text, layout, year, since)
        if not (dates.may_fail and column in dates.times):
            said = Said(column=column, layout=layout, year=year, first_month=since, file=dates.file)
            refuse_unread(table, text, moments, said)
        if year is not None and since is None:
            years.refuse_new_year(moments, year, column=column, file=dates.file)
        words = date_patterns.words(table, text, layout)
        return moments, Written(layout=layout, year=year, first_month=since, type=kind, words=words)
    values = number(table, column, file=dates.file)
    figures = table.aggregate(least=values.min(), most=values.max(), whole=(values == values.floor()).all())
    least, most, whole = backends.arrow(figures).to_pylist()[0].values()
    start = _start(layout, most)
    written_ = Written(
        layout=layout, start=start, whole=bool(whole), negative=least is not None and least < 0, type=kind
    )
    return _counted(values, layout, start), written_


def _start(layout: str, most: float | None) -> int:
    """Where counting begins. An epoch that is too small for our time is a count from a start: a Monday, so that days
    and weeks begin with it."""
    if layout == "excel":
        return EXCEL_ZERO
    from_1970 = layout.startswith("epoch") and most is not None and most / COUNTS[layout] >= EARLIEST
    return 0 if from_1970 else MONDAY


def _counted(values: NumericColumn, layout: str, start: int) -> TimestampColumn:
    """To the millisecond: a day's fraction in a spreadsheet has no more digits than that."""
    per_second = COUNTS[layout]
    steps = 1_000 if layout == "excel" else MICRO
    moments = ((values / per_second) * steps).round().cast("int64") * (MICRO // steps)
    return make_timestamp(moments + start * MICRO)


def _as_it_came(moments: TimestampColumn, how: Written) -> Column:
    if is_pattern(how.layout):
        return date_patterns.write(moments, how.layout, how.words)
    seconds = (epoch_us(moments.cast("timestamp(6)")) - how.start * MICRO) / MICRO
    if how.start == MONDAY and not how.negative:
        seconds = ibis.greatest(seconds, 0.0)  # a month begins before a count that starts on a Monday
    value = seconds * COUNTS[how.layout]
    value = value.floor().cast("int64") if how.whole else value.round(10)
    return value.cast(how.type)
