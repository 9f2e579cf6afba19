"""One row of features per student: company, what one member can move, and what survives."""

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from course_folder import make_folder
from traces.small_course import clicks, job, materialised
from traces.test_groups import course

import sharewell as sw
from sharewell import pipeline
from sharewell.data import engine
from sharewell.errors import InputError, Refused
from sharewell.plan.document import load
from sharewell.release.verify import verify
from sharewell.traces.protection.student_features import of_a_group
from sharewell.traces.recheck import recheck
from sharewell.traces.section import Limit
from sharewell.traces.study import open

PLAN = """
[release]
name = "Features"
audience = "agreement"

[traces.clicks]
file = "clicks.csv"
student = "id"
at = "time"
quasi = ["verb"]
method = "features"
"""


def test_a_row_is_a_student_and_k_rows_are_the_same() -> None:
    study = open(job(clicks(), method="features", limit=Limit(k=5, inference=0.3), target="passed"))
    made = materialised(study.protect())
    table = engine.arrow(made.table)
    assert table.num_rows == len(set(table["user"].to_pylist())) == 60 and "time" not in table.column_names
    (again,) = recheck(made.table, made.facts)
    gated = {risk.gate: risk for risk in study.attack(made) if risk.gate}
    assert again.value == gated["k"].value >= 5 and again.holds and gated["inference"].holds
    assert "share of quiz" in table.column_names and not any("rare" in name for name in table.column_names)
    found = {one.name: one for one in study.utility(made)}
    said = str(found["uses kept"].setting["analyses"])
    assert "weekly activity" in said.partition("lost")[0] and made.curve is not None
    assert found["uses kept"].value == pytest.approx(made.curve.points[0].utility)
    lone = table.set_column(1, "events", pa.array([999.0, *table["events"].to_pylist()[1:]]))
    assert not recheck(engine.table(lone), made.facts)[0].holds


def test_totals_and_ends_survive() -> None:
    table = course(students=100)
    made = sw.traces.protect(table, student="user", at="time", also=["verb"], method="features", k=5)
    before = table.group_by("user").aggregate([("time", "count"), ("time", "max")])
    assert np.sum(made.table["events"]) == pytest.approx(table.num_rows, rel=0.1)
    assert np.mean(made.table["events"]) == pytest.approx(np.mean(before["time_count"]), rel=0.1)
    weeks = [name for name in made.table.column_names if name.startswith("events of week")]
    assert len(weeks) == 6 and max(made.table["last week"].to_pylist()) <= len(weeks)
    assert sw.traces.company(made.table, student="user").value >= 5
    same = sw.traces.protect(table, student="user", at="time", also=["verb"], method="features", k=5)
    assert same.table.equals(made.table)


@pytest.mark.parametrize("kind", ["count", "time", "share"])
def test_whoever_knows_all_others_does_not_learn_the_last_one(kind: str) -> None:
    """Of 400 members each is moved to the middle of all: what their group shows hardly ever depends on it."""
    draw = np.random.default_rng(1)
    values = draw.random(400) if kind == "share" else draw.integers(1, 14, 400).astype(float)
    group, changed = np.repeat(np.arange(80), 5), 0
    for member in range(400):
        other = values.copy()
        other[member] = np.median(values)
        one, two = (of_a_group(each, kind, group, 5, np.random.default_rng(7)) for each in (values, other))
        assert np.array_equal(one[group != group[member]], two[group != group[member]])
        changed += int(one[member] != two[member])
    assert changed / 400 < 0.5


@pytest.mark.parametrize(
    ("more", "problem"),
    [({"window": "1w"}, "window: a table of features has none"), ({"promise": "points"}, "promise")],
)
def test_what_features_cannot_promise_is_refused(more: dict[str, Any], problem: str) -> None:
    with pytest.raises(InputError, match=problem):
        sw.traces.protect(clicks(), student="user", at="time", method="features", **more)


def test_verbs_that_differ_in_case_share_a_column() -> None:
    table = clicks()
    verbs = [
        verb.upper() if place % 2 and verb == "read" else verb for place, verb in enumerate(table["verb"].to_pylist())
    ]
    table = table.set_column(table.column_names.index("verb"), "verb", pa.array(verbs))
    made = sw.traces.protect(table, student="user", at="time", also=["verb"], method="features", k=5)
    shares = [name for name in made.table.column_names if name.casefold() == "share of read"]
    assert len(shares) == 1 and np.mean(made.table[shares[0]]) > 0.5


def test_a_column_with_the_name_of_a_feature_is_refused() -> None:
    table = clicks().rename_columns({"passed": "last week"})
    with pytest.raises(Refused, match="'last week' has the name of a feature"):
        sw.traces.protect(table, student="user", at="time", keep=["last week"], method="features")


def test_a_release_of_features_verifies(tmp_path: Path) -> None:
    outcome = pipeline.release(load(make_folder(tmp_path, plan=PLAN)))
    assert outcome.verdict.passed, outcome.verdict.reasons
    (where,) = tmp_path.rglob("manifest.json")
    found = verify(where.parent)
    assert not found.problems
    (company,) = (risk for _, risk in found.risks if risk.name == "company")
    assert company.value >= 5
