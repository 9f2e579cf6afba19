"""Moments out of text: a layout is guessed only when the whole column leaves no other reading.

Layouts: "iso" (2025-03-04, 2025/3/4, 20250304), "day-first" (4.3.2025, 04/03/25), "month-first" (3/4/2025),
"year-first" (two digits: 25-03-04), "month-name" (4 March 2025, Mar 4, 2025), "epoch-s" and "epoch-ms". A
time of day may follow, with AM or PM, seconds, fractions and an offset; offsets are converted to UTC, what
has none is taken as it stands. Years of two digits: 00–68 are 2000–2068, 69–99 are 1969–1999, as in POSIX.
"""

from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

import ibis
from ibis.expr.types import Column, StringColumn, Table, TimestampColumn

from sharewell.data import backends
from sharewell.data.formats import date_patterns
from sharewell.data.formats.date_refusals import Said, line, refuse_unread
from sharewell.data.formats.rows import first_row, holds_anywhere, holds_everywhere
from sharewell.errors import InputError
from sharewell.plan.date_layouts import is_pattern, problem

SECONDS_1990, SECONDS_2100 = (
    631_152_000,
    4_102_444_800,
)  # between these, magnitude tells seconds from milliseconds
SECONDS_10000 = 253_402_300_800  # the first of a year that no calendar here knows
MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")

_NAME = (
    r"(?i:(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)"
    r"(?:uary|ruary|ch|il|e|y|ust|t|tember|ober|ember)?)\.?"
)
_WEEKDAY = r"(?:(?i:mon|tue|wed|thu|fri|sat|sun)[a-z]*,?\s+)?"
_NUMERIC = r"([0-9]{1,2})[/.-]([0-9]{1,2})[/.-]([0-9]{4}|[0-9]{2})"
_MINUTES = r":[0-5]?[0-9](?::[0-5]?[0-9](?:\.[0-9]{1,9})?)?"  # some logs write 11:26:3
_HALF = r"(?i:[ap]\.?m\.?)"
_ZONE = r"(?:[Zz]|UTC|GMT|[+-][0-9]{2}(?::?[0-9]{2})?)"
_CLOCK = rf"(?:(?:[01]?[0-9]|2[0-3]){_MINUTES}|(?:0?[1-9]|1[0-2]){_MINUTES}\s*{_HALF})"
_TIME = rf"(?:(?:T|,\s*|\s+){_CLOCK}(?:\s*{_ZONE})?)?"
_PLAIN = r"^[0-9]{4}-[0-9]{2}-[0-9]{2}(?:[T ](?:[01][0-9]|2[0-3]):[0-5][0-9](?::[0-5][0-9](?:\.[0-9]{1,9})?)?)?$"
_EPOCH = r"^[0-9]{1,13}(?:\.[0-9]+)?$"

# layout → the patterns of its dates, each with the replacement that puts year, month and day in ISO order
SHAPES: Mapping[str, tuple[tuple[str, str], ...]] = {
    "iso": (
        (r"([0-9]{4})[/.-]([0-9]{1,2})[/.-]([0-9]{1,2})", r"\1-\2-\3"),
        (r"((?:19|20)[0-9]{2})([0-9]{2})([0-9]{2})", r"\1-\2-\3"),
    ),
    "day-first": ((_NUMERIC, r"\3-\2-\1"),),
    "month-first": ((_NUMERIC, r"\3-\1-\2"),),
    "year-first": ((r"([0-9]{2})-([0-9]{2})-([0-9]{2})", r"\1-\2-\3"),),
    "month-name": (
        (rf"{_WEEKDAY}([0-9]{{1,2}})[\s-]{_NAME}[\s,-]+([0-9]{{4}}|[0-9]{{2}})", r"\3-\2-\1"),
        (rf"{_WEEKDAY}{_NAME}\s+([0-9]{{1,2}}),?\s+([0-9]{{4}})", r"\3-\1-\2"),
    ),
}
DATE_LIKE = "^(?:" + "|".join(pattern for shapes in SHAPES.values() for pattern, _ in shapes) + rf"){_TIME}$"
EXTRAS = frozenset({"half", "zone"})
LAYOUTS = (*SHAPES, "epoch-s", "epoch-ms")


