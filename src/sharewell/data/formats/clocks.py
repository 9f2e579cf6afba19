"""Clocks that count: seconds, milli-, micro- or nanoseconds, or written as dates. All become milliseconds."""

from datetime import datetime
from pathlib import Path

import ibis
from ibis.expr.types import FloatingColumn, Table

from sharewell.data import backends
from sharewell.data.formats.columns import is_number, mixes_numbers, moment, number

PER_MS = {"ns": 1e6, "us": 1e3, "ms": 1.0, "s": 1e-3}
EPOCH_SIZES = (("ns", 1e17), ("us", 1e14), ("ms", 1e11))  # 1973 in each unit: a smaller count is no date of today


@ibis.udf.scalar.builtin(name="epoch_us")  # type: ignore[untyped-decorator]
def epoch_us(stamp: datetime) -> int:  # type: ignore[empty-body]
    """DuckDB's own; Ibis rounds a fraction of a second to the nearest whole one."""


def milliseconds(
    table: Table, column: str, *, unit: str | None = None, file: str | Path | None = None
) -> FloatingColumn:
    """The column in milliseconds; counts by their unit, dates since 1970."""
    cells = table[column]
    if cells.type().is_timestamp() or not (
        cells.type().is_numeric() or is_number(table, column) or mixes_numbers(table, column)
    ):
        stamps = moment(table, column, file=file)
        return epoch_us(stamps.cast("timestamp(6)")).cast("float64") / 1000
    return number(table, column, file=file) / PER_MS[unit or guess_unit(table, column, file=file)]


def guess_unit(table: Table, column: str, *, file: str | Path | None = None) -> str:
    """The unit of a clock: as its column is called (`time_ns`), or by the size of a count from 1970; else milliseconds.

    A count since a machine was started says nothing by its size.
    """
    named = column.lower().rpartition("_")[2]
    if named in ("ns", "us"):
        return named
    if not (table[column].type().is_numeric() or is_number(table, column)):
        return "ms"
    largest = backends.value(number(table, column, file=file).max())
    return next((unit for unit, size in EPOCH_SIZES if largest is not None and largest >= size), "ms")
