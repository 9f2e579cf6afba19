"""Risks, inference, usefulness and the trade-off, against truths that are planted or worked out by hand."""

from dataclasses import replace
from itertools import combinations as subsets
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import sharewell as sw
from sharewell.contract import Risk
from sharewell.data import engine
from sharewell.records import usefulness
from sharewell.records.closeness import closeness, tree_closeness
from sharewell.records.limits import Limits
from sharewell.records.measure import guessing
from sharewell.records.measure.most_exposed import most_exposed
from sharewell.records.protection import curve
from sharewell.records.protection.settings import Settings
from sharewell.records.utility import models


def by_name(risks: list[Risk], name: str) -> list[Risk]:
    return [risk for risk in risks if risk.name == name]


def test_class_risks_by_hand() -> None:
    table = pa.table({"a": ["x", "x", "x", "y", "y", "z"], "s": ["p", "p", "q", "p", "p", "q"]})
    risks = sw.records.assess(table, quasi=["a"], sensitive=["s"])
    value = {risk.name: risk.value for risk in risks}
    assert value["k"] == 1
    assert value["alone"] == pytest.approx(1 / 6)
    assert value["prosecutor"] == 1.0
    assert value["marketer"] == pytest.approx(3 / 6)
    assert value["l"] == 1
    assert value["l, entropy"] == pytest.approx(1.0)


def test_the_journalist_sees_the_wider_population() -> None:
    table = pa.table({"a": ["x", "y"]})
    wider = pa.table({"a": ["x"] * 10 + ["y"] * 4 + ["z"]})
    found = sw.records.assess(table, quasi=["a"], population=wider)
    assert by_name(found, "journalist")[0].value == pytest.approx(1 / 4)
    assert by_name(found, "k-map")[0].value == 4
    assert by_name(found, "presence")[0].value == pytest.approx(1 / 4)
    drawn = sw.records.assess(table, quasi=["a"], sampled=0.1)
    assert by_name(drawn, "k-map")[0].value == pytest.approx(10)
    assert by_name(drawn, "presence")[0].value == pytest.approx(0.1)


def test_unknown_cells_are_read_both_ways() -> None:
    table = pa.table({"a": ["x", "x", None, "y", "y", "y"], "b": ["1", "1", "1", "2", "2", "*"]})
    risks = sw.records.assess(table, quasi=["a", "b"])
    assert by_name(risks, "k")[0].value == 1
    # row 3 may be either x row; x rows may be row 3; y rows may be the starred one
    assert by_name(risks, "k, unknown cells match")[0].value == 3


@given(st.lists(st.tuples(*[st.sampled_from(["a", "b", None])] * 3), min_size=1, max_size=14))
def test_matching_of_unknown_cells_equals_comparing_all_pairs(rows: list[tuple[Any, ...]]) -> None:
    table = pa.table({f"c{n}": pa.array([row[n] for row in rows], pa.string()) for n in range(3)})

    def agree(x: tuple[Any, ...], y: tuple[Any, ...]) -> bool:
        return all(p is None or q is None or p == q for p, q in zip(x, y, strict=True))

    expected = min(sum(agree(x, y) for y in rows) for x in rows)
    risks = by_name(sw.records.assess(table, quasi=table.column_names), "k, unknown cells match")
    assert not risks or risks[0].value == expected


@given(st.lists(st.tuples(*[st.integers(0, 2)] * 4), min_size=2, max_size=16))
def test_minimal_uniques_equal_their_definition(rows: list[tuple[Any, ...]]) -> None:
    table = pa.table({f"c{n}": [row[n] for row in rows] for n in range(4)})
    found = {
        tuple(risk.setting["columns"]): round(risk.value * len(rows))
        for risk in by_name(sw.records.assess(table, quasi=table.column_names), "minimal unique")
    }

    def single(row: tuple[int, ...], chosen: tuple[int, ...]) -> bool:
        return sum(all(row[c] == other[c] for c in chosen) for other in rows) == 1

    expected = {}
    for size in (1, 2, 3):
        for chosen in subsets(range(4), size):
            parts = [part for count in range(1, size) for part in subsets(chosen, count)]
            hits = sum(single(row, chosen) and not any(single(row, part) for part in parts) for row in rows)
            if hits:
                expected[tuple(f"c{c}" for c in chosen)] = hits
    best = sorted(expected.values(), reverse=True)[: len(found)]
    assert sorted(found.values(), reverse=True) == best
    assert all(expected[chosen] == hits for chosen, hits in found.items())


