"""How a plan says in which way a column writes its times: the name of a layout, or a pattern as of strptime.

    dates = { Time = "%d %b, %H:%M" }
    year = 2018

A pattern is read strictly and times come out as they came in; names of months and days may be in any language that
`data/formats/date_words.py` lists. `%-d`, `%-m`, `%-H`, `%-I`, `%-M`, `%-S` write one digit where one will do. Nothing
heavy is imported here: plans are checked before any data is opened.
"""

import re

LOOSE = ("iso", "day-first", "month-first", "year-first", "month-name")  # several ways of writing; come out as ISO
COUNTS = {  # what a number counts: units in a second, and whether it counts from 1970 or from a start of its own
    "epoch-s": 1.0,
    "epoch-ms": 1e3,
    "elapsed-ms": 1e3,
    "elapsed-s": 1.0,
    "elapsed-min": 1 / 60,
    "elapsed-h": 1 / 3_600,
    "elapsed-d": 1 / 86_400,
    "excel": 1 / 86_400,
}
LAYOUTS = (*LOOSE, *COUNTS)
DIRECTIVES = frozenset("dmyYbBaAHIMSfp")
DIRECTIVE = re.compile(r"%(-?)([a-zA-Z%])")
WITH_YEAR = frozenset("yY")


def is_pattern(layout: str) -> bool:
    return "%" in layout


def needs_year(layout: str) -> bool:
    return is_pattern(layout) and not _letters(layout) & WITH_YEAR


def comes_back(layout: str) -> bool:
    """Whether times are written as they were read; loose layouts come out in ISO order."""
    return is_pattern(layout) or layout in COUNTS


def problem(layout: str, year: int | None) -> str | None:
    """What is wrong with a layout, in words that end with what to write instead."""
    if not is_pattern(layout):
        known = ", ".join(LAYOUTS)
        return None if layout in LAYOUTS else f'is neither a pattern such as "%d/%m/%Y, %H:%M" nor one of {known}'
    letters = _letters(layout)
    if unknown := sorted(letters - DIRECTIVES):
        return f"uses %{unknown[0]}; a pattern may use {', '.join(f'%{letter}' for letter in sorted(DIRECTIVES))}"
    if _parts(layout) != len(set(_parts_of(layout))):
        return "names the same part of a date twice"
    if "d" not in letters or not letters & set("mbB"):
        return "must have a day (%d) and a month (%m, %b or %B)"
    if ("I" in letters) != ("p" in letters):
        return "must have %I and %p together: hours from 1 to 12 need a.m. or p.m."
    if needs_year(layout) and year is None:
        return "has no year; write the year of these dates beside it, as in  year = 2018"
    return None


def _letters(layout: str) -> set[str]:
    return {letter for _, letter in DIRECTIVE.findall(layout)} - {"%"}


def _parts_of(layout: str) -> list[str]:
    same = {"b": "m", "B": "m", "Y": "y", "A": "a", "I": "H"}
    return [same.get(letter, letter) for _, letter in DIRECTIVE.findall(layout) if letter != "%"]


def _parts(layout: str) -> int:
    return len(_parts_of(layout))
