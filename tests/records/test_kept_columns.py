"""Columns that pass as they are: how many students have a value there that nobody else has."""

import pyarrow as pa
import pytest

from sharewell.data import engine
from sharewell.records.measure.kept_columns import alone, alone_in_class


def test_the_most_telling_column_and_all_together() -> None:
    table = engine.table(pa.table({"mark": [1.5, 2.25, 2.25, 3.0], "passed": ["y", "y", "n", "n"], "group": ["a"] * 4}))
    one, every = alone(table, ["passed", "mark", "group"])
    assert (one.attacker, one.value) == ("knows the kept column mark", 0.5)
    assert every.value == 1.0 and every.n == 4 and every.gate is None and every.holds is False
    assert one.low is not None and one.high is not None and one.low <= one.value <= one.high


def test_missing_cells_are_a_value_and_nothing_kept_tells_nothing() -> None:
    table = engine.table(pa.table({"mark": pa.array([None, None, 2.0, 2.0], pa.float64())}))
    assert [risk.value for risk in alone(table, ["mark"])] == [0.0]
    assert alone(table, []) == []
    single = engine.table(pa.table({"mark": pa.array([None, 2.0, 2.0], pa.float64())}))
    assert alone(single, ["mark"])[0].value == pytest.approx(1 / 3)


def test_a_kept_column_tells_more_inside_a_class_and_two_tell_most() -> None:
    table = engine.table(
        pa.table(
            {
                "age": ["18"] * 4 + ["19"] * 4,
                "passed": ["y", "y", "y", "n"] * 2,
                "team": ["a", "b", "b", "b", "a", "a", "b", "b"],
                "plain": ["x"] * 8,
            }
        )
    )
    one, two = alone_in_class(table, ["age"], ["plain", "passed", "team"])
    assert one.value == 2 / 8 and one.n == 8
    assert (two.setting["columns"], two.value) == (["passed", "team"], 4 / 8)
    assert alone(table, ["passed"])[0].value == 0.0
    assert alone_in_class(table, ["age"], []) == []


def test_rows_that_tell_nothing_are_nobody() -> None:
    table = engine.table(pa.table({"age": ["*", "18", "18"], "mark": pa.array([None, 1.0, 1.0], pa.float64())}))
    assert [risk.value for risk in alone_in_class(table, ["age"], ["mark"])] == [0.0]
