"""Local recoding, the paper's method, and search guided by outcomes."""

from datetime import date, datetime
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import sharewell as sw
from sharewell.data.coded import Coded
from sharewell.errors import InputError
from sharewell.records import published_cells
from sharewell.records.combinations import Combinations
from sharewell.records.protection import stinar
from sharewell.records.protection.anonymization import Method
from sharewell.records.recheck import recount


def course(rows: int = 300, seed: int = 1) -> pa.Table:
    """Passing hangs on hours and a little on support; the rest is noise."""
    draw = np.random.default_rng(seed)
    hours = draw.integers(0, 16, rows)
    support = draw.choice(["yes", "no"], rows)
    chance = 1 / (1 + np.exp(-(hours - 8) / 2 - (support == "yes")))
    return pa.table(
        {
            "hours": hours,
            "support": support,
            "town": draw.choice([f"t{n}" for n in range(12)], rows),
            "shoe": draw.integers(36, 47, rows),
            "sport": draw.choice(["a", "b", "c", "d"], rows),
            "health": draw.choice(["good", "fair", "poor"], rows, p=[0.7, 0.2, 0.1]),
            "passed": (draw.random(rows) < chance).astype(int),
        }
    )


QUASI = ["hours", "support", "town", "shoe", "sport"]
OTHERS = ["health", "passed"]


@given(seed=st.integers(0, 10_000), k=st.integers(2, 12), rows=st.integers(24, 150), target=st.booleans())
def test_local_recoding_keeps_k_and_tells_the_truth(seed: int, k: int, rows: int, target: bool) -> None:
    table = course(rows, seed)
    kept = sw.records.anonymize(
        table, quasi=QUASI, keep=OTHERS, k=k, method="local", target="passed" if target else None
    )
    assert kept.k >= k
    assert recount(kept.table, quasi=QUASI)[0].value == kept.k
    for name in QUASI:  # every published cell covers the value that stood there
        hierarchy = kept.hierarchies[name]
        before, after = [str(v) for v in table[name].to_pylist()], kept.table[name].to_pylist()
        pairs = set(zip(before, after, strict=True))
        assert all(published_cells.covered(hierarchy, label)[hierarchy.position[value]] for value, label in pairs)


def test_local_recoding_loses_less_than_full_domain() -> None:
    """Less by a quarter at least; labels that follow the values that occur lost less still, and told their owners."""
    table = course(400)
    local = sw.records.anonymize(table, quasi=QUASI, keep=OTHERS, k=5, method="local")
    levels = sw.records.anonymize(table, quasi=QUASI, keep=OTHERS, k=5, method="full-domain")
    assert local.loss < 0.75 * levels.loss


@pytest.mark.parametrize("method", ["full-domain", "local"])
def test_l_and_t_hold_in_the_result(method: Method) -> None:
    kept = sw.records.anonymize(
        course(400), quasi=QUASI, keep=OTHERS, k=4, l=2, t=0.3, sensitive=["health"], method=method, max_suppressed=0.05
    )
    risks = {risk.name: risk.value for risk in recount(kept.table, quasi=QUASI, sensitive=["health"])}
    assert kept.k >= 4
    assert risks["k"] >= 4
    assert risks["l"] >= 2
    assert risks["t"] <= 0.3 + 1e-9


def test_the_target_keeps_what_predicts_it() -> None:
    plain = sw.records.anonymize(course(), quasi=QUASI, keep=OTHERS, k=10, seconds=1, method="full-domain")
    guided = sw.records.anonymize(
        course(), quasi=QUASI, keep=OTHERS, k=10, target="passed", seconds=1, method="full-domain"
    )
    assert guided.levels["hours"] < guided.hierarchies["hours"].height
    distinct = [len(set(kept.table["hours"].to_pylist())) for kept in (plain, guided)]
    assert distinct[1] >= distinct[0]
    assert set(guided.one_outcome) == {"passed"}


def test_several_targets_numeric_and_categorical() -> None:
    kept = sw.records.anonymize(course(), quasi=QUASI[1:], k=6, target=["hours", "health", "passed"], method="local")
    assert kept.k >= 6


