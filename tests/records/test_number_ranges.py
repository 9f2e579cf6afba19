"""Ranges of measured numbers end at round numbers, never at somebody's own."""

from decimal import Decimal

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import sharewell as sw
from sharewell.records.number_ranges import Ranges, roundest
from sharewell.records.protection.anonymization import Method

measured = st.lists(st.decimals(min_value=-1000, max_value=1000, places=6), min_size=2, max_size=30, unique=True).map(
    sorted
)


@pytest.mark.parametrize(
    ("low", "high", "cut"),
    [
        ("7.2726", "9.1021", "8"),
        ("4.06", "4.67", "4.5"),
        ("0.1", "0.2", "0.2"),
        ("-2.5", "1", "0"),
        ("99", "101", "100"),
    ],
)
def test_the_roundest_number_between_two(low: str, high: str, cut: str) -> None:
    assert roundest(Decimal(low), Decimal(high)) == Decimal(cut)


@given(measured, st.data())
def test_a_range_holds_its_values_and_no_other(numbers: list[Decimal], data: st.DataObject) -> None:
    ranges = Ranges([str(number) for number in numbers])
    first = data.draw(st.integers(0, len(numbers) - 2))
    last = data.draw(st.integers(first + 1, len(numbers) - 1))
    low, high = (Decimal(end) for end in ranges.label(first, last)[1:-1].split(", "))
    assert [low <= number < high for number in numbers] == [first <= n <= last for n in range(len(numbers))]
    assert ranges.label(first, first) == str(numbers[first])


@pytest.mark.parametrize("method", ["full-domain", "local"])
def test_one_number_written_in_two_ways_stays_in_one_place(method: Method) -> None:
    marks = [f"{n // 4 / 2:.{1 + n % 2}f}" for n in range(120)]  # 7.5 and 7.50 side by side
    table = pa.table({"mark": marks, "sex": ["f", "m"] * 60})
    done = sw.records.anonymize(table, quasi=["mark", "sex"], k=6, method=method)
    assert done.k >= 6 and done.table["mark"].null_count == 0
    for mark, cell in zip(marks, done.table["mark"].to_pylist(), strict=True):
        if cell.startswith("["):
            low, high = (Decimal(end) for end in cell[1:-1].split(", "))
            assert low <= Decimal(mark) < high


@pytest.mark.parametrize("method", ["full-domain", "local"])
def test_no_released_range_ends_at_a_students_own_mark(method: Method) -> None:
    marks = [round(3.0071 + n * 0.137 + (n % 7) * 0.0113, 6) for n in range(60)]
    table = pa.table({"mark": marks, "sex": ["f", "m"] * 30})
    done = sw.records.anonymize(table, quasi=["mark", "sex"], k=5, method=method)
    cells = set(done.table["mark"].to_pylist())
    assert any(cell.startswith("[") and cell.endswith(")") for cell in cells)
    ends = {float(end) for cell in cells if cell.startswith("[") for end in cell[1:-1].split(", ")}
    assert not ends & set(marks)
    assert done.k >= 5
