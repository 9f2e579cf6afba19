"""Company: students with identical rows, counted by two programs and by plain Python."""

import json
import shutil
from collections import Counter
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from traces.small_course import clicks, job, materialised

import sharewell as sw
from sharewell import pipeline
from sharewell.contract import Protected
from sharewell.data import engine
from sharewell.data.files import file_digest
from sharewell.errors import InputError, PlanError
from sharewell.plan import document
from sharewell.release.verify import verify
from sharewell.traces.recheck import recheck
from sharewell.traces.section import Limit
from sharewell.traces.study import TraceStudy, open

CELLS = st.tuples(st.sampled_from("abcdef"), st.integers(0, 2), st.sampled_from(["x", "y", None]))


def in_order(table: pa.Table) -> dict[str, tuple[Any, ...]]:
    """The rows of every student as they follow one another."""
    found: dict[str, tuple[Any, ...]] = {}
    for row in table.to_pylist():
        who = row.pop("user")
        found[who] = (*found.get(who, ()), tuple(row.values()))
    return found


@settings(deadline=None, max_examples=40)
@given(st.lists(CELLS, min_size=1, max_size=40))
def test_both_programs_count_as_plain_python_does(rows: list[tuple[str, int, str | None]]) -> None:
    rows = sorted(rows, key=lambda row: row[0])
    who, week, verb = zip(*rows, strict=True)
    table = pa.table({"user": who, "week": week, "verb": pa.array(verb, pa.string())})
    fewest = min(Counter(in_order(table).values()).values())
    assert sw.traces.company(table, student="user").value == fewest
    facts = {"student": "user", "promise": "company", "k": 2, "private": []}
    (again,) = recheck(engine.table(table), facts)
    assert again.value == fewest and again.holds is (fewest >= 2)


def test_the_order_of_rows_counts_and_an_unknowable_column_does_not() -> None:
    rows = pa.table({"user": list("aabb"), "verb": list("xyyx"), "mark": [1, 1, 2, 2]})
    assert sw.traces.company(rows, student="user", unknowable=["mark"]).value == 1
    alike = rows.set_column(1, "verb", pa.array(list("xyxy")))
    assert sw.traces.company(alike, student="user").value == 1
    assert sw.traces.company(alike, student="user", unknowable=["mark"]).value == 2
    with pytest.raises(InputError, match="there is no such column"):
        sw.traces.company(rows, student="who")


@pytest.fixture(scope="module", params=["search", "groups"])
def made(request: pytest.FixtureRequest) -> tuple[TraceStudy, Protected]:
    study = open(job(clicks(students=90), method=request.param, limit=Limit(k=5)))
    return study, materialised(study.protect())


def finished(protected: Protected) -> pa.Table:
    rest = [name for name in protected.table.columns if name not in ("user", *protected.order)]
    rows = protected.table.order_by(["user", *protected.order, *rest])
    return engine.arrow(rows.drop(*protected.helpers))


def spoiled(rows: pa.Table, how: str, *, unlike: str) -> pa.Table:
    """One student's rows changed a little: a row more, two rows in another order, or one kept cell."""
    own = [place for place, who in enumerate(rows["user"].to_pylist()) if who == rows["user"][0].as_py()]
    if how == "row":
        return pa.concat_tables([rows.slice(0, 1), rows])
    if how == "order":
        other = next(place for place in own if rows.slice(place, 1) != rows.slice(own[0], 1))
        order = list(range(rows.num_rows))
        order[own[0]], order[other] = other, own[0]
        return rows.take(pa.array(order))
    cells = rows[unlike].to_pylist()
    cells[own[0]] = "changed"
    return rows.set_column(rows.column_names.index(unlike), unlike, pa.array(cells))


@pytest.mark.parametrize("how", ["row", "cell"])
def test_a_planted_difference_is_refused_by_the_gate(how: str, made: tuple[TraceStudy, Protected]) -> None:
    study, protected = made
    table = engine.arrow(protected.table.order_by(["user", *protected.order]))
    bad = spoiled(table, how, unlike=next(name for name in table.column_names if name not in ("user", "time")))
    gate, *_ = study.attack(replace(protected, table=engine.table(bad)))
    assert gate.name == "company" and gate.value == 1 and gate.holds is False