def test_wide_tables_are_sampled_and_say_so() -> None:
    draw = np.random.default_rng(0)
    table = pa.table({f"c{n}": draw.integers(0, 4, 200) for n in range(170)})
    risks = by_name(sw.records.assess(table, quasi=table.column_names), "minimal unique")
    assert "a sample of" in risks[0].setting["sets looked at"]


def test_hierarchical_distance_by_hand() -> None:
    # two groups of two values: moving inside a group costs 1/2, across 1
    groups = np.array([[0, 1, 2, 3], [0, 0, 1, 1], [0, 0, 0, 0]])
    held = np.array([[2, 0, 1, 1], [0, 2, 1, 1]])
    assert tree_closeness(held, groups) == pytest.approx([0.25 * 0.5, 0.25 * 0.5])
    held = np.array([[4, 0, 0, 0], [0, 0, 4, 0]])
    assert tree_closeness(held, groups) == pytest.approx([0.5, 0.5])
    assert closeness(held, ordered=False) == pytest.approx([0.5, 0.5])


def test_one_outcome_classes_are_counted() -> None:
    table = pa.table({"a": ["x"] * 3 + ["y"] * 2, "passed": [1, 1, 1, 0, 1]})
    found = sw.records.assess(table, quasi=["a"], target="passed")
    assert by_name(found, "one outcome")[0].value == pytest.approx(3 / 5)
    nearly = pa.table({"a": ["x"] * 10 + ["y"] * 10, "passed": [1] * 9 + [0] + [1] * 8 + [0] * 2})
    assert by_name(sw.records.assess(nearly, quasi=["a"], target="passed"), "outcome known")[0].value == 0.5


def test_the_inference_attack_finds_planted_knowledge_about_members_only() -> None:
    """Members' secrets are random, so only a release that singles them out helps; controls stay at chance."""
    draw = np.random.default_rng(1)
    table = pa.table({"code": [str(n) for n in range(240)], "secret": draw.choice(["p", "q", "r", "s"], 240)})
    found = {}
    for k in (1, 20):
        wanted = Settings(quasi=("code",), sensitive=("secret",), limits=sw.records.Limits(k=k), method="full-domain")
        found[k] = guessing.rehearsed(table, wanted)[0]
    assert found[1].value == 1.0
    assert found[1].chance is not None and found[1].chance < 0.45
    assert found[20].value < 0.55


def test_auc_equals_counting_pairs() -> None:
    draw = np.random.default_rng(2)
    outcome, scores = draw.integers(0, 2, 80).astype(float), draw.integers(0, 9, 80).astype(float)
    wins = [(p > n) + 0.5 * (p == n) for p in scores[outcome == 1] for n in scores[outcome == 0]]
    assert models.auc(outcome, scores) == pytest.approx(np.mean(wins))


def test_utility_of_an_untouched_table_is_the_original() -> None:
    draw = np.random.default_rng(3)
    x = draw.integers(0, 8, 200)
    table = pa.table(
        {"x": x, "y": draw.choice(["a", "b"], 200), "passed": (x + draw.normal(0, 2, 200) > 4).astype(int)}
    )
    found = usefulness(table, table, quasi=["x", "y"], target="passed")
    by = {(u.name, u.setting.get("model")): u for u in found}
    assert by["loss", None].value == 0
    assert all(u.value == pytest.approx(1) for u in found if u.name == "distribution kept")
    assert by["associations moved", None].value == 0
    for model in models.MODELS:
        assert 0.75 < by["AUC", model].value == by["AUC", model].baseline


