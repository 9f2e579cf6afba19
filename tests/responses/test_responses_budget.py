"""The differentially private generator: what it refuses, what it says, and that less budget means more noise."""

from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import sharewell as sw
from sharewell.data import engine
from sharewell.errors import InputError
from sharewell.responses import study
from sharewell.responses.log import Columns, read
from sharewell.responses.protection import differential_privacy
from sharewell.responses.protection.differential_privacy import SHARES, bounded, measure
from sharewell.stats.arrays import Array

NAMES: dict[str, Any] = {"student": "user", "item": "item", "correct": "correct"}
COLUMNS = Columns(student="user", item="item", correct="correct")
ITEMS = [f"item{place:02d}" for place in range(30)]
pytest.importorskip("opendp")


def table_of(course: Any) -> pa.Table:
    return course.table.select(["user", "item", "correct"])


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"epsilon": 1.0}, "public list of items"),
        ({"epsilon": 1.0, "items": ITEMS}, "max_rows"),
        ({"epsilon": 0.0, "items": ITEMS, "max_rows": 20}, "positive"),
        ({"epsilon": 1.0, "items": ITEMS, "max_rows": 20, "order": 2}, "order 1"),
        ({"epsilon": 1.0, "items": ITEMS, "max_rows": 20, "outcomes": "pfa"}, "rasch"),
        ({"epsilon": 1.0, "items": ITEMS, "max_rows": 20, "time": "at"}, "does not cover"),
        ({"epsilon": 1.0, "items": ITEMS, "max_rows": 20, "further": ["device"]}, "does not cover"),
    ],
)
def test_without_bounds_or_beyond_its_cover_it_refuses(course: Any, given: dict[str, Any], sentence: str) -> None:
    with pytest.raises(InputError, match=sentence):
        sw.responses.fit(course.table, **NAMES, **given)


def test_the_budget_is_spent_in_parts_that_add_up_and_says_what_it_covers(course: Any) -> None:
    model = sw.responses.fit(table_of(course), **NAMES, epsilon=2.0, items=ITEMS, max_rows=40)
    assert model.budget is not None
    assert sum(SHARES.values()) == pytest.approx(1.0)
    assert sum(model.budget["spent"].values()) == pytest.approx(2.0)
    assert "lengths" in model.budget["covers"] and "list of items" in model.budget["outside"]
    fake = model.generate(50, seed=0)
    assert set(fake["item"].to_pylist()) <= set(ITEMS)
    assert max(fake["user"].value_counts().field("counts").to_pylist()) <= 40


def test_a_smaller_epsilon_means_more_noise(course: Any) -> None:
    log = bounded(read(table_of(course), COLUMNS), pa.array(ITEMS), 40)
    true = np.bincount(log.item, minlength=30)
    error = [np.abs(measure(log, epsilon, 40).trials - true).mean() for epsilon in (0.1, 1.0, 10.0)]
    assert error[0] > 3 * error[1] > 9 * error[2] > 0


def test_a_large_epsilon_keeps_the_difficulties(course: Any) -> None:
    fake = sw.responses.fit(table_of(course), **NAMES, epsilon=1000.0, items=ITEMS, max_rows=60).generate(400, seed=0)
    assert sw.responses.difficulty_error(table_of(course), fake, **NAMES).rank_correlation > 0.95


def test_one_student_changes_every_table_by_no_more_than_stated(course: Any) -> None:
    """Sensitivity by brute force: take students out one at a time, without noise."""
    whole = read(table_of(course), COLUMNS)
    log = bounded(whole, pa.array(ITEMS), 25)
    assert log.lengths.max() <= 25

    def tables(part: Any) -> list[Array]:
        first = part.bounds[:-1]
        inner = np.setdiff1d(np.arange(part.rows), first)
        pairs = part.item[inner - 1].astype(int) * 30 + part.item[inner]
        return [
            np.bincount(part.item, minlength=30),
            np.bincount(part.item[first], minlength=30),
            np.bincount(part.lengths, minlength=26),
            np.bincount(pairs, minlength=900),
        ]

    every = tables(log)
    for student in range(0, log.lengths.size, 37):
        mask = np.arange(log.lengths.size) != student
        change = [np.abs(a - b).sum() for a, b in zip(every, tables(log.only(mask)), strict=True)]
        assert change[0] <= 25 and change[1] <= 1 and change[2] <= 1 and change[3] <= 24


def test_items_that_are_not_listed_are_dropped(course: Any) -> None:
    log = bounded(read(table_of(course), COLUMNS), pa.array(ITEMS[:5]), 40)
    assert set(np.unique(log.item)) <= set(range(5))


def test_as_many_students_are_invented_as_the_noisy_count_says(
    course: Any, make_job: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The true number, told by the rows or beside them, would say of whoever left that they were in."""
    table = course.table.select(["user", "item", "correct"])
    asked: dict[str, Any] = {"epsilon": 1.0, "items": tuple(ITEMS), "max_rows": 20, "repeats": 1}
    parts = differential_privacy.noisy_parts
    monkeypatch.setattr(differential_privacy, "noisy_parts", lambda *given: replace(parts(*given), students=288))
    done = study.open(make_job(table, **asked)).protect()
    assert (
        len(set(engine.arrow(done.table)["user"].to_pylist())) == done.facts["students"] == 360
    )  # 288 are four fifths
    fixed = study.open(make_job(table, students=50, **asked)).protect()
    assert len(set(engine.arrow(fixed.table)["user"].to_pylist())) == fixed.facts["students"] == 50
