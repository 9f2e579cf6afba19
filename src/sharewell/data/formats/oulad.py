"""OULAD's studentVle.csv: days are counted from the start of a presentation, which its code names.

Presentations begin in February (B) or October (J) of their year (Kuzilek, Hlosta and Zdrahal 2017); the first of the
month stands for the day, so that days become dates on the way in and days again on the way out.
"""

from pathlib import Path
from typing import Any

import ibis
from ibis.expr.types import DateValue, Table

from sharewell.data.formats import ReadOptions, delimited
from sharewell.data.formats.columns import number
from sharewell.data.formats.rows import first_row, holds_everywhere
from sharewell.errors import InputError

DAY, PRESENTATION = "date", "code_presentation"
MOST_DAYS = 3650
MONTHS = {"B": 2, "J": 10}
CODE = r"^[0-9]{4}[BJ]$"

style = delimited.style


def read(path: Path, options: ReadOptions) -> Table:
    table = delimited.read(path, options)
    if options.released and not _counts_days(table):
        return table
    for name in (DAY, PRESENTATION):
        if name not in table.columns:
            raise InputError("there is no such column: is this OULAD's studentVle.csv?", file=path, column=name)
    row = first_row(table, ~table[PRESENTATION].re_search(CODE))
    if row is not None:
        raise InputError("expected a year and B or J, such as 2013J", file=path, column=PRESENTATION, row=row)
    days = number(table, DAY, file=path)
    row = first_row(table, days.abs() > MOST_DAYS)
    if row is not None:
        raise InputError("expected a day of a presentation, such as -20 or 134", file=path, column=DAY, row=row)
    days = days.cast("int64")
    return table.mutate(**{DAY: (_start(table) + days.as_interval("D")).cast("timestamp")})


def write(table: Table, path: Path, **style: Any) -> None:
    """Days again where every presentation is still told; else the dates that they stand for."""
    if _counts_days(table) and table[DAY].type().is_timestamp():
        days = table[DAY].date().delta(_start(table), unit="day")
        table = table.mutate(**{DAY: days})
    delimited.write(table, path, **style)


def _counts_days(table: Table) -> bool:
    if not {DAY, PRESENTATION} <= set(table.columns):
        return False
    return holds_everywhere(table[PRESENTATION].re_search(CODE).fill_null(False))


def _start(table: Table) -> DateValue:
    code = table[PRESENTATION]
    month = code.substr(4, 1).cases(*((letter, month) for letter, month in MONTHS.items()), else_=1)
    return ibis.date(code.substr(0, 4).cast("int32"), month, 1)
