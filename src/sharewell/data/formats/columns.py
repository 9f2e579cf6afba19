"""Columns of text read as numbers and moments; typed columns pass through.

Everything is an Ibis expression that stays lazy; one pass over the column checks it, and only a column that
fails is looked at again to name the first bad row. No message carries a value.
"""

import logging
from collections.abc import Iterable
from pathlib import Path

from ibis.expr.types import BooleanValue, Column, FloatingColumn, StringColumn, Table

from sharewell.data import backends
from sharewell.data.formats.dates import moment
from sharewell.data.formats.rows import first_row, holds_anywhere, holds_everywhere
from sharewell.errors import InputError

__all__ = ["check_columns", "first_row", "is_number", "mixes_numbers", "moment", "number", "one_row_each"]

NUMBER = r"^\s*[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?\s*$"
DECIMAL_COMMA = r"^\s*[+-]?([0-9]+(,[0-9]+)?|,[0-9]+)\s*$"
THOUSANDS = r"^\s*[+-]?[0-9]{1,3}(,[0-9]{3})+\s*$"

log = logging.getLogger("sharewell")


def check_columns(table: Table, *, file: str | Path | None = None, **named: str | Iterable[str] | None) -> None:
    """Refuse a column that the table does not have, with the argument that names it."""
    for argument, names in named.items():
        if names is None:
            continue
        for name in [names] if isinstance(names, str) or not isinstance(names, Iterable) else names:
            if name not in table.columns:
                has = ", ".join(table.columns)
                raise InputError(
                    f"there is no such column, named by {argument}=; the table has {has}", file=file, column=name
                )


def number(table: Table, column: str, *, file: str | Path | None = None) -> FloatingColumn:
    """The column as floats; the first cell that is no finite number is named by its row."""
    cells = table[column]
    if not cells.type().is_string():
        return _typed_number(table, column, file)
    if holds_everywhere(_fits(cells, NUMBER)):
        return _finite(table, cells.cast("float64"), column, file)
    if _has_decimal_comma(cells):
        log.warning("%s, column '%s': read with a decimal comma", file or "the table", column)
        return _finite(table, cells.replace(",", ".").cast("float64"), column, file)
    missing = "" if file is None else ", or name what stands for no value in 'missing'"
    raise InputError(
        f"expected a number such as 3 or -2.5; correct the cell{missing}",
        file=file,
        column=column,
        row=first_row(table, ~_fits(cells, NUMBER)),
    )


def is_number(table: Table, column: str) -> bool:
    """Whether every cell that is there reads as a number; a column without any value does not."""
    cells = table[column]
    if not cells.type().is_string():
        return bool(cells.type().is_numeric())
    fits = holds_everywhere(_fits(cells, NUMBER)) or _has_decimal_comma(cells)
    return fits and holds_anywhere(cells.notnull())


def mixes_numbers(table: Table, column: str) -> bool:
    """Whether some cell of text reads as a number."""
    cells = table[column]
    return bool(cells.type().is_string()) and holds_anywhere(_fits(cells, NUMBER))


def one_row_each(table: Table, column: str, file: str | Path | None = None) -> None:
    """Refuse a second row of the same student: a class of one student's rows would look like a crowd."""
    cells = table[column].cast("string")
    present = table.select(id=cells).filter(cells.notnull())
    counted = present.group_by("id").agg(n=lambda part: part.count())
    repeated = backends.arrow(counted.filter(counted.n > 1).order_by("id").limit(1))  # joined: no id enters a query
    if repeated.num_rows:
        raise InputError(
            "a student has more than one row; records need one row per student: merge the rows or choose another kind",
            file=file,
            column=column,
            row=first_row(table, cells.isin(backends.listed(repeated).id)),
        )


def _typed_number(table: Table, column: str, file: str | Path | None) -> FloatingColumn:
    cells = table[column]
    if not (cells.type().is_numeric() or cells.type().is_boolean()):
        raise InputError(f"expected numbers and found {cells.type()}; use another column", file=file, column=column)
    return _finite(table, cells.cast("float64"), column, file) if cells.type().is_floating() else cells.cast("float64")


def _finite(table: Table, values: FloatingColumn, column: str, file: str | Path | None) -> FloatingColumn:
    wrong = values.isnan() | values.isinf()
    if holds_anywhere(wrong):
        raise InputError(
            "expected a finite number and found infinity or not-a-number; leave the cell empty or correct it",
            file=file,
            column=column,
            row=first_row(table, wrong),
        )
    return values


def _fits(cells: Column, pattern: str) -> BooleanValue:
    text: StringColumn = cells
    return text.re_search(pattern)


def _has_decimal_comma(cells: Column) -> bool:
    """Every cell fits a decimal comma, and at least one could not be a comma between thousands."""
    if not holds_everywhere(_fits(cells, DECIMAL_COMMA)):
        return False
    return holds_anywhere(cells.contains(",") & ~_fits(cells, THOUSANDS))
