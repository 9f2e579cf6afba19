"""How a column writes its times, found from its cells: for `sharewell init`, which writes it into the plan."""

from dataclasses import dataclass

from ibis.expr.types import StringColumn, Table

from sharewell.data import engine
from sharewell.data.formats import years
from sharewell.data.formats.columns import is_number, moment, number
from sharewell.data.formats.date_guess import patterns
from sharewell.data.formats.date_patterns import read
from sharewell.data.formats.dates import SECONDS_1990, SECONDS_2100
from sharewell.errors import InputError
from sharewell.plan.claims import words_of
from sharewell.plan.date_layouts import needs_year

SAMPLE = 3_000  # different cells
PLAIN = (
    r"^[0-9]{4}-[0-9]{2}-[0-9]{2}(?:[T ][0-9]{2}:[0-9]{2}(?::[0-9]{2}(?:\.[0-9]+)?)?(?:Z|[+-][0-9]{2}:?[0-9]{2})?)?$"
)
EXCEL = (20_000, 80_000)  # days: 1954 to 2119
LONGEST_COURSE = 20 * 365  # days that dates of one spreadsheet may lie apart
UNITS = {
    "elapsed-ms": {"ms", "milliseconds", "millis", "msec"},
    "elapsed-s": {"s", "sec", "secs", "seconds"},
    "elapsed-min": {"min", "mins", "minutes"},
    "elapsed-h": {"h", "hours", "hour"},
    "elapsed-d": {"d", "day", "days"},
}
MOST_DAYS, MOST_SECONDS = 2_000, 20_000_000
BY_SIZE = "by its size"
YEARLESS = 2000  # any leap year: only for seeing whether a pattern fits


@dataclass(frozen=True)
class TimeLayout:
    """What to write into the plan; `bad` rows have no time that exists, `other` is a second reading of all cells."""

    layout: str | None = None
    why: str = ""
    other: str | None = None
    bad: int = 0
    missing: int = 0
    first_month: int | None = None  # where dates without a year may pass New Year

    @property
    def guessed_unit(self) -> bool:
        """Whether nothing but the size of its numbers says what a column counts."""
        return self.layout is not None and self.layout.startswith("elapsed") and self.why.endswith(BY_SIZE)

    @property
    def needs_year(self) -> bool:
        return self.layout is not None and needs_year(self.layout)


def layout_of(table: Table, column: str) -> TimeLayout:
    """The layout of a column, or none where it is plain or typed and needs no word."""
    kind = table[column].type()
    empty = int(engine.value(table[column].isnull().sum().fill_null(0)))
    if kind.is_timestamp() or kind.is_date():
        return TimeLayout(missing=empty)
    if kind.is_numeric() or is_number(table, column):
        layout, why = _count(table, column)
        return TimeLayout(layout, why, missing=empty)
    return _text(table, table[column].cast("string").strip(), column, empty)


def _text(table: Table, text: StringColumn, column: str, empty: int) -> TimeLayout:
    if bool(engine.value((text.re_search(PLAIN) | text.isnull()).all())):
        return TimeLayout(missing=empty)
    cells = table.select(cell=text).distinct()
    sample = engine.arrow(cells.filter(cells.cell.notnull()).order_by(cells.cell.hash()).limit(SAMPLE))
    found = [(_unread(text, pattern), pattern) for pattern in patterns(sample["cell"].to_pylist())[:3]]
    if found:
        bad, best = min(found, key=lambda pair: pair[0])
        other = next((pattern for wrong, pattern in found if wrong == bad and pattern != best), None)
        since = _first_month(text, best) if needs_year(best) else None
        return TimeLayout(best, "as the cells are written", other=other, bad=bad, missing=empty, first_month=since)
    try:
        moment(table, column)
    except InputError as error:
        return TimeLayout(None, error.problem, bad=1, missing=empty)
    return TimeLayout(missing=empty)


def _unread(text: StringColumn, pattern: str) -> int:
    moments = read(text, pattern, YEARLESS if needs_year(pattern) else None)
    return int(engine.value((text.notnull() & moments.isnull()).sum().fill_null(0)))


def _first_month(text: StringColumn, pattern: str) -> int | None:
    found = years.months(read(text, pattern, YEARLESS))
    return years.first_month(found) if years.passes_new_year(found) else None


def _count(table: Table, column: str) -> tuple[str, str]:
    """What a number counts, by its size, and by its name where the size leaves it open."""
    values = number(table, column)
    found = engine.arrow(table.aggregate(least=values.min(), most=values.max())).to_pylist()[0]
    least, most = found["least"] or 0, found["most"] or 0
    for layout, unit in (("epoch-s", 1), ("epoch-ms", 1_000)):
        if SECONDS_1990 * unit <= least and most <= SECONDS_2100 * unit:
            return layout, f"counts from 1970, {BY_SIZE}"
    named = next((layout for layout, words in UNITS.items() if words & set(words_of(column))), None)
    if named is not None:
        return named, "counts from a start, as its name says"
    if EXCEL[0] <= least and most <= EXCEL[1] and most - least < LONGEST_COURSE:
        return "excel", "days as a spreadsheet counts them, by their size"
    if most <= MOST_DAYS and "date" in words_of(column):
        return "elapsed-d", "days from a start, by its name and their size"
    return ("elapsed-ms" if most > MOST_SECONDS else "elapsed-s"), f"counts from a start, {BY_SIZE}"
