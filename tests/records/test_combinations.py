"""Rows reduced to combinations: the same however many leave the engine at a time, and held once."""

from datetime import date

import numpy as np
import pyarrow as pa
import pytest

from sharewell.data import engine
from sharewell.records.combinations import combine, stacked
from sharewell.records.measure.class_sizes import size_risks

ROWS = 240


def mixed() -> pa.Table:
    """Missing cells, numbers that are none, and values that some batches have and others lack."""
    draw = np.random.default_rng(3)
    size = draw.choice([1.5, 2.0, np.nan], ROWS)
    return pa.table(
        {
            "town": [None if n == 0 else f"ö{n}" for n in draw.integers(0, 9, ROWS)],
            "size": pa.array([None if n % 7 == 0 else value for n, value in enumerate(size)], pa.float64()),
            "born": [date(2000, 1, 1 + int(n)) for n in draw.integers(0, 5, ROWS)],
            "here": draw.random(ROWS) < 0.5,
            "none": pa.nulls(ROWS, pa.string()),
            "grade": draw.random(ROWS),
        }
    )


def test_combinations_are_the_same_in_one_batch_and_in_many(monkeypatch: pytest.MonkeyPatch) -> None:
    table = engine.table(mixed())
    quasi, others, outcomes = ("town", "size", "none"), ("born", "here"), {"grade": table["grade"]}
    whole = combine(table, quasi, others, outcomes)
    monkeypatch.setattr(engine, "batches", _one_by_one)
    parts = combine(table, quasi, others, outcomes)
    assert [column.values for column in whole.quasi] == [column.values for column in parts.quasi]
    assert [column.values for column in whole.others] == [column.values for column in parts.others]
    for one, other in zip((*whole.quasi, *whole.others), (*parts.quasi, *parts.others), strict=True):
        assert np.array_equal(one.codes, other.codes)
    assert np.array_equal(whole.counts, parts.counts) and whole.rows == ROWS
    assert np.array_equal(whole.sums, parts.sums) and np.array_equal(whole.squares, parts.squares)


def _one_by_one(expression, rows):  # type: ignore[no-untyped-def]
    for batch in engine.arrow(expression).to_batches():
        yield from (batch.slice(n, 1) for n in range(batch.num_rows))


def test_codes_of_combinations_are_not_copied_to_be_searched() -> None:
    found = combine(engine.table(mixed()), ("town", "born"), ("here",))
    assert np.shares_memory(stacked(found.quasi), found.quasi[0].codes)
    for columns in (found.others, found.quasi[::-1], (found.quasi[0], found.others[0])):
        assert np.array_equal(stacked(columns), [column.codes for column in columns])
        assert not np.shares_memory(stacked(columns), columns[0].codes)


@pytest.mark.parametrize("seed", range(20))
def test_the_median_class_is_that_of_the_middle_student(seed: int) -> None:
    sizes = np.random.default_rng(seed).integers(1, 9, 1 + seed)
    assert size_risks(sizes)[0].setting["median class"] == np.median(np.repeat(sizes, sizes))