@ibis.udf.scalar.builtin  # type: ignore[untyped-decorator]
def make_timestamp(microseconds: int) -> datetime:  # type: ignore[empty-body]
    """DuckDB's own; Ibis converts whole seconds and milliseconds only."""


def moment(table: Table, column: str, *, layout: str | None = None, file: str | Path | None = None) -> TimestampColumn:
    """The column as timestamps without a zone, in UTC where the cells gave an offset."""
    cells = table[column]
    kind = cells.type()
    if kind.is_timestamp() or kind.is_date():
        return cells.cast("timestamp")
    if not (kind.is_string() or kind.is_numeric()):
        raise InputError(f"expected dates and found {kind}; use another column", file=file, column=column)
    if layout is not None and is_pattern(layout):
        return _by_pattern(table, column, layout, file)
    if layout is not None and layout not in LAYOUTS:
        raise InputError(
            f"date layout '{layout}' is not known; use one of {', '.join(LAYOUTS)}", file=file, column=column
        )
    text = _as_text(cells)
    if layout is not None:
        return _named(table, text, layout, column, file)
    return _guessed(table, text, column, file)


def _by_pattern(table: Table, column: str, layout: str, file: Any) -> TimestampColumn:
    found = problem(layout, None)
    if found is not None:
        raise InputError(f"the pattern {found}", file=file, column=column)
    text = _as_text(table[column])
    moments = date_patterns.read(text, layout)
    refuse_unread(table, text, moments, Said(column=column, layout=layout, file=file))
    return moments


def parse(
    text: StringColumn, layout: str, *, extras: frozenset[str] = EXTRAS, any_range: bool = True
) -> TimestampColumn:
    """The moment in each cell that fits the layout; null where it does not, or where no such day exists.

    `extras` are what the column may hold besides plain clock times: AM and PM, and offsets. A caller who knows
    that there are none saves their replacements; DuckDB's cast would pass over them in silence.
    """
    if layout.startswith("epoch"):
        return _epoch(text, 1 if layout == "epoch-s" else 1000, any_range)
    readings = [_dated(text, pattern, order, extras) for pattern, order in SHAPES[layout]]
    return ibis.coalesce(*readings) if len(readings) > 1 else readings[0]


def _extras(text: StringColumn) -> frozenset[str]:
    marks = {"half": text.re_search(rf":[0-9.]+\s*{_HALF}"), "zone": text.re_search(rf":[0-9.]+.*{_ZONE}$")}
    return frozenset(name for name, mark in marks.items() if holds_anywhere(mark))


def _named(table: Table, text: StringColumn, layout: str, column: str, file: Any) -> TimestampColumn:
    value = parse(text, layout, extras=_extras(text))
    refuse_unread(table, text, value, Said(column=column, layout=layout, file=file))
    return value


def _guessed(table: Table, text: StringColumn, column: str, file: Any) -> TimestampColumn:
    plain = text.try_cast("timestamp")
    if holds_everywhere(text.re_search(_PLAIN) & plain.notnull()):  # the common case needs one reading only
        return plain
    extras = _extras(text)
    values = {layout: parse(text, layout, extras=extras, any_range=False) for layout in LAYOUTS}
    fits = _counts(table, text, values)
    whole = [layout for layout in LAYOUTS if fits[layout] == fits["all"]]
    if len(whole) == 1 or (whole and not fits["torn"]):
        return values[whole[0]]
    if whole:
        raise _ambiguous(whole, column, file)
    return _mixed(table, text, values, column, file)


def _counts(table: Table, text: StringColumn, values: Mapping[str, TimestampColumn]) -> dict[str, int]:
    """How many cells there are, how many fit each layout, and how many could be two different moments."""
    read = table.select(text=text, **values)
    present = [read[layout] for layout in values]
    torn = ibis.greatest(*present) != ibis.least(*present)
    totals = read.aggregate(
        all=read.text.count(),
        torn=torn.sum().fill_null(0),
        **{layout: read[layout].count() for layout in values},
    )
    counted: dict[str, int] = backends.arrow(totals).to_pylist()[0]
    return counted


