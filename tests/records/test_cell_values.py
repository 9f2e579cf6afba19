"""Values instead of ranges: types stay, groups stay, and no range is made of codes."""

from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import sharewell as sw
from sharewell.errors import InputError
from sharewell.records.protection.cell_values import read_inside
from sharewell.records.published_cells import ends

QUASI = ["age", "town", "points"]


@pytest.fixture(scope="module")
def table() -> pd.DataFrame:
    rows = 300
    return pd.DataFrame(
        {
            "age": [18 + n * n % 23 for n in range(rows)],
            "town": [(1067, 8010, 10115, 80331, 99084, 20095)[n * 7 % 6] for n in range(rows)],
            "points": [n * 37 % 100 / 4 for n in range(rows)],
            "passed": [n % 3 > 0 for n in range(rows)],
        }
    )


@pytest.mark.parametrize("method", ["full-domain", "local"])
def test_classes_stay_and_columns_keep_their_types(table: pd.DataFrame, method: str) -> None:
    how: dict[str, Any] = {"values": "drawn", "method": method, "seconds": 0.2}
    done = sw.records.anonymize(table, quasi=QUASI, keep=["passed"], k=5, categories=["town"], **how)
    assert sw.records.recount(done.table, quasi=QUASI, withheld=["passed"])[0].value >= 5
    whole = done.table.dropna()
    assert len(whole) == round(len(table) * (1 - done.suppressed))
    assert set(whole["town"]) <= set(table["town"])
    assert whole["age"].between(table["age"].min(), table["age"].max()).all()
    assert whole["points"].between(-1, 26).all()
    assert (done.table["passed"] == table["passed"]).mean() > 0.97


def test_a_value_lies_in_the_range_that_would_be_released(table: pd.DataFrame) -> None:
    plain: dict[str, Any] = {
        "quasi": QUASI,
        "keep": ["passed"],
        "k": 5,
        "method": "local",
        "seconds": 0.2,
        "categories": ["town"],
    }
    ranges = sw.records.anonymize(table, **plain).table
    drawn = sw.records.anonymize(table, **plain, values="drawn").table
    spans = ranges["age"].astype(str).str.extract(r"^\[(\d+), (\d+)\]$").dropna().astype(int)
    assert len(spans) > 50
    inside = drawn.loc[spans.index, "age"]
    assert ((inside >= spans[0]) & (inside <= spans[1])).all()
    assert ranges.groupby(QUASI).ngroups >= drawn.groupby(QUASI).ngroups


def test_no_range_is_made_of_codes(table: pd.DataFrame) -> None:
    plain: dict[str, Any] = {"quasi": QUASI, "keep": ["passed"], "k": 5, "method": "local", "seconds": 0.2}
    as_numbers = set(sw.records.anonymize(table, **plain).table["town"].astype(str))
    as_codes = set(sw.records.anonymize(table, **plain, categories=["town"]).table["town"].astype(str))
    assert any(label.startswith(("[", "under")) or label.endswith("more") for label in as_numbers)
    assert not any(label.startswith(("[", "under")) or label.endswith("more") for label in as_codes)


def test_other_values_are_refused(table: pd.DataFrame) -> None:
    with pytest.raises(InputError, match="values must be"):
        sw.records.anonymize(table, quasi=QUASI, keep=["passed"], values="means")  # type: ignore[arg-type]


@pytest.mark.parametrize("method", ["full-domain", "local"])
def test_yardsticks_read_ranges_as_values_inside(method: Any) -> None:
    draw = np.random.default_rng(1)
    columns = {"age": 18 + draw.poisson(3, 400), "town": draw.choice(["a", "b", "c"], 400), "points": draw.random(400)}
    table = pd.DataFrame({**columns, "passed": draw.random(400) < 0.4})
    done = sw.records.anonymize(table, quasi=QUASI, keep=["passed"], k=5, method=method, seconds=0.2)
    read = {risk.name: risk.value for risk in sw.records.yardsticks(table, done.table)}
    plain = {risk.name: risk.value for risk in sw.records.yardsticks(table, table)}
    assert plain["k-marginal"] == 1000 > read["k-marginal"] > 700
    assert read["unique matches"] < 0.5

    before, after = pa.Table.from_pandas(table), pa.Table.from_pandas(done.table)
    values = read_inside(before, after, QUASI, None, 1)
    assert values.schema.field("age").type == before.schema.field("age").type
    shown = done.table[(done.table[QUASI] != "*").any(axis=1)]
    assert values.num_rows == len(shown)
    for label, age in zip(shown["age"], values["age"].to_pylist(), strict=True):
        low, high, closed = ends(str(label))
        assert str(age) == label or label == "*" or (low <= age <= high if closed else low <= age < high)


def test_values_that_are_no_labels_stay_as_they_are() -> None:
    before = pa.table({"town": ["a", "b"] * 20, "year": ["1", "2"] * 20})
    after = pa.table({"town": ["a", "nowhere"] * 20, "year": ["2", "7"] * 20})
    assert read_inside(before, after, ["town", "year"], None, 1).equals(after)
