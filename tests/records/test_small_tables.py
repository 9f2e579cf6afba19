"""Tables of counts: no hidden cell can be worked out, by one table or by two."""

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import sharewell as sw
from sharewell.errors import InputError
from sharewell.records.arrays import Array
from sharewell.records.measure.table_differences import differenced
from sharewell.records.protection.small_tables import bounds, protect

small = st.lists(st.lists(st.integers(0, 12), min_size=2, max_size=3), min_size=2, max_size=3).filter(
    lambda rows: len({len(row) for row in rows}) == 1 and sum(map(sum, rows)) > 0
)


def with_totals(inner: Array) -> Array:
    for axis in range(inner.ndim):
        inner = np.concatenate([inner, inner.sum(axis=axis, keepdims=True)], axis=axis)
    return inner


@given(small)
def test_no_hidden_cell_can_be_recovered_by_linear_programming(rows: list[list[int]]) -> None:
    counts = with_totals(np.array(rows))
    hidden = protect(counts, 5)
    assert hidden[(counts > 0) & (counts < 5)].all()
    everything = bool((hidden | (counts == 0)).all())
    for place in np.argwhere(hidden):
        cell = tuple(int(n) for n in place)
        low, high = bounds(counts, hidden, cell)
        assert low - 1e-6 <= counts[cell] <= high + 1e-6
        assert high - low >= 5 - 1e-6 or everything


def test_one_hidden_cell_takes_others_with_it() -> None:
    counts = with_totals(np.array([[20, 3], [30, 40]]))
    assert protect(counts, 5).sum() >= 4
    alone = np.zeros_like(counts, bool)
    alone[0, 1] = True
    low, high = bounds(counts, alone, (0, 1))
    assert low == pytest.approx(3) and high == pytest.approx(3), "without others it is told exactly"


def test_tables_of_the_same_students_do_not_give_each_other_away() -> None:
    draw = np.random.default_rng(1)
    towns, courses = draw.choice(["a", "b", "c"], 600), draw.choice(["x", "y", "z"], 600, p=[0.68, 0.3, 0.02])
    table = pa.table({"town": towns, "course": courses})
    fine = sw.records.tabulate(table, by=["town", "course"], least=5)
    assert fine.hidden > 0
    assert fine.to_table()["students"].null_count == fine.hidden
    assert differenced(fine, sw.records.tabulate(table, by=["town"], least=5)).value == 0.0


def test_a_second_table_that_shows_what_the_first_hides_is_caught() -> None:
    first = sw.records.Counts(by=("town",), least=5, cells={("a",): None, ("b",): None, ("total",): 20})
    shown: dict[tuple[str, ...], int | None] = {("a", "x"): 4, ("a", "total"): 4, ("b", "x"): 16, ("b", "total"): 16}
    second = sw.records.Counts(
        by=("town", "course"), least=2, cells={**shown, ("total", "x"): 20, ("total", "total"): 20}
    )
    assert differenced(first, first).value == 0.0
    caught = differenced(first, second)
    assert (caught.value, caught.n) == (1.0, 2)


@pytest.mark.parametrize("given_", [{"by": "town"}, {"by": []}, {"by": ["town"], "least": 1}, {"by": ["nowhere"]}])
def test_requests_that_do_not_fit_are_refused(given_: dict[str, object]) -> None:
    with pytest.raises(InputError):
        sw.records.tabulate(pa.table({"town": ["a", "b"]}), **given_)  # type: ignore[arg-type]