def _mixed(
    table: Table, text: StringColumn, values: Mapping[str, TimestampColumn], column: str, file: Any
) -> TimestampColumn:
    """Several layouts in one column: every cell must have exactly one reading."""
    present = list(values.values())
    refuse_unread(table, text, ibis.coalesce(*present), Said(column=column, file=file))
    row = first_row(table, ibis.greatest(*present) != ibis.least(*present))
    if row is not None:
        raise InputError(
            "several date layouts are mixed and this cell could be read in two ways; write the dates alike",
            file=file,
            column=column,
            row=row,
        )
    return ibis.coalesce(*present)


def _ambiguous(layouts: list[str], column: str, file: Any) -> InputError:
    return InputError(
        f"every date could be {' or '.join(layouts)}; name the layout in the plan: {line(column, layouts[0])}",
        file=file,
        column=column,
    )


def _as_text(cells: Column) -> StringColumn:
    kind = cells.type()
    if kind.is_floating():
        return cells.cast("decimal(20, 6)").cast("string")
    return cells.cast("string").strip() if kind.is_string() else cells.cast("string")


def _epoch(text: StringColumn, per_second: int, any_range: bool) -> TimestampColumn:
    count = ibis.ifelse(text.re_search(_EPOCH), text, None).try_cast("decimal(20, 6)")
    low, high = (0, SECONDS_10000) if any_range else (SECONDS_1990, SECONDS_2100)
    count = ibis.ifelse(count.between(low * per_second, high * per_second - 1), count, None)
    return make_timestamp((count * (1_000_000 // per_second)).cast("int64"))


def _dated(text: StringColumn, pattern: str, order: str, extras: frozenset[str]) -> TimestampColumn:
    """Turned into ISO text by one chain of replacements, so that the query stays as short as the chain."""
    iso = text.re_replace(rf"^{pattern}(?:T|,\s*|\s+|$)", f"{order} ")
    iso = iso.re_replace(r"^([0-5][0-9]|6[0-8])-", r"20\1-").re_replace(r"^(69|[7-9][0-9])-", r"19\1-")
    if "jan" in pattern:
        for number, month in enumerate(MONTHS, start=1):
            iso = iso.re_replace(f"(?i)-{month}-", f"-{number}-")
    if "half" in extras:
        iso = _whole_day(iso)
    moment = _zoned(iso.strip()) if "zone" in extras else iso.strip().try_cast("timestamp")
    return ibis.ifelse(text.re_search(f"^{pattern}{_TIME}$"), moment, None)


def _whole_day(iso: StringColumn) -> StringColumn:
    """1:05 PM as 13:05; the pattern of the clock has let no 13 PM or 0 AM pass."""
    iso = iso.re_replace(r"\s12(:[0-9:.]+)\s*(?i:a\.?m\.?)", r" 0\1")
    iso = iso.re_replace(r"\s(0?[1-9]|1[01])(:[0-9:.]+)\s*(?i:a\.?m\.?)", r" \1\2")
    iso = iso.re_replace(r"\s12(:[0-9:.]+)\s*(?i:p\.?m\.?)", r" 12\1")
    for hour in range(1, 12):
        iso = iso.re_replace(rf"\s0?{hour}(:[0-9:.]+)\s*(?i:p\.?m\.?)", rf" {hour + 12}\1")
    return iso


def _zoned(iso: StringColumn) -> TimestampColumn:
    iso = iso.re_replace(r"(:[0-9.]+)\s*(?:[Zz]|UTC|GMT)$", r"\1+00:00")
    iso = iso.re_replace(r"(:[0-9.]+)\s*([+-][0-9]{2})$", r"\1\2:00")
    iso = iso.re_replace(r"(:[0-9.]+)\s*([+-][0-9]{2}):?([0-9]{2})$", r"\1\2:\3")
    return iso.try_cast("timestamp('UTC')").cast("timestamp")
