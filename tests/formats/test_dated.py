"""Times by pattern and by count: read as moments, written back as they came, and what does not fit told by its form."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from itertools import pairwise
from typing import Any

import ibis
import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sharewell.data import engine
from sharewell.data.formats import date_words, dated
from sharewell.data.formats.date_guess import form, patterns
from sharewell.data.formats.dated import Dates
from sharewell.data.formats.years import first_month
from sharewell.plan.date_layouts import problem

Q = datetime(2018, 5, 4, 9, 5)


def table_of(cells: Sequence[Any]) -> ibis.Table:
    return ibis.memtable(pa.table({"Time": cells}))


def dates(layout: str, **given: Any) -> Dates:
    return Dates(layouts={"Time": layout}, times=frozenset({"Time"}), **given)


def there_and_back(cells: Sequence[Any], layout: str, year: int | None = None) -> tuple[list[Any], list[Any]]:
    """The moments, and the cells as they are written again."""
    read, how, problems = dated.read(table_of(cells), dates(layout, year=year))
    assert not problems, problems[0]
    kept = engine.materialise(read)
    told = {name: one.told() for name, one in how.items()}
    again = dated.written(kept, how)
    assert engine.arrow(dated.reread(engine.materialise(again), told))["Time"].to_pylist() == column(kept)
    return column(kept), column(again)


def column(table: ibis.Table) -> list[Any]:
    return list(engine.arrow(table)["Time"].to_pylist())


@pytest.mark.parametrize(
    ("cells", "layout", "year", "moment"),
    [
        (["04 May, 09:05"], "%d %b, %H:%M", 2018, Q),
        (["4/5/18 9:5"], "%-d/%-m/%y %-H:%-M", None, Q),
        (["04/05/18, 09:05"], "%d/%m/%y, %H:%M", None, Q),
        (["5/4/2018 9:05 AM"], "%-m/%-d/%Y %-I:%M %p", None, Q),
        (["4 May 2018, 9:05 am", "4 May 2018, 9:05 pm"], "%-d %B %Y, %-I:%M %p", None, Q),
        (["4 May 2018 09:05 a.m."], "%-d %b %Y %I:%M %p", None, Q),
        (["Freitag, 4. Mai 2018, 09:05"], "%A, %-d. %B %Y, %H:%M", None, Q),
        (["vendredi 4 mai 2018, 09:05", "jeudi 1 févr. 2018, 09:05"], "%A %-d %b %Y, %H:%M", None, Q),
        (["4 de mayo de 2018, 09:05", "4 de septiembre de 2018, 10:05"], "%-d de %B de %Y, %H:%M", None, Q),
        (["4 maggio 2018, 09:05"], "%-d %B %Y, %H:%M", None, Q),
        (["4 de maio de 2018, 09:05"], "%-d de %B de %Y, %H:%M", None, Q),
        (["4 MAI 2018 09:05"], "%-d %b %Y %H:%M", None, Q),
        (["20180504T0905"], "%Y%m%dT%H%M", None, Q),
        (["1525424700"], "epoch-s", None, Q),
        (["1525424700000"], "epoch-ms", None, Q),
        ([1525424700000], "epoch-ms", None, Q),
        ([43224.37847222222, 43225.0], "excel", None, Q),
    ],
)
def test_moments_come_back_as_they_came(cells: list[Any], layout: str, year: int | None, moment: datetime) -> None:
    moments, again = there_and_back(cells, layout, year)
    assert moments[0] == moment
    if layout == "excel":
        assert again == pytest.approx(cells, abs=1e-6)
    else:
        assert again == cells


@pytest.mark.parametrize(("layout", "unit"), [("elapsed-ms", 1e-3), ("elapsed-s", 1), ("elapsed-d", 86_400)])
def test_counts_from_a_start_keep_their_distances(layout: str, unit: float) -> None:
    moments, again = there_and_back(["0", "7", "-10", "250"], layout)
    assert again == ["0", "7", "-10", "250"]
    assert moments[3] - moments[2] == timedelta(seconds=260 * unit)


def test_a_month_begins_before_the_start_but_no_count_does() -> None:
    read, how, _ = dated.read(table_of([5, 40]), dates("elapsed-d"))
    months = read.mutate(Time=read.Time.truncate("M"))
    assert column(dated.written(months, how)) == [0, 27]


def test_what_no_longer_is_a_moment_stays() -> None:
    _, how, _ = dated.read(table_of(["04 May, 09:05"]), dates("%d %b, %H:%M", year=2018))
    hours = table_of([9])
    assert column(dated.written(hours, how)) == [9]


def some_moments(count: int) -> list[datetime]:
    seconds = np.random.default_rng(5).integers(0, int(timedelta(days=36_000).total_seconds()), count)
    return [datetime(1970, 1, 1) + timedelta(seconds=int(second)) for second in seconds]


@pytest.mark.parametrize(
    "layout",
    ["%d/%m/%y, %H:%M:%S", "%-m/%-d/%Y %-I:%-M:%-S %p", "%d %B %Y %H:%M:%S", "%a, %d %b %Y %H:%M:%S", "%Y%m%d%H%M%S"],
)
def test_any_moment_survives_any_pattern(layout: str) -> None:
    moments = some_moments(500)
    cells = [at.strftime(layout.replace("%-", "%")) for at in moments]
    read, again = there_and_back(cells, layout)
    assert read == moments
    assert "%-" in layout or again == cells


@pytest.mark.parametrize("language", sorted(date_words.LANGUAGES))
def test_the_guess_reads_what_was_written(language: str) -> None:
    """Written with the names of any language, the first of the guessed patterns gives back every minute."""
    words, moments = date_words.LANGUAGES[language], [at.replace(second=0) for at in some_moments(200)]
    cells = [
        f"{words.weekdays[at.weekday()]}, {at.day} {words.months[at.month - 1]} {at:%Y} {at.hour}:{at:%M}"
        for at in moments
    ]
    assert there_and_back(cells, patterns(cells)[0]) == (moments, cells)


def test_no_word_means_two_months_or_two_weekdays() -> None:
    for kind, numbers in (
        (("months", "short_months"), date_words.MONTHS),
        (("weekdays", "short_weekdays"), date_words.WEEKDAYS),
    ):
        for language in date_words.LANGUAGES.values():
            for name in kind:
                for place, word in enumerate(getattr(language, name), start=name.endswith("months")):
                    assert numbers[date_words.plain(word)] == place


@pytest.mark.parametrize(
    ("cell", "told"),
    [
        ("11 May, 09:44", "dd Mon, hh:mm"),
        ("samedi 3 mars 2018, 9:44 PM", "Day dd Mon yyyy, hh:mm am"),
        ("Jane O'Neill", "word word?word"),
        ("2018-05-04", "yyyy-nn-nn"),
    ],
)
def test_a_form_tells_nothing_of_what_stands_there(cell: str, told: str) -> None:
    assert form(cell) == told


@given(st.text(max_size=60))
def test_no_form_carries_a_value(cell: str) -> None:
    allowed = set("yndfhmsDayMonwram:/.-, +?…")
    assert set(form(cell)) <= allowed
    assert len(form(cell)) <= 41


@pytest.mark.parametrize(
    ("cell", "said"),
    [
        (
            "2018-05-04 09:05",
            'form yyyy-nn-nn hh:mm: write the column alike, or  dates = { Time = "%Y-%m-%d %H:%M" }',
        ),
        (
            "29 Feb, 09:05",
            'form dd Mon, hh:mm, but there is no such day or time in 2018; of events  rows_without_time = "drop"',
        ),
        ("Jane Doe", 'form word word; correct the cell, or name what stands for no value:  missing = ["", "-"]'),
        ("17", "form nn, a number: if it counts something, say what:"),
    ],
)
def test_a_cell_that_does_not_fit_is_told_by_its_form_and_its_cure(cell: str, said: str) -> None:
    _, _, problems = dated.read(table_of(["04 May, 09:05", cell]), dates("%d %b, %H:%M", year=2018, file="log.csv"))
    (told,) = problems
    assert told.row == 2
    assert said in str(told)
    assert cell not in str(told).replace("2018", "")


NEW_YEAR = ["30 Nov, 10:00", "31 Dec, 23:59", "1 Jan, 00:01", "29 Feb, 10:00"]


@pytest.mark.parametrize(
    ("cells", "since", "years"),
    [
        (NEW_YEAR, 9, [2019, 2019, 2020, 2020]),
        (NEW_YEAR, 12, [2020, 2019, 2020, 2020]),
        (NEW_YEAR[:3], 1, [2019, 2019, 2019]),
        (["1 Nov, 10:00", "1 Oct, 10:00"], None, [2019, 2019]),
    ],
)
def test_dates_without_a_year_may_pass_new_year(cells: list[str], since: int | None, years: list[int]) -> None:
    read, how, problems = dated.read(table_of(cells), dates("%-d %b, %H:%M", year=2019, first_month=since))
    assert not problems and [moment.year for moment in column(read)] == years
    again = engine.materialise(dated.written(engine.materialise(read), how))
    assert column(again) == cells
    assert column(dated.reread(again, {name: one.told() for name, one in how.items()})) == column(read)


def test_december_and_january_without_a_year_need_a_word() -> None:
    _, _, (told,) = dated.read(table_of(NEW_YEAR[:3]), dates("%-d %b, %H:%M", year=2019, file="log.csv"))
    assert "first_month = 1  if all are of 2019" in str(told)
    assert "first_month = 10  for October 2019 to September 2020" in str(told)


def test_a_day_of_neither_year_is_told_with_both() -> None:
    _, _, (told,) = dated.read(table_of(["29 Feb, 10:00"]), dates("%-d %b, %H:%M", year=2017, first_month=9))
    assert "no such day or time in 2017 and 2018" in str(told)


@given(st.sets(st.integers(1, 12), min_size=1).map(sorted))
def test_the_first_month_begins_twelve_that_end_with_the_longest_pause(found: list[int]) -> None:
    since = first_month(found)
    places = sorted((month - since) % 12 for month in found)
    pause = max((later - earlier for earlier, later in pairwise([*places, places[0] + 12])), default=12)
    assert 12 - places[-1] + places[0] == pause


def test_rows_without_a_time_that_exists_may_be_left_out() -> None:
    read, _, problems = dated.read(table_of(["29/02/18", "28/02/18"]), dates("%d/%m/%y", may_fail=True))
    assert not problems
    assert column(read) == [None, datetime(2018, 2, 28)]


def test_a_quasi_date_becomes_an_iso_date_that_can_be_coarsened() -> None:
    given_ = Dates(layouts={"Time": "%d.%m.%Y"}, coarsened=frozenset({"Time"}))
    read, how, _ = dated.read(table_of(["4.5.2018"]), given_)
    assert (column(read), how) == (["2018-05-04"], {})


@pytest.mark.parametrize(
    ("layout", "year", "said"),
    [
        ("%d %b, %H:%M", None, "year = 2018"),
        ("%d %b %Q", 2018, "uses %Q"),
        ("%H:%M", 2018, "must have a day"),
        ("%d %b %Y %I:%M", None, "%I and %p together"),
        ("%d %m %b %Y", None, "twice"),
        ("day first", None, "is neither a pattern"),
        ("%d %b, %H:%M", 2018, None),
        ("elapsed-s", None, None),
    ],
)
def test_layouts_are_checked_with_the_plan(layout: str, year: int | None, said: str | None) -> None:
    found = problem(layout, year)
    assert (found is None) if said is None else (found is not None and said in found)