def test_the_papers_importance_is_what_shuffling_gives() -> None:
    from sklearn.inspection import permutation_importance
    from sklearn.linear_model import LinearRegression

    draw = np.random.default_rng(0)
    x = draw.integers(0, 6, (400, 4))
    y = (x @ [1.0, 0.5, 0.0, -0.2] + draw.normal(0, 1, 400) > 3).astype(float)
    columns = tuple(Coded(name=f"c{n}", values=tuple("012345"), codes=x[:, n].astype(np.int32)) for n in range(4))
    rows = Combinations(
        quasi=columns, others=(), counts=np.ones(400, np.int64), sums=y[None, :], squares=y[None, :] ** 2
    )
    ours = np.array(list(stinar.permutation_importance(rows).values()))
    theirs = permutation_importance(LinearRegression().fit(x, y), x, y, n_repeats=200, random_state=0).importances_mean
    assert ours == pytest.approx(theirs, abs=0.01)


def test_the_papers_method_moves_the_budget_to_the_important_column() -> None:
    draw = np.random.default_rng(4)
    grade = draw.integers(0, 20, 300)
    noise = {f"n{n}": (draw.random(300) < 0.04).astype(int) for n in range(8)}
    table = pa.table({"grade": grade, **noise, "passed": (grade > 9).astype(int)})
    quasi = ["grade", *noise]
    first = sw.records.anonymize(table, quasi=quasi, keep=["passed"], k=8, seconds=1, method="full-domain")
    kept = sw.records.anonymize(table, quasi=quasi, k=8, target="passed", method="stinar", seconds=1)
    assert first.levels["grade"] == first.hierarchies["grade"].height, "the plain search hides the grade"
    assert len(set(kept.table["grade"].to_pylist())) > 3
    visible = kept.table.filter(pa.compute.not_equal(kept.table["grade"], "*"))
    assert recount(visible, quasi=quasi)[0].value >= 8


def test_the_papers_method_needs_a_target() -> None:
    with pytest.raises(InputError, match="needs a target"):
        sw.records.anonymize(course(), quasi=QUASI, keep=OTHERS, method="stinar")


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame, pa.table])
def test_a_frame_comes_back_as_it_came_with_rows_in_order(frame: type) -> None:
    source = {"id": list(range(40)), "age": [20 + n % 7 for n in range(40)]}
    kept = sw.records.anonymize(frame(source), quasi=["age"], keep=["id"], k=5, method="full-domain")
    assert type(kept.table) is type(frame(source))
    assert list(kept.table["id"].to_list() if frame is pl.DataFrame else kept.table["id"].to_numpy()) == source["id"]


def test_a_path_gives_arrow(tmp_path) -> None:  # type: ignore[no-untyped-def]
    file = tmp_path / "students.csv"
    pd.DataFrame({"age": [18, 19] * 10, "sex": ["f", "m"] * 10}).to_csv(file, index=False)
    kept = sw.records.anonymize(file, quasi=["age", "sex"], k=5, method="full-domain")
    assert isinstance(kept.table, pa.Table)
    assert kept.k == 10


def test_suppressed_rows_stay_as_rows_of_stars_and_give_nothing_away() -> None:
    table = pa.table({"a": ["x"] * 50 + ["y"], "b": ["u"] * 50 + ["v"], "secret": ["p", "q"] * 25 + ["p"]})
    kept = sw.records.anonymize(table, quasi=["a", "b"], k=5, sensitive=["secret"], method="full-domain")
    last = kept.table.to_pylist()[-1]
    assert last == {"a": "*", "b": "*", "secret": None}
    assert kept.suppressed_rows == 1
    assert kept.k == 50
    risks = recount(kept.table, quasi=["a", "b"], sensitive=["secret"])
    assert risks[0].value == 50
    told = kept.table.set_column(2, "secret", pa.array(["p"] * 51))
    assert recount(told, quasi=["a", "b"], sensitive=["secret"])[0].value == 1, "a lone row of * counts as one"


