"""Times read by a pattern as of strptime, and written by it again.

Every cell must fit the whole pattern and name a moment that exists. A pattern becomes one regular expression whose
groups are put into ISO order; words for months are looked up in all languages at once (see `date_words`).
"""

import re
from collections.abc import Iterator, Mapping
from datetime import datetime

import ibis
from ibis.expr.types import StringColumn, StringValue, Table, TimestampColumn, TimestampValue

from sharewell.data import backends
from sharewell.data.formats import date_words
from sharewell.plan.date_layouts import DIRECTIVE

Words = Mapping[str, Mapping[int, str]]  # letter of a pattern → number of a month, weekday or half day → its word

_GROUPS = {
    "d": "[0-9]{1,2}", "m": "[0-9]{1,2}", "H": "[0-9]{1,2}", "I": "[0-9]{1,2}", "M": "[0-9]{1,2}", "S": "[0-9]{1,2}",
    "Y": "[0-9]{4}", "y": "[0-9]{2}", "f": "[0-9]{1,6}",
    "b": r"\p{L}+\.?", "B": r"\p{L}+\.?", "a": r"[\p{L}-]+\.?", "A": r"[\p{L}-]+\.?", "p": r"[AaPp]\.?\s?[Mm]\.?",
}  # fmt: skip
_SPACE = r"[\s\x{00a0}\x{202f}]+"  # newer systems write a narrow space before a.m.
SPELLED = "bBaAp"


@ibis.udf.scalar.builtin  # type: ignore[untyped-decorator]
def try_strptime(text: str, pattern: str) -> datetime:  # type: ignore[empty-body]
    """DuckDB's own: null where the text does not fit."""


@ibis.udf.scalar.builtin  # type: ignore[untyped-decorator]
def strftime(moment: datetime, pattern: str) -> str:  # type: ignore[empty-body]
    """DuckDB's own."""


def read(text: StringColumn, pattern: str, year: int | None = None, first_month: int | None = None) -> TimestampColumn:
    """The moment in each cell that fits; null where a cell does not, or where no such moment exists.

    Dates without a year lie in the twelve months that begin with the first month of `year`: January, if none is given.
    """
    moments = _read(text, pattern, year)
    if year is None or first_month in (None, 1):
        return moments
    later = _read(text, pattern, year + 1)  # by itself: one of the two years may have a 29th of February
    return ibis.cases((later.month() < first_month, later), (moments.month() >= first_month, moments))


def _read(text: StringColumn, pattern: str, year: int | None) -> TimestampColumn:
    whole, place = _regex(pattern), {letter: number for number, letter in enumerate(_letters(pattern), start=1)}
    month = next(letter for letter in "mbB" if letter in place)
    years = next((letter for letter in "Yy" if letter in place), None)
    date = f"{_group(place, years) if years else year}-{_group(place, month)}-{_group(place, 'd')}"
    layout = f"%{years or 'Y'}-%m-%d"
    hour = next((letter for letter in "HI" if letter in place), None)
    if hour:
        date += f" {_group(place, hour)}" + "".join(f":{_group(place, part)}" for part in "MS" if part in place)
        layout += f" %{hour}" + "".join(f":%{part}" for part in "MS" if part in place)
    for part, mark in (("f", "."), ("p", " ")):
        if part in place:
            date, layout = f"{date}{mark}{_group(place, part)}", f"{layout}{mark}%{part}"
    ordered = text.re_replace(whole, date)
    for number, words in month_words().items() if month in "bB" else ():
        ordered = ordered.re_replace(rf"^([0-9]+)-(?i:{words})\.?-", rf"\1-{number}-")
    if "p" in place:
        ordered = ordered.re_replace(r"\s([AaPp])\.?\s?[Mm]\.?$", r" \1M")
    return ibis.ifelse(text.re_search(whole), try_strptime(ordered, layout), None)


def words(table: Table, text: StringColumn, pattern: str) -> dict[str, dict[int, str]]:
    """How most cells write each month, weekday and half day; those that do not occur follow the others."""
    found = {}
    numbers = {"b": date_words.MONTHS, "B": date_words.MONTHS, "a": date_words.WEEKDAYS, "A": date_words.WEEKDAYS}
    for place, letter in enumerate(_letters(pattern), start=1):
        if letter in SPELLED:
            known = numbers.get(letter, date_words.HALVES)
            seen = {known[plain]: word for word, plain in _commonest(table, text, pattern, place) if plain in known}
            found[letter] = date_words.spelled(letter, seen)
    return found


def write(moment: TimestampValue, pattern: str, spelled: Words) -> StringValue:
    """The text of a moment, as the pattern says and with the words that the file used."""
    pieces: list[StringValue] = []
    rest = 0
    for found in DIRECTIVE.finditer(pattern):
        if found[2] in SPELLED:
            if found.start() > rest:
                pieces.append(strftime(moment, pattern[rest : found.start()]))
            pieces.append(_word(moment, found[2], spelled[found[2]]))
            rest = found.end()
    if rest < len(pattern):
        pieces.append(strftime(moment, pattern[rest:]))
    return pieces[0].concat(*pieces[1:]) if len(pieces) > 1 else pieces[0]


def _word(moment: TimestampValue, letter: str, spelled: Mapping[int, str]) -> StringValue:
    number = {"b": moment.month, "B": moment.month, "a": moment.day_of_week.index, "A": moment.day_of_week.index}.get(
        letter, lambda: (moment.hour() >= 12).cast("int32")
    )()
    return number.cases(*((value, ibis.literal(word)) for value, word in sorted(spelled.items())))


def _commonest(table: Table, text: StringColumn, pattern: str, place: int) -> Iterator[tuple[str, str]]:
    """The words at a place of the pattern, rarest first, so that the commonest of a meaning is taken last."""
    cells = table.select(
        word=ibis.ifelse(text.re_search(_regex(pattern)), text.re_extract(_regex(pattern), place), None)
    )
    counted = cells.filter(cells.word.notnull()).group_by("word").agg(n=lambda part: part.count())
    rows = backends.arrow(counted.order_by(["n", "word"]).limit(10_000))
    for word in rows["word"].to_pylist():
        yield word, date_words.plain(word)


def _regex(pattern: str) -> str:
    pieces, rest = [], 0
    for found in DIRECTIVE.finditer(pattern):
        pieces += [_literal(pattern[rest : found.start()]), f"({_GROUPS[found[2]]})" if found[2] != "%" else "%"]
        rest = found.end()
    return "^" + "".join([*pieces, _literal(pattern[rest:])]) + "$"


def _literal(text: str) -> str:
    return "".join(_SPACE if part.isspace() else re.escape(part) for part in re.split(r"(\s+)", text) if part)


def _letters(pattern: str) -> list[str]:
    return [letter for _, letter in DIRECTIVE.findall(pattern) if letter != "%"]


def _group(place: Mapping[str, int], letter: str) -> str:
    return rf"\{place[letter]}"


def month_words() -> dict[int, str]:
    """Every way to write a month, with and without its accents, as one expression each."""
    listed: dict[int, set[str]] = {number: set() for number in range(1, 13)}
    for language in date_words.LANGUAGES.values():
        for names in (language.months, language.short_months):
            for number, word in enumerate(names, start=1):
                listed[number] |= {word.lower(), date_words.plain(word)}
    for word, number in date_words.FURTHER_MONTHS.items():
        listed[number] |= {word, date_words.plain(word)}
    return {number: "|".join(sorted(words_, key=len, reverse=True)) for number, words_ in listed.items()}
