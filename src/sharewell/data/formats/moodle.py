"""Moodle's log report as CSV: the user's number stands in the description where the file has no column for it.

Times stay text, as Moodle writes them in the language and format of the site; they are read where they are needed,
and a layout that could be either day-first or month-first must be named in the plan.
"""

from pathlib import Path

import ibis
from ibis.expr.types import Table

from sharewell.data.formats import ReadOptions, delimited
from sharewell.errors import InputError

USER = "user_id"
DESCRIPTION = "Description"
ACTOR = r"[Uu]ser with (?:the )?id '(-?[0-9]+)'"
NOBODY = ("0", "-1")  # a visitor, and Moodle itself


style, write = delimited.style, delimited.write


def read(path: Path, options: ReadOptions) -> Table:
    table = delimited.read(path, options)
    if USER in table.columns:
        return table
    if DESCRIPTION not in table.columns:
        raise InputError(f"has neither a column '{USER}' nor a '{DESCRIPTION}' to find users in", file=path)
    found = table[DESCRIPTION].re_extract(ACTOR, 1)
    nobody = found.isnull() | (found == "") | found.isin(NOBODY)
    return table.mutate(**{USER: nobody.ifelse(ibis.null("string"), found)})
