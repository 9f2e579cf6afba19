"""Fewer than k students do not hide a column from everybody: their rows are suppressed, as far as the plan allows."""

from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import sharewell as sw


def students(remote: int, rows: int = 200) -> pa.Table:
    draw = np.random.default_rng(6)
    return pa.table(
        {
            "remote": ["yes"] * remote + ["no"] * (rows - remote),
            "town": draw.choice(list("abcd"), rows),
            "age": draw.integers(18, 30, rows),
            "mark": draw.integers(0, 4, rows).astype(str),
        }
    )


def local(table: pa.Table, **changes: Any) -> sw.records.Anonymized[pa.Table]:
    return sw.records.anonymize(table, quasi=["remote", "town", "age"], keep=["mark"], k=5, method="local", **changes)


def test_two_of_two_hundred_go_and_the_column_stays() -> None:
    done = local(students(2))
    cells = done.table["remote"].to_pylist()
    assert cells == ["*", "*"] + ["no"] * 198 and done.suppressed_rows == 2
    assert done.table["mark"].to_pylist()[:2] == [None, None], "two rows of * would tell their marks"
    assert done.loss < local(students(2), max_suppressed=0).loss
    assert sw.records.recount(done.table, quasi=["remote", "town", "age"], withheld=["mark"])[0].value >= 5


@pytest.mark.parametrize(("remote", "allowed"), [(2, 0.0), (4, 0.015)])
def test_more_than_the_plan_allows_do_not_go(remote: int, allowed: float) -> None:
    done = local(students(remote), max_suppressed=allowed)
    assert done.suppressed_rows == 0 and set(done.table["remote"].to_pylist()) == {"*"}


@given(st.integers(0, 9), st.sampled_from([0.0, 0.01, 0.02, 0.05]))
def test_never_more_than_allowed_and_k_holds(remote: int, allowed: float) -> None:
    done = local(students(remote), max_suppressed=allowed, seconds=0.2)
    assert done.suppressed_rows <= allowed * 200 + 1e-9 and done.k >= 5
    gone = [cell == "*" for cell in done.table["remote"].to_pylist()]
    assert sum(gone) in (done.suppressed_rows, 200)
