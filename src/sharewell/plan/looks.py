"""What the cells of a column look like, measured on the first rows by one query per file."""

from dataclasses import fields
from functools import reduce
from operator import add

import ibis
from ibis.expr.types import StringColumn, Table

from sharewell.data.engine import connection
from sharewell.data.formats.dates import DATE_LIKE, SECONDS_1990, SECONDS_2100
from sharewell.plan.claims import MARKERS, Looks

SAMPLE = 50_000

_EMAIL = r"^[^@\s]+@[^@\s]+\.[A-Za-z]{2,}$"
_PHONE = r"^'?\+?[0-9(][0-9 ()/.-]{6,18}[0-9]$"
_PERSON = r"^\p{Lu}[\p{Ll}'’]+(?:[ -]\p{Lu}[\p{L}'’.]*){1,3}$"


def looks(table: Table) -> list[Looks]:
    """Every column of a table, measured on its first rows in one query."""
    sample = table.limit(SAMPLE)
    measures = {}
    for place, name in enumerate(table.columns):
        text = sample[name].cast("string").strip()
        for measure, value in _measures(text).items():
            measures[f"{place} {measure}"] = value
    found = connection().to_pyarrow(sample.aggregate(rows=sample.count(), **measures)).to_pylist()[0]
    names = [item.name for item in fields(Looks) if item.name not in ("name", "rows")]
    return [
        Looks(
            name=column,
            rows=found["rows"],
            **{name: found[f"{place} {name}"] or 0 for name in names},
        )
        for place, column in enumerate(table.columns)
    ]


def _measures(text: StringColumn) -> dict[str, ibis.Value]:
    number = text.try_cast("float64")
    epoch = number.between(SECONDS_1990, SECONDS_2100) | number.between(SECONDS_1990 * 1e3, SECONDS_2100 * 1e3)
    dated = text.re_search(DATE_LIKE)
    return {
        "filled": text.count(),
        "distinct": text.nunique(),
        "words": text.re_replace(r"\S+", "x").re_replace(r"\s", "").length().mean(),
        "email": _share(text.re_search(_EMAIL)),
        "phone": _share(text.re_search(_PHONE) & ~dated & (text.re_search(r"^'?\+|[ ()/-]"))),
        "person": _share(text.re_search(_PERSON)),
        "number": _share(number.notnull()),
        "date": _share(dated | epoch.fill_null(False)),
        "markers": _markers(text),
    }


def _markers(text: StringColumn) -> ibis.Value:
    """Which of the usual words for "no value" occur, as bits."""
    seen = [(text == marker).any().cast("int64") * 2**bit for bit, marker in enumerate(MARKERS)]
    return reduce(add, seen)


def _share(condition: ibis.Value) -> ibis.Value:
    return condition.cast("float64").mean()
