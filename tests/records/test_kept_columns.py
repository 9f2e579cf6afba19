"""Columns that pass as they are: how many students have a value there that nobody else has."""

import pyarrow as pa
import pytest

from sharewell.data import engine
from sharewell.records.measure.kept_columns import alone


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
