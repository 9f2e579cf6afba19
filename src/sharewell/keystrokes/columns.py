"""Key events under the names that the rest of this package uses, whatever the columns were called.

Canonical columns: `student`, `session`, `key` (text), `press` and `release` (milliseconds), `week`, `row`. Clocks
come in seconds, milli-, micro- or nanoseconds, or as timestamps; a count since 1970 tells its unit by its size.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NotRequired, TypedDict

import ibis
from ibis.expr.types import Column, FloatingColumn, Table

from sharewell.data.formats.clocks import guess_unit, milliseconds
from sharewell.data.formats.columns import check_columns, first_row
from sharewell.errors import InputError


class TimeColumns(TypedDict):
    """What every function on key events is told: whose they are, and when keys were pressed and let go.

    `unit` is the unit of the clock (ns, us, ms, s) where it cannot be told from the times themselves.
    """

    student: str
    session: str
    press: str
    release: NotRequired[str | None]
    unit: NotRequired[str | None]


class Keys(TimeColumns):
    """With the column of keys, and that of weeks where there is one."""

    key: str
    week: NotRequired[str | None]


@dataclass(frozen=True, kw_only=True)
class KeyColumns:
    """Which column says what. Without `release` there are no hold times; `week` may order sessions."""

    student: str
    session: str
    key: str | None
    press: str
    release: str | None = None
    week: str | None = None
    unit: str | None = None

    def named(self) -> dict[str, str]:
        roles = ("student", "session", "key", "press", "release", "week")
        return {role: name for role in roles if (name := getattr(self, role)) is not None}


def as_named(given: Mapping[str, Any]) -> KeyColumns:
    """The columns that a call names."""
    lacks = [f"{role}=" for role in ("student", "session", "key", "press") if role not in given]
    unknown = [f"{role}=" for role in given if role not in KeyColumns.__dataclass_fields__]
    if lacks or unknown:
        wrong = f"{', '.join(lacks)} missing" if lacks else f"{', '.join(unknown)} unknown"
        raise TypeError(f"expected the columns student=, session=, key=, press=, release=, week= and unit=; {wrong}")
    return KeyColumns(**given)


def canonical(table: Table, columns: KeyColumns, *, row: str | None = None) -> Table:
    """The events under canonical names, times in milliseconds; `row` names the column that numbers them, if any."""
    _check(table, columns)
    unit = columns.unit or guess_unit(table, columns.press)
    text = {role: table[name].cast("string") for role, name in columns.named().items() if role in _TEXT}
    release = milliseconds(table, columns.release, unit=unit) if columns.release else ibis.null("float64")
    press = milliseconds(table, columns.press, unit=unit)
    week = _week(table[columns.week]) if columns.week else ibis.literal(0.0)
    key = text.pop("key", ibis.literal(""))
    rows = {"row": table[row] if row is not None else ibis.row_number()}
    return table.select(**text, key=key, press=press, release=release, week=week, **rows)


_TEXT = ("student", "session", "key")


def _week(column: Column) -> FloatingColumn:
    return column.cast("string").try_cast("float64").coalesce(0.0)


def _check(table: Table, columns: KeyColumns) -> None:
    check_columns(table, **columns.named())
    for role, name in columns.named().items():
        if role in ("student", "session", "press"):
            _refuse_missing(table, role, name)


def _refuse_missing(table: Table, role: str, name: str) -> None:
    row = first_row(table, table[name].isnull())
    if row is not None:
        raise InputError(f"the {role} is missing; every key event needs one", column=name, row=row)
