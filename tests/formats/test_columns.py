"""Numbers, moments and ids out of text: read where there is one way to, refused by row elsewhere."""

from datetime import UTC, date, datetime, timedelta, timezone

import ibis
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sharewell.data import engine, ids
from sharewell.data.formats.columns import is_number, moment, number
from sharewell.data.formats.dates import parse
from sharewell.errors import InputError


def table_of(values: list[object]) -> ibis.Table:
    return ibis.memtable(pa.table({"c": pa.array(values)}))


def moments(values: list[object], layout: str | None = None) -> list[datetime | None]:
    return list(engine.connection().to_pyarrow(moment(table_of(values), "c", layout=layout)).to_pylist())


def refusal(values: list[object], layout: str | None = None) -> str:
    with pytest.raises(InputError) as error:
        moments(values, layout)
    message = str(error.value)
    assert not any(str(value) in message for value in values if value is not None and len(str(value)) > 3)
    return message


MOMENTS = st.datetimes(datetime(1990, 1, 1), datetime(2060, 1, 1)).map(lambda at: at.replace(microsecond=0))
LAYOUTS = {
    "%Y-%m-%d %H:%M:%S": "iso",
    "%Y/%m/%dT%H:%M:%S": "iso",
    "%Y%m%d %H:%M:%S": "iso",
    "%d/%m/%Y %H:%M:%S": "day-first",
    "%d.%m.%y, %H:%M:%S": "day-first",
    "%m/%d/%Y %I:%M:%S %p": "month-first",
    "%m-%d-%y %H:%M:%S": "month-first",
    "%d %B %Y, %I:%M:%S %p": "month-name",
    "%a, %d %b %Y %H:%M:%S": "month-name",
    "%b %d, %Y %H:%M:%S": "month-name",
}


@pytest.mark.parametrize("pattern", LAYOUTS)
@settings(max_examples=15)
@given(values=st.lists(MOMENTS, min_size=1, max_size=8))
def test_every_layout_reads_as_python_does(pattern: str, values: list[datetime]) -> None:
    cells = [value.strftime(pattern) for value in values]
    assert moments([*cells, None], LAYOUTS[pattern]) == [*values, None]


@pytest.mark.parametrize(("pattern", "layout"), [("%d/%m/%Y", "day-first"), ("%m/%d/%Y", "month-first")])
@given(values=st.lists(st.dates(date(1970, 1, 1), date(2060, 1, 1)), min_size=1, max_size=6))
def test_a_layout_is_guessed_only_when_the_column_leaves_no_other(
    pattern: str, layout: str, values: list[date]
) -> None:
    cells = [value.strftime(pattern) for value in values]
    expected = [datetime(value.year, value.month, value.day) for value in values]
    if any(value.day > 12 for value in values) or all(value.day == value.month for value in values):
        assert moments(list(cells)) == expected
    else:
        assert 'dates = { c = "day-first" }' in refusal(list(cells))
        assert moments(list(cells), layout) == expected


@given(at=MOMENTS, hours=st.integers(-11, 13), micro=st.integers(0, 999_999))
def test_offsets_become_utc(at: datetime, hours: int, micro: int) -> None:
    local = at.replace(microsecond=micro, tzinfo=timezone(timedelta(hours=hours)))
    expected = local.astimezone(UTC).replace(tzinfo=None)
    plain = local.strftime("%Y-%m-%dT%H:%M:%S.%f")
    assert moments([local.isoformat(), plain + local.strftime("%z"), f"{plain} {hours:+03d}"]) == [expected] * 3


@given(values=st.lists(MOMENTS, min_size=1, max_size=5))
def test_epochs_are_told_apart_by_magnitude(values: list[datetime]) -> None:
    seconds = [int(value.replace(tzinfo=UTC).timestamp()) for value in values]
    for cells in (seconds, [1000 * second for second in seconds]):
        assert moments(list(cells)) == values
        assert moments([str(cell) for cell in cells]) == values
    assert moments([f"{seconds[0]}.25"]) == [values[0] + timedelta(milliseconds=250)]


def test_a_reading_without_a_look_at_the_column_takes_halves_and_offsets_too() -> None:
    table = table_of(["4/3/2025 1:05 PM", "4/3/2025 13:05 -0230"])
    read = engine.connection().to_pyarrow(parse(table.c, "day-first")).to_pylist()
    assert read == [datetime(2025, 3, 4, 13, 5), datetime(2025, 3, 4, 15, 35)]


def test_minutes_and_seconds_may_have_one_digit() -> None:
    assert moments(["13.10.2014 11:6:3", "2.10.2014 1:26:3 PM"]) == [
        datetime(2014, 10, 13, 11, 6, 3),
        datetime(2014, 10, 2, 13, 26, 3),
    ]


