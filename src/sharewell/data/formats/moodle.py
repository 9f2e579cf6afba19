"""Moodle's log report as CSV: the user's number stands in the description where the file has no column for it.

A log whose descriptions number nobody gets no such column: its students go by their names.

Times stay text, as Moodle writes them in the language and format of the site; they are read where they are needed,
and a layout that could be either day-first or month-first must be named in the plan.
"""

from collections.abc import Collection
from pathlib import Path

import ibis
from ibis.expr.types import Table

from sharewell.data.formats import ReadOptions, delimited
from sharewell.data.formats.rows import holds_anywhere
from sharewell.errors import InputError

USER = "user_id"
DESCRIPTIONS = ("Description", "Beschreibung", "Descripción", "Descrizione", "Descrição")  # its text is always English
CONTEXTS = (
    "Event context", "Ereigniskontext", "Contexte de l'événement", "Contexto del evento", "Contesto dell'evento",
    "Contexto do evento",
)  # fmt: skip
ACTOR = r"""[Uu]ser with (?:the )?id ['"]?(-?[0-9]+)"""
NOBODY = ("0", "-1")  # a visitor, and Moodle itself
DERIVED = {USER: "the number of the user in the Description of an event"}


def is_log(names: Collection[str]) -> bool:
    """Whether these are the columns of a log report that names users in its descriptions only."""
    return USER not in names and any(name in names for name in DESCRIPTIONS) and any(name in names for name in CONTEXTS)


style, write = delimited.style, delimited.write


def read(path: Path, options: ReadOptions) -> Table:
    table = delimited.read(path, options)
    if USER in table.columns:
        return table
    description = next((name for name in DESCRIPTIONS if name in table.columns), None)
    if description is None:
        raise InputError(f"has neither a column '{USER}' nor a '{DESCRIPTIONS[0]}' to find users in", file=path)
    found = table[description].re_extract(ACTOR, 1)
    nobody = found.isnull() | (found == "") | found.isin(NOBODY)
    if not holds_anywhere(~nobody):
        return table
    return table.mutate(**{USER: nobody.ifelse(ibis.null("string"), found)})