def test_two_rows_of_one_student_in_another_order_are_refused_by_the_gate() -> None:
    study = open(job(clicks(students=60), method="search", window="1mo", limit=Limit(k=5)))
    protected = study.protect()
    (order,) = protected.helpers
    users, month = [f"s{n}" for n in range(6) for _ in "ab"], [datetime(2024, 3, 1)] * 12
    for turns, fewest in (([0, 1] * 6, 6), ([0, 1] * 5 + [1, 0], 1)):
        rows = pa.table({"user": users, "time": month, "verb": ["read", "quiz"] * 6, order: turns})
        gate, *_ = study.attack(replace(protected, table=engine.table(rows)))
        assert gate.name == "company" and gate.value == fewest and gate.holds is (fewest > 1)


@pytest.mark.parametrize("how", ["row", "order", "cell"])
def test_a_planted_difference_is_refused_and_found_in_the_file(how: str, made: tuple[TraceStudy, Protected]) -> None:
    study, protected = made
    gate, *_ = study.attack(protected)
    assert gate.name == "company" and gate.gate == "k" and gate.holds and gate.value >= 5
    rows = finished(protected)
    (again,) = recheck(engine.table(rows), protected.facts)
    assert again.holds and again.value == gate.value
    assert again.story == gate.story  # the sentence of page one is the one that the file bears out
    bad = spoiled(rows, how, unlike=next(name for name in rows.column_names if name != "user"))
    (caught,) = recheck(engine.table(bad), protected.facts)
    assert caught.holds is False and caught.value == 1
    assert sw.traces.company(bad, student="user").value == 1


def test_rows_of_another_student_between_two_of_one_make_no_company() -> None:
    """A file in which the rows of a student do not stand together was not written by a release."""
    facts = {"student": "user", "promise": "company", "k": 2, "private": []}
    (mixed,) = recheck(engine.table(pa.table({"user": list("abab"), "verb": list("xxyy")})), facts)
    (together,) = recheck(engine.table(pa.table({"user": list("aabb"), "verb": list("xyxy")})), facts)
    assert (mixed.value, together.value) == (2, 2)
    (torn,) = recheck(engine.table(pa.table({"user": list("aabab"), "verb": list("xyxzy")})), facts)
    assert torn.holds is False


def test_an_empty_file_has_no_company() -> None:
    empty = engine.table(pa.table({"user": pa.array([], pa.string()), "verb": pa.array([], pa.string())}))
    (risk,) = recheck(empty, {"student": "user", "promise": "company", "k": 2, "private": []})
    assert risk.value == 0 and risk.holds is False


@pytest.mark.parametrize(
    ("given", "k"),
    [
        ("", 5),
        ("limit = { k = 7 }", 7),
        ("limit = { guess = 0.1 }", 10),
        ("limit = { exposed = 0.05, unicity = 0.3 }", 20),
        ("group_size = 12", 12),
        ("limit = { guess = 0.5 }\ngroup_size = 3", 5),
        ('promise = "points"\nlimit = { guess = 0.5 }', None),
        ('method = "synthetic"', None),
    ],
)
def test_limits_of_older_plans_only_raise_k(given: str, k: int | None, tmp_path: Path) -> None:
    (tmp_path / "log.csv").write_text("id,time\n")
    (tmp_path / "plan.toml").write_text(
        '[release]\nname = "x"\n[traces.log]\nfile = "log.csv"\nstudent = "id"\nat = "time"\n' + given
    )
    (section,) = document.load(tmp_path / "plan.toml").sections
    limits = section.limits()
    assert limits.get("k") == k
    assert (limits == {"k": k}) is (k is not None)


def test_a_retired_key_is_answered_with_how_to_write_it_now(tmp_path: Path) -> None:
    (tmp_path / "log.csv").write_text("id,time\n")
    (tmp_path / "plan.toml").write_text(
        '[release]\nname = "x"\n[traces.log]\nfile = "log.csv"\nstudent = "id"\nat = "time"\nattackers = ["random"]'
    )
    with pytest.raises(PlanError, match='leave the line out, or write promise = "points"') as told:
        document.load(tmp_path / "plan.toml")
    assert "unknown key" not in str(told.value)


