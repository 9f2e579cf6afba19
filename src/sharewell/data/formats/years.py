"""Dates without a year: in which twelve months they lie, and when nobody but a person can tell.

A log that holds both December and January may be of one calendar year or may pass New Year. The order of its rows could
tell, but a release has an order of its own, in which whoever reads it could not tell it again; so the plan says it.
"""

from pathlib import Path

from ibis.expr.types import TimestampColumn

from sharewell.data import backends
from sharewell.data.formats.date_words import LANGUAGES
from sharewell.errors import InputError

MONTHS = LANGUAGES["en"].months


def months(moments: TimestampColumn) -> list[int]:
    """The months in which anything happened."""
    found = moments.month().name("month").as_table().distinct()
    return sorted(month for month in backends.arrow(found)["month"].to_pylist() if month is not None)


def passes_new_year(found: list[int]) -> bool:
    return {1, 12} <= set(found)


def first_month(found: list[int]) -> int:
    """The month with which twelve begin that hold all of them in a row: the last of the longest pause.

    The month before the first date leaves room for the window in which it lies. January if no month is missing.
    """
    pauses = [(_pause_before(month, found), month) for month in found]
    longest, month = max(pauses, key=lambda pair: pair[0])
    if longest == 0:
        return 1
    return month if longest == 1 else (month - 2) % 12 + 1


def _pause_before(month: int, found: list[int]) -> int:
    """How many months before this one are without a date."""
    return next(gap for gap in range(12) if (month - 2 - gap) % 12 + 1 in found)


def told(year: int, since: int | None) -> str:
    return str(year) if since in (None, 1) else f"{year} and {year + 1}"


def refuse_new_year(moments: TimestampColumn, year: int, *, column: str, file: str | Path | None) -> None:
    """Stops where one calendar year and a year's end are both possible."""
    found = months(moments)
    if not passes_new_year(found):
        return
    since = first_month(found)
    since = 9 if since == 1 else since
    last = MONTHS[(since - 2) % 12]
    raise InputError(
        "the dates have no year, and there are some of December and some of January: write  first_month = 1  if all "
        f"are of {year}, or the month with which twelve begin that hold all of them, such as  first_month = {since}  "
        f"for {MONTHS[since - 1]} {year} to {last} {year + 1}",
        file=file,
        column=column,
    )
