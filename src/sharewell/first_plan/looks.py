"""What the cells of a column look like: counted by the engine over the first rows, looked at one by one for some."""

import re
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType

from ibis.expr.types import Table

from sharewell.data import engine
from sharewell.data.formats.date_patterns import month_words
from sharewell.data.formats.dates import DATE_LIKE, SECONDS_1990, SECONDS_2100
from sharewell.plan.claims import Looks, words_of

SAMPLE = 50_000  # rows
LOOKED_AT = 1_000  # different cells
AMBIGUOUS = ("-", "--", "NA", "?", ".")  # may be a value of its own
MARKERS = (*AMBIGUOUS, "N/A", "n/a", "#N/A", "NULL", "null", "None", "NaN", "nan")
# cells of grade books that are no number, without dots and blanks; only among numbers do they stand for no value
UNMARKED = frozenset({
    "inprogress", "needsgrading", "notgraded", "ungraded", "notsubmitted", "missing", "absent", "abs", "excused",
    "exempt", "ex", "np", "dns", "ka", "nb", "ne", "keineangabe", "nichtbewertet", "nichterschienen", "fehlt",
    "entfallt", "absentee", "nonnote", "nonevalue", "nonrendu", "dispense", "ausente", "nopresentado",
    "sincalificacion", "assente", "girmedi", "gr", "devamsiz",
})  # fmt: skip

_MONTH = "|".join(month_words().values())
_NAMED_DATE = re.compile(
    rf"(?:[^\W\d_][\w-]*\.?,?\s+)?(?:[0-9]{{1,2}}\.?(?:\s+de)?[\s-]+(?:{_MONTH})|(?:{_MONTH})\.?\s+[0-9]{{1,2}})\.?"
    r"(?:[\s,-].{0,25})?",
    re.IGNORECASE,
)
_DATE = re.compile(DATE_LIKE)
_EMAIL = re.compile(r"[^@\s]+@[^@\s]+\.[A-Za-z]{2,}")
_PHONE = re.compile(r"'?\+?[0-9(][0-9 ()/.-]{6,18}[0-9]")
_FRACTION = re.compile(r"-?[0-9]+[.,][0-9]+")
_PHONE_SIGN = re.compile(r"'?\+|.*[ ()/-]")
_PERSON = re.compile(r"[^\W\d_]['’\w]+,?(?:[ -][^\W\d_][\w'’.]*){1,3}")


def looks(table: Table, meant: Mapping[str, str] = MappingProxyType({})) -> list[Looks]:
    """Describe every column of a table by its first rows.

    `meant`: names in English, where a format knows them.
    """
    sample = table.limit(SAMPLE)
    cells = {f"c{place}": sample[name].cast("string").strip() for place, name in enumerate(table.columns)}
    kept = engine.materialise(sample.select(**cells))
    rows = int(engine.figures(kept, ["count(*)"])[0])
    counts = {name: _counts(kept, f"c{place}") for place, name in enumerate(table.columns)}
    numbers = {name: found for name, found in counts.items() if rows > 1 and len(found) == rows}
    return [
        _column(name, rows, found, row_named=_row_named(name, found, numbers), meant=meant.get(name, ""))
        for name, found in counts.items()
    ]


def _row_named(name: str, counts: Mapping[str, int], numbers: Mapping[str, Mapping[str, int]]) -> str | None:
    """The column of row numbers in which every cell of this one is found: a post that another one answers."""
    others = (other for other in numbers if other != name)
    return next((other for other in others if counts and counts.keys() <= numbers[other].keys()), None)


def _counts(kept: Table, column: str) -> dict[str, int]:
    """How often each cell occurs; missing ones are left out."""
    found = engine.connection().raw_sql(
        f"SELECT {column} AS cell, count(*) FROM ({engine.connection().compile(kept)}) "
        f"WHERE {column} IS NOT NULL GROUP BY 1 ORDER BY hash({column}), 1"
    )
    return dict(found.fetchall())


def _column(name: str, rows: int, counts: Mapping[str, int], *, row_named: str | None, meant: str) -> Looks:
    unmarked = {cell for cell in counts if "".join(words_of(cell)[:-1]) in UNMARKED}
    if any(not _is_number(cell) for cell in counts.keys() - unmarked - set(MARKERS)):
        unmarked = set()
    markers = tuple(sorted(counts.keys() & ({*MARKERS} | unmarked)))
    present = {cell: count for cell, count in counts.items() if cell not in markers}
    some = dict(list(present.items())[:LOOKED_AT])
    return Looks(
        name=name,
        rows=rows,
        filled=sum(present.values()),
        distinct=len(present),
        markers=markers,
        cells=frozenset(some),
        row_named=row_named,
        words=_share(some, lambda cell: len(cell.split())),
        email=_share(some, lambda cell: _EMAIL.fullmatch(cell) is not None),
        phone=_share(some, _is_phone),
        person=_share(some, _is_person),
        number=_share(some, _is_number),
        date=_share(some, _is_date),
        fractions=any(_FRACTION.fullmatch(cell) for cell in some),
        meant=meant,
    )


def _share(cells: Mapping[str, int], measure: Callable[[str], float]) -> float:
    """The mean of a measure over the rows that hold these cells."""
    total = sum(cells.values())
    return sum(count * measure(cell) for cell, count in cells.items()) / total if total else 0.0


def _is_number(cell: str) -> bool:
    try:
        float(cell.replace(",", ".", 1))
        return True
    except ValueError:
        return False


def _is_date(cell: str) -> bool:
    if _DATE.fullmatch(cell) or _NAMED_DATE.fullmatch(cell):
        return True
    return cell.isdecimal() and any(SECONDS_1990 * unit <= float(cell) <= SECONDS_2100 * unit for unit in (1, 1_000))


def _is_phone(cell: str) -> bool:
    return bool(_PHONE.fullmatch(cell) and _PHONE_SIGN.match(cell)) and not _DATE.fullmatch(cell)


def _is_person(cell: str) -> bool:
    """Two to four capitalised words."""
    parts: Sequence[str] = re.split(r"[ -]", cell)
    return _PERSON.fullmatch(cell) is not None and all(part[:1].isupper() for part in parts if part)