def test_changes_name_every_coarsened_column_with_a_reason() -> None:
    kept = sw.records.anonymize(
        course(), quasi=QUASI, keep=OTHERS, k=10, target="passed", seconds=1, method="full-domain"
    )
    coarsened = {name for name, level in kept.levels.items() if level}
    assert coarsened <= {name for change in kept.changes for name in change.columns}
    assert all(len(change.reason) > 20 for change in kept.changes)


@pytest.mark.parametrize(
    ("settings_", "sentence"),
    [
        ({"quasi": ["hours", "nowhere"]}, "no such column"),
        ({"quasi": []}, "at least one quasi column"),
        ({"quasi": ["hours"], "method": "magic"}, "method must be"),
        ({"quasi": ["hours"], "k": 0}, "at least 1"),
        ({"quasi": ["hours"], "l": 2}, "need a sensitive column"),
        ({"quasi": ["hours"], "sensitive": ["hours"]}, "both quasi and sensitive"),
        ({"quasi": ["hours"], "max_suppressed": 2}, "between 0 and 1"),
        ({"quasi": ["hours"], "hierarchies": {"shoe": "star"}}, "not a quasi column"),
    ],
)
def test_bad_requests_get_one_sentence(settings_: dict[str, Any], sentence: str) -> None:
    with pytest.raises(InputError, match=sentence):
        sw.records.anonymize(course(40), **{"keep": course(40).column_names, **settings_})


def test_ranges_of_dates_end_with_months_not_with_birthdays() -> None:
    draw = np.random.default_rng(8)
    days = [f"200{y}-{m:02d}-{d:02d}" for y, m, d in zip(*(draw.integers(1, n, 90) for n in (9, 13, 28)), strict=True)]
    table = pa.table({"born": days, "sex": draw.choice(["f", "m"], 90)})
    kept = sw.records.anonymize(table, quasi=["born", "sex"], k=6, method="local")
    published = kept.table["born"].to_pylist()
    assert kept.k >= 6
    assert not any(day in cell for day in days for cell in set(published))
    hierarchy = kept.hierarchies["born"]
    pairs = set(zip(days, published, strict=True))
    assert all(published_cells.covered(hierarchy, label)[hierarchy.position[day]] for day, label in pairs)


def test_with_a_target_a_small_lattice_is_looked_at_in_full() -> None:
    kept = sw.records.anonymize(
        course(),
        quasi=["hours", "support", "sport"],
        keep=course().column_names,
        k=8,
        target="passed",
        method="full-domain",
    )
    assert kept.proven


@pytest.mark.parametrize("method", ["full-domain", "local"])
def test_a_target_that_nothing_predicts_does_not_cost_detail(method: Method) -> None:
    draw = np.random.default_rng(3)
    table = course(300).set_column(6, "passed", pa.array(draw.integers(0, 2, 300)))
    plain = sw.records.anonymize(table, quasi=QUASI, keep=OTHERS, k=5, method=method)
    aimed = sw.records.anonymize(table, quasi=QUASI, keep=OTHERS, k=5, method=method, target="passed")
    assert aimed.loss <= plain.loss + 0.02


@pytest.mark.parametrize("method", ["full-domain", "local"])
def test_typed_cells_are_found_again_whatever_their_type(method: Method) -> None:
    """Numbers, dates, moments and truth values come in typed; no cell may be lost between coding and writing."""
    days = [date(2001, 1 + n % 12, 1 + n % 28) for n in range(80)]
    table = pa.table(
        {
            "half": [n / 2 for n in range(80)],
            "small": pa.array([n / 3 for n in range(80)], pa.float32()),
            "exact": pa.array([Decimal(n) / 4 for n in range(80)], pa.decimal128(8, 2)),
            "day": days,
            "moment": pa.array([datetime(d.year, d.month, d.day, 12) for d in days], pa.timestamp("us")),
            "flag": [n % 2 == 0 for n in range(80)],
        }
    )
    for name in table.column_names:
        done = sw.records.anonymize(table.select([name]), quasi=[name], k=4, method=method)
        assert done.table[name].null_count == 0, name
        assert done.k >= 4
