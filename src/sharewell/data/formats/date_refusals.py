"""A cell that is not written as the plan says: told by its row and its form, with the line that would cure it."""

import re
from dataclasses import dataclass
from pathlib import Path

from ibis.expr.types import StringColumn, Table, TimestampColumn

from sharewell.data import backends
from sharewell.data.formats import years
from sharewell.data.formats.date_guess import exists, form, patterns
from sharewell.data.formats.rows import first_row
from sharewell.errors import InputError
from sharewell.plan.date_layouts import needs_year

NUMBER = re.compile(r"-?[0-9]+(\.[0-9]+)?")


@dataclass(frozen=True, kw_only=True)
class Said:
    """What the plan says of a column's dates; no layout where it says nothing."""

    column: str
    layout: str | None = None
    year: int | None = None
    first_month: int | None = None
    file: str | Path | None = None


def refuse_unread(table: Table, text: StringColumn, moments: TimestampColumn, said: Said) -> None:
    """Stops at the first cell that holds something and was read as nothing."""
    row = first_row(table, text.notnull() & moments.isnull())
    if row is None:
        return
    cell = str(backends.arrow(table.select(cell=text).limit(1, offset=row - 1))["cell"][0].as_py())
    raise InputError(_told(cell, said), file=said.file, column=said.column, row=row)


def _told(cell: str, said: Said) -> str:
    fitting = patterns([cell])
    others = [pattern for pattern in fitting if _loosely(pattern) != _loosely(said.layout or "")]
    found = f"this cell has the form {form(cell)}"
    if said.layout is not None:
        found = f'{"the call" if said.file is None else "the plan"} says "{said.layout}", and {found}'
    count = NUMBER.fullmatch(cell) is not None
    nowhere = bool(fitting) and not count and not any(exists(cell, pattern) for pattern in others)
    if nowhere:
        year = f" in {years.told(said.year, said.first_month)}" if said.year else ""
        found = f"{found}, but there is no such day or time{year}"
    if said.file is None:  # a frame from Python: no key of a plan is a cure
        return f"{found}; correct the cell, or hand in a column of times"
    if count:
        key = line(said.column, "elapsed-s", said.year)
        return f"{found}, a number: if it counts something, say what:  {key}  (or elapsed-ms, elapsed-d, excel …)"
    if nowhere:
        return f'{found}; of events  rows_without_time = "drop"  leaves such rows out'
    if not fitting:
        return f'{found}; correct the cell, or name what stands for no value:  missing = ["", "-"]'
    return f"{found}: write the column alike, or  {line(said.column, others[0], said.year)}"


def _loosely(pattern: str) -> str:
    return pattern.replace("%-", "%").replace("%B", "%b")


def line(column: str, layout: str, year: int | None = None) -> str:
    """The line of a plan that says how a column writes its dates."""
    key = column if column.replace("_", "").replace("-", "").isalnum() and column.isascii() else f'"{column}"'
    needed = "  and  year = …" if needs_year(layout) and year is None else ""
    return f'dates = {{ {key} = "{layout}" }}{needed}'