def test_typed_dates_pass_through() -> None:
    assert moments([date(2025, 3, 4), None]) == [datetime(2025, 3, 4), None]
    zoned = pa.array([datetime(2025, 3, 4, 10, tzinfo=UTC)], pa.timestamp("us", tz="Asia/Tokyo"))
    table = ibis.memtable(pa.table({"c": zoned}))
    assert engine.connection().to_pyarrow(moment(table, "c")).to_pylist() == [datetime(2025, 3, 4, 10)]


def test_mixed_layouts_pass_only_where_every_cell_has_one_reading() -> None:
    assert moments(["2018-01-02", "25/12/2018"]) == [datetime(2018, 1, 2), datetime(2018, 12, 25)]
    assert moments(["13/02/2018", "02/13/2018"]) == [datetime(2018, 2, 13)] * 2
    assert "row 2" in refusal(["2018-01-02", "11/12/2018"])
    assert "row 3" in refusal(["13/02/2018", "02/13/2018", "01/02/2018"])


@pytest.mark.parametrize(
    ("cells", "row"),
    [
        (["28/02/18", "29/02/18"], 2),
        (["2018-02-28", "2018-02-30"], 2),
        (["31.04.2018", "13.01.2018"], 1),
        (["2018-01-01 25:00", "2018-01-01"], 1),
        (["2018-01-01 13:00 PM"], 1),
        (["2018-01-01", "soon"], 2),
        (["2018-01-01", " "], 2),
        (["12", "13"], 1),
        (["2018-13-01"], 1),
    ],
)
def test_dates_that_do_not_exist_are_named_by_row(cells: list[str], row: int) -> None:
    assert f"column 'c', row {row}:" in refusal(list(cells))


def test_a_named_layout_holds_for_every_cell() -> None:
    assert "row 2" in refusal(["13/02/2018", "2018-02-13"], "day-first")
    assert moments(["5"], "epoch-s") == [datetime(1970, 1, 1, 0, 0, 5)]
    assert "not known" in refusal(["x"], "martian")
    assert "year-first" in refusal(["18-02-03"])
    assert moments(["18-02-03"], "year-first") == [datetime(2018, 2, 3)]
    with pytest.raises(InputError, match="expected dates"):
        moments([True])


@given(values=st.lists(st.floats(allow_nan=False, allow_infinity=False) | st.none(), min_size=1))
def test_numbers_are_read_as_python_does(values: list[float | None]) -> None:
    table = table_of([None if value is None else repr(value) for value in values])
    if all(value is None for value in values):
        return
    assert is_number(table, "c")
    assert engine.connection().to_pyarrow(number(table, "c")).to_pylist() == values


def test_a_decimal_comma_is_taken_only_where_it_can_be_nothing_else(caplog: pytest.LogCaptureFixture) -> None:
    assert engine.connection().to_pyarrow(number(table_of(["1,5", "2", "-,25"]), "c")).to_pylist() == [
        1.5,
        2,
        -0.25,
    ]
    assert "decimal comma" in caplog.text
    assert not is_number(table_of(["1,234"]), "c")
    assert not is_number(table_of(["1,5", "1.5"]), "c")
    assert not is_number(table_of(["1,234,567"]), "c")


@pytest.mark.parametrize("bad", ["inf", "NaN", "1e999", "x", "1_000", "0x1F", " ", "1 2", "--1"])
def test_what_is_no_finite_number_is_named_by_row(bad: str) -> None:
    with pytest.raises(InputError, match=r"students.csv, column 'c', row 3: expected a"):
        number(table_of(["1", None, bad]), "c", file="students.csv")


def test_typed_numbers_are_checked_as_well() -> None:
    assert engine.connection().to_pyarrow(number(table_of([1, None]), "c")).to_pylist() == [1.0, None]
    with pytest.raises(InputError, match="row 2: expected a finite"):
        number(table_of([1.0, float("inf")]), "c")
    with pytest.raises(InputError, match="expected numbers"):
        number(table_of([date(2025, 1, 1)]), "c")


def student_ids(table: ibis.Table) -> None:
    ids.check(table, "c", ids.spellings(table, "c"))


def test_ids_are_complete_and_differ_by_more_than_case_or_blanks() -> None:
    student_ids(table_of(["a", "b", "a"]))
    student_ids(table_of([1, 2, 1]))
    with pytest.raises(InputError, match=r"row 3: the student ids of rows 1 and 3 differ only by case, blanks"):
        student_ids(table_of(["anna", "b", "Anna "]))
    with pytest.raises(InputError, match="row 2: has no student id"):
        student_ids(table_of(["a", None]))