def test_the_function_keeps_the_promise_of_the_command() -> None:
    """The log of which all students kept unique rows while the function said that a limit was met."""
    table = clicks(students=150)
    kept = sw.traces.protect(table, student="user", at="time", also=["verb"], k=5, window="1w")
    assert sw.traces.company(kept.table, student="user").value >= 5
    assert {"email", "passed"}.isdisjoint(kept.table.column_names)
    assert any(change.action == "dropped" and change.columns == ("email",) for change in kept.changes)
    points = sw.traces.protect(
        table, student="user", at="time", also=["verb"], promise="points", known=2, limit=0.2, window="1w"
    )
    assert "may find any student" in points.facts["not covered"] and "not covered" not in kept.facts
    assert "may find any student" in repr(points) and "may find any student" not in repr(kept)


def test_the_weaker_promise_is_said_on_page_one_and_in_the_datasheet(tmp_path: Path) -> None:
    rows = [f"s{n % 40},2024-03-{4 + n % 3:02d}" for n in range(400)]
    (tmp_path / "log.csv").write_text("\n".join(["id,time", *rows, ""]))
    plan = '[release]\nname = "x"\n[traces.log]\nfile = "log.csv"\nstudent = "id"\nat = "time"\npromise = "points"'
    (tmp_path / "plan.toml").write_text(plan)
    outcome = pipeline.release(document.load(tmp_path / "plan.toml"))
    assert outcome.verdict.passed
    for page in ("report.html", "README.md"):
        said = (tmp_path / "release" / page).read_text()
        assert "Weaker promise: Only attackers who know 4 moments" in said and "may find any student" in said


def test_under_points_the_known_moments_are_limited_and_the_file_says_what_is_not() -> None:
    study = open(job(clicks(students=60), promise="points", limit=Limit(unicity=0.1, known=2)))
    protected = materialised(study.protect())
    risks = study.attack(protected)
    gated = {risk.attacker: risk for risk in risks if risk.gate}
    assert set(gated) == {"random", "rare", "classmate", "consecutive", "released points"}
    assert {risk.bound for risk in gated.values()} == {"high"}  # the unfavourable end of the interval
    assert all(risk.holds for risk in gated.values()) and {risk.gate for risk in gated.values()} == {"unicity"}
    (again,) = recheck(engine.table(finished(protected)), protected.facts)
    assert again.holds and again.value == pytest.approx(gated["released points"].value, abs=0.03)


PLAN = """
[release]
name = "x"
key = "x.key"
[traces.clicks]
file = "clicks.parquet"
student = "user"
at = "time"
quasi = ["verb"]
keep = ["passed"]
direct = ["email"]
"""


@pytest.fixture(scope="module")
def published(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The log of which functions and studies are made above, released from a plan."""
    folder = tmp_path_factory.mktemp("published")
    pq.write_table(clicks(students=90), folder / "clicks.parquet")
    (folder / "x.key").write_text("5a" * 32)
    (folder / "plan.toml").write_text(PLAN)
    assert pipeline.release(document.load(folder / "plan.toml")).verdict.passed
    return folder


def traces_of(rows: pa.Table) -> Counter[tuple[Any, ...]]:
    """Rows in their order, without whose they are."""
    return Counter(in_order(rows).values())


def test_the_function_makes_the_rows_of_the_command(published: Path) -> None:
    """The same rows for the same key, in the same order, under other names."""
    given: dict[str, Any] = {"student": "user", "at": "time", "also": ["verb"], "keep": ["passed"], "name": "clicks"}
    released = pq.read_table(published / "release" / "data" / "clicks.parquet")
    log = clicks(students=90)
    one, other = (sw.traces.protect(log, **given, key=bytes([number]) * 32).table for number in (0x5A, 0x5B))
    assert traces_of(one.select(released.column_names)) == traces_of(released)
    assert traces_of(other.select(released.column_names)) != traces_of(released)


@pytest.mark.parametrize("how", ["row", "order", "cell"])
def test_verify_finds_a_planted_difference_in_the_finished_file(how: str, published: Path, tmp_path: Path) -> None:
    """By who has made the hashes fit."""
    folder = shutil.copytree(published / "release", tmp_path / "release")
    path, manifest = folder / "data" / "clicks.parquet", json.loads((folder / "manifest.json").read_text())
    pq.write_table(spoiled(pq.read_table(path), how, unlike="verb"), path)
    manifest["files"]["data/clicks.parquet"] = file_digest(path)
    (folder / "manifest.json").write_text(json.dumps(manifest))
    assert not verify(published / "release").problems
    assert "company (knows everything a student did) is 1" in " ".join(verify(folder).problems)
