"""What the cells of a column look like, measured on the first rows by one query per file."""

from dataclasses import fields

import ibis
from ibis.expr.types import StringColumn, Table

from sharewell.data.engine import connection
from sharewell.data.formats.date_patterns import month_words
from sharewell.data.formats.dates import DATE_LIKE, SECONDS_1990, SECONDS_2100
from sharewell.plan.claims import Looks

SAMPLE = 50_000
AMBIGUOUS = ("-", "--", "NA", "?", ".")  # may be a value of its own
MARKERS = (*AMBIGUOUS, "N/A", "n/a", "#N/A", "NULL", "null", "None", "NaN", "nan")

_MONTH = "|".join(sorted({word for word in month_words().values()}))
_DAY_NAME = r"(?:[\p{L}-]+\.?,?\s+)?"
NAMED_DATE = (
    rf"(?i)^{_DAY_NAME}(?:[0-9]{{1,2}}\.?(?:\s+de)?[\s-]+(?:{_MONTH})|(?:{_MONTH})\.?\s+[0-9]{{1,2}})\.?(?:[\s,-].{{0,25}})?$"
)

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
    names = [item.name for item in fields(Looks) if item.name not in ("name", "rows", "markers")]
    return [
        Looks(
            name=column,
            rows=found["rows"],
            markers=tuple(sorted(found[f"{place} markers"] or ())),
            **{name: found[f"{place} {name}"] or 0 for name in names},
        )
        for place, column in enumerate(table.columns)
    ]


def _measures(cells: StringColumn) -> dict[str, ibis.Value]:
    marked = cells.isin(MARKERS)
    text = ibis.ifelse(marked, None, cells)
    number = text.try_cast("float64")
    epoch = number.between(SECONDS_1990, SECONDS_2100) | number.between(SECONDS_1990 * 1e3, SECONDS_2100 * 1e3)
    dated = text.re_search(DATE_LIKE) | text.re_search(NAMED_DATE)
    return {
        "markers": ibis.ifelse(marked, cells, None).collect(distinct=True),
        "filled": text.count(),
        "distinct": text.nunique(),
        "words": text.re_replace(r"\S+", "x").re_replace(r"\s", "").length().mean(),
        "email": _share(text.re_search(_EMAIL)),
        "phone": _share(text.re_search(_PHONE) & ~dated & (text.re_search(r"^'?\+|[ ()/-]"))),
        "person": _share(text.re_search(_PERSON)),
        "number": _share(number.notnull()),
        "date": _share(dated | epoch.fill_null(False)),
    }


def _share(condition: ibis.Value) -> ibis.Value:
    return condition.cast("float64").mean()