def test_the_loss_read_from_the_cells_is_the_loss_of_the_search() -> None:
    draw = np.random.default_rng(5)
    table = pa.table({"a": draw.integers(0, 30, 300), "b": draw.choice(["u", "v", "w"], 300, p=[0.7, 0.28, 0.02])})
    for method in ("full-domain", "local"):
        kept = sw.records.anonymize(table, quasi=["a", "b"], k=6, method=method)
        found = usefulness(table, kept.table, quasi=["a", "b"])
        assert found[0].value == pytest.approx(kept.loss, abs=1e-9), method


def test_the_curve_falls_with_k_and_marks_the_choice() -> None:
    draw = np.random.default_rng(6)
    table = pa.table({"a": draw.integers(0, 30, 300), "b": draw.integers(0, 12, 300)})
    made = curve.tradeoff(table, quasi=["a", "b"], k=5, over=(1, 2, 5, 10, 15), seconds=5, method="full-domain")
    utilities = [point.utility for point in made.points]
    assert utilities == sorted(utilities, reverse=True)
    assert made.chosen is not None
    assert made.chosen.strength == 5
    assert all(point.risk <= 1 / point.strength + 1e-12 for point in made.points)


def test_a_row_of_stars_that_happens_to_be_empty_belongs_to_the_class_of_stars() -> None:
    ages, marks = ["[18, 19]"] * 6 + ["*"] * 5, ["7"] * 6 + ["1", "2", "3", "4", None]
    told = pa.table({"age": ages, "mark": pa.array(marks, pa.string())})
    emptied = told.set_column(1, "mark", pa.array([*marks[:6], *[None] * 5], pa.string()))
    for table, smallest in ((told, 5), (emptied, 6)):  # rows that were all emptied are no class
        assert sw.records.recount(table, quasi=["age"], withheld=["mark"])[0].value == smallest


def test_the_chosen_point_of_a_curve_is_the_table_that_leaves() -> None:
    draw = np.random.default_rng(6)
    table = pa.table({"a": draw.integers(0, 30, 300), "b": draw.integers(0, 12, 300)})
    limits = Limits(k=5, l=None, t=None, max_suppressed=0.02)
    wanted = Settings(quasi=("a", "b"), limits=limits, method="full-domain")
    source = engine.table(table)
    request = wanted.request_for(source)
    coarser = wanted.recode(replace(request, limits=replace(limits, k=30)))
    chosen = curve.draw(request, wanted.recode, (2, 10), coarser).chosen
    assert chosen is not None and chosen.strength == 5
    assert chosen.utility == pytest.approx(1 - coarser.loss) and chosen.risk <= 1 / 30


def test_promises_count_the_others_whom_a_student_looks_like() -> None:
    released = pa.table({"age": ["[18, 19]"] * 5 + ["[20, 21]"] * 6, "ill": ["yes", *["no"] * 4, "yes", *["no"] * 5]})
    k, l, t = sw.records.recount(released, quasi=["age"], sensitive=["ill"])  # noqa: E741
    assert k.measure.promise and l.measure.promise and t.measure.promise
    assert k.story.startswith("No student can be distinguished from fewer than 4 others by age;")
    assert "at least 2 values" in l.story and "up to a distance of 0.02" in t.story
    alone = sw.records.recount(released.slice(0, 6), quasi=["age"])[0]
    assert alone.story == "At least one student differs from all others by age."


def test_the_most_exposed_kind_of_student_has_the_smallest_groups() -> None:
    """Ten groups of twelve young students; ten of five older ones, all from small towns."""
    ages = [f"[18, {19 + group}]" for group in range(10) for _ in range(12)] + ["[30, 40]"] * 50
    towns = ["city"] * 120 + [f"town {group}" for group in range(10) for _ in range(5)]
    released = engine.table(pa.table({"age": ages, "town": towns, "sex": ["*"] * 170}))
    (risk,) = most_exposed(released, ["age", "town", "sex"])
    assert risk.setting == {"who": "Students with age [30, 40]", "everyone": pytest.approx(20 / 170, abs=1e-4)}
    assert risk.value == pytest.approx(10 / 50) and risk.n == 50
    alike = engine.table(pa.table({"age": ["[18, 19]"] * 30 + ["[20, 21]"] * 30}))
    assert most_exposed(alike, ["age"]) == []
