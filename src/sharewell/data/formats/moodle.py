"""Moodle's log report as CSV: the user's number stands in the description where the file has no column for it.

A log whose descriptions number nobody gets no such column: its students go by their names.

Times stay text, as Moodle writes them in the language and format of the site; they are read where they are needed,
and a layout that could be either day-first or month-first must be named in the plan.
"""

import re
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path

import ibis
from ibis.expr.types import Table

from sharewell.data.formats import ReadOptions, delimited
from sharewell.data.formats.rows import holds_anywhere
from sharewell.errors import InputError

USER = "user_id"
COLUMNS = (  # of the report, whatever they are called in the language of the site
    "Time", "User full name", "Affected user", "Event context", "Component", "Event name", "Description", "Origin",
    "IP address",
)  # fmt: skip
DESCRIPTION = COLUMNS.index("Description")
ACTOR = r"""[Uu]ser with (?:the )?id ['"]*(-?[0-9]+)"""  # descriptions are always English
SAMPLE = 1_000  # rows in which descriptions are looked for
NOBODY = ("0", "-1")  # a visitor, and Moodle itself


def is_log(names: Collection[str], rows: str) -> bool:
    """Whether this is a log report that names users in its descriptions only: a report has the same nine columns."""
    return USER not in names and len(names) == len(COLUMNS) and re.search(ACTOR, rows) is not None


def meant(names: Sequence[str]) -> Mapping[str, str]:
    """The English name of each column of a log report in another language, by its place."""
    own = [name for name in names if name != USER]
    return dict(zip(own, COLUMNS, strict=True)) if len(own) == len(COLUMNS) else {}


style, write = delimited.style, delimited.write


def read(path: Path, options: ReadOptions) -> Table:
    table = delimited.read(path, options)
    if USER in table.columns:
        return table
    description = _description(table)
    if description is None:
        raise InputError(f"has neither a column '{USER}' nor a '{COLUMNS[DESCRIPTION]}' to find users in", file=path)
    found = table[description].re_extract(ACTOR, 1)
    nobody = found.isnull() | (found == "") | found.isin(NOBODY)
    if not holds_anywhere(~nobody):
        return table
    return table.mutate(**{USER: nobody.ifelse(ibis.null("string"), found)})


def _description(table: Table) -> str | None:
    """The column by its English name, else by its place, else the first one whose cells number users."""
    names: list[str] = list(table.columns)
    if COLUMNS[DESCRIPTION] in names:
        return COLUMNS[DESCRIPTION]
    if len(names) == len(COLUMNS):
        return names[DESCRIPTION]
    rows = table.limit(SAMPLE)
    return next((name for name in names if holds_anywhere(rows[name].re_search(ACTOR))), None)
