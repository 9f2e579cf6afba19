"""Groups: every member leaves with the same rows, and what a group shows is the mean of its members."""

from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from ibis.expr.types import Table
from pyarrow import csv

from sharewell.contract import Job, Protected
from sharewell.data import engine
from sharewell.data.formats import read
from sharewell.data.keyed import Keyed
from sharewell.errors import InputError, Refused
from sharewell.plan.windows import parse
from sharewell.traces.kept_columns import KeptColumns
from sharewell.traces.log import reduce
from sharewell.traces.protection.group_release import GroupRelease
from sharewell.traces.protection.group_rows import shared_by, thinned
from sharewell.traces.protection.group_values import by_key, step_above
from sharewell.traces.protection.groups import DIMENSIONS, _components, _leading, formed
from sharewell.traces.recheck import recheck
from sharewell.traces.section import Limit, Section
from sharewell.traces.study import TraceStudy, open

START = np.datetime64("2024-03-04", "us")


def course(students: int = 60, days: int = 40, seed: int = 1) -> pa.Table:
    """Busy and quiet students, an outcome, a number per event, and a mark that only the grader has."""
    draw = np.random.default_rng(seed)
    rows = []
    for student in range(students):
        level = draw.gamma(2.0, 0.4)
        for day in range(days):
            for _ in range(draw.poisson(level * (2 if day % 7 == 0 else 0.5))):
                minute = day * 1440 + int(draw.integers(480, 1320))
                verb = str(draw.choice(np.array(["read", "quiz", "post"]), p=[0.6, 0.3, 0.1]))
                rows.append((f"s{student}", minute, verb, int(draw.integers(0, 500)), level > 0.8, 100 + student))
    columns = [list(column) for column in zip(*rows, strict=True)]
    times = START + np.array(columns[1]) * np.timedelta64(1, "m")
    names = ("user", "time", "verb", "seconds", "passed", "mark")
    return pa.table(dict(zip(names, [columns[0], times, *columns[2:]], strict=True)))


def study(table: pa.Table, **more: Any) -> TraceStudy:
    given: dict[str, Any] = {
        "quasi": ("verb",),
        "keep": ("seconds", "passed", "mark"),
        "unknowable": {"mark": "only the grader's sheet holds it"},
        "limit": Limit(unicity=0.05, guess=0.2, known=4),
        "method": "groups",
    }
    section = Section(name="c", folder=Path(), file="c.parquet", student="user", at="time", **{**given, **more})
    return open(Job(section=section, source=engine.table(table), seed=0, keyed=Keyed(b"k" * 32, "test")))


def released(one: TraceStudy) -> tuple[Protected, pa.Table]:
    protected = one.protect()
    protected = replace(protected, table=engine.materialise(protected.table))
    return protected, engine.arrow(protected.table)


def finished(protected: Protected) -> Table:
    """The rows as they are written: by student, in an order that every student shares."""
    rest = [name for name in protected.table.columns if name not in ("user", *protected.order)]
    return protected.table.order_by(["user", *protected.order, *rest]).drop(*protected.helpers)


def traces(table: pa.Table, *without: str) -> dict[str, tuple[tuple[object, ...], ...]]:
    """All rows of every student, in plain Python."""
    columns = [name for name in table.column_names if name not in ("user", *without)]
    found: dict[str, list[tuple[object, ...]]] = {}
    for row in table.to_pylist():
        found.setdefault(row["user"], []).append(tuple(row[name] for name in columns))
    return {user: tuple(sorted(rows, key=str)) for user, rows in found.items()}


@pytest.mark.parametrize(
    ("limit", "k"), [(Limit(unicity=0.05, guess=0.23), 5), (Limit(unicity=0.02, guess=0.1, exposed=0.1), 10)]
)
def test_everybody_has_as_many_doubles_as_the_limit_asks(limit: Limit, k: int) -> None:
    one = study(course(), limit=limit)
    protected, table = released(one)
    alike = Counter(traces(table, "mark").values())
    assert min(alike.values()) >= k
    risks = one.attack(protected)
    assert all(risk.holds for risk in risks if risk.gate)
    assert {risk.gate for risk in risks} >= set(one.section.limits())
    assert all(risk.value <= 1 / k + 1e-9 for risk in risks if risk.name == "guess")
    (again,) = recheck(finished(protected), protected.facts)
    assert again.holds and again.value == min(alike.values()) and again.limit == k


def test_a_recheck_sees_a_student_whose_rows_differ() -> None:
    protected, table = released(study(course()))
    (again,) = recheck(engine.table(engine.arrow(finished(protected)).slice(1)), protected.facts)
    assert again.holds is False and table.num_rows


def test_what_is_constant_becomes_one_value_of_the_group_and_the_unknowable_stays() -> None:
    original = course()
    _, table = released(study(original))
    truth = dict(zip(original["user"].to_pylist(), original["mark"].to_pylist(), strict=True))
    assert all(row["mark"] == truth[row["user"]] for row in table.to_pylist())
    assert all(
        len({row[2:] for row in rows}) == 1 for rows in traces(table, "mark", "time", "verb", "seconds").values()
    )
    passed = dict(zip(original["user"].to_pylist(), original["passed"].to_pylist(), strict=True))
    shares = {row["user"]: row["passed"] for row in table.to_pylist()}
    assert set(shares.values()) <= {0.0, 0.25, 0.5, 0.75, 1.0} and len(set(shares.values())) > 1
    assert np.mean(list(shares.values())) == pytest.approx(np.mean([passed[who] for who in shares]), abs=0.15)
    assert table.num_rows >= 0.8 * original.num_rows


def test_a_number_that_differs_from_row_to_row_is_a_mean_of_its_key_in_all_groups() -> None:
    original = course().to_pandas()
    _, table = released(study(course()))
    shown = table.to_pandas().groupby("verb")["seconds"].unique()
    own = original.groupby(["verb", "user"])["seconds"].mean().groupby("verb").mean()
    assert all(len(values) == 1 and values[0] == pytest.approx(own[verb], abs=40) for verb, values in shown.items())


def test_groups_are_formed_within_an_outcome_only_where_the_plan_calls_nothing_sensitive() -> None:
    one = study(course(), sensitive=())
    _, table = released(one)
    truth = dict(zip(course()["user"].to_pylist(), course()["passed"].to_pylist(), strict=True))
    assert all(row["passed"] == truth[row["user"]] for row in table.to_pylist())
    assert "inference" not in one.section.limits()


@pytest.mark.parametrize(("holders", "shown"), [(4, None), (5, 50.0)])
def test_a_number_that_fewer_than_k_members_have_is_not_shown(holders: int, shown: float | None) -> None:
    """All five are there on both days; so many of them have numbers of one verb, twice each."""
    rows = [(who, day) for who in range(5) for day in (0, 0, 1)]
    days = np.datetime64("2024-03-04T10", "us") + np.array([day for _, day in rows]) * np.timedelta64(1, "D")
    score = [50.0 if who < holders and day == 0 else None for who, day in rows]
    verb = ["answer" if day == 0 else "read" for _, day in rows]
    table = engine.table(
        pa.table({"user": [f"s{who}" for who, _ in rows], "time": days, "verb": verb, "score": pa.array(score)})
    )
    log = reduce(table, student="user", at="time", window=parse("1d"), also=["verb"])
    shared = thinned(log, np.zeros(5, np.int64), 5, np.random.default_rng(0))
    kept = KeptColumns(numbers=("score",))
    made = GroupRelease(events=table, log=log, shown=shared, kept=kept, student="user", at="time", holders=5)
    found = {row["time"].day: row["score"] for row in engine.arrow(made.table()).to_pylist()}
    assert found == {4: shown, 5: None}


@pytest.mark.parametrize(("least", "step"), [(0.2, 0.25), (9.999999999999, 15), (10.0, 15), (14.2, 15), (0.0, 0.0)])
def test_a_step_is_larger_than_what_one_member_moves(least: float, step: float) -> None:
    assert step_above(least) == pytest.approx(step)


def marked(students: int = 113, seed: int = 4) -> pa.Table:
    """A course with a mark that is the same in all rows of a student, and takes more values than are listed."""
    draw = np.random.default_rng(seed)
    marks = np.round(draw.normal(60, 15, students), 1)
    table = course(students=students, seed=seed).drop_columns(["seconds", "passed", "mark"])
    own = [float(marks[int(who[1:])]) for who in table["user"].to_pylist()]
    return table.append_column("exam", pa.array(own))


@pytest.mark.parametrize("k", [5, 10])
def test_no_mark_comes_back_from_a_group(k: int) -> None:
    """Somebody holds the log without marks: by windows, by knowing all other marks, and from two keys of a score."""
    table = marked()
    one = study(table, quasi=("verb",), keep=("exam",), unknowable={}, window="1w", limit=Limit(k=k, inference=0.1))
    _, rows = released(one)
    truth = dict(zip(table["user"].to_pylist(), table["exam"].to_pylist(), strict=True))
    counts = Counter((row["user"], row["time"].isocalendar()[:2]) for row in table.to_pylist())
    groups: dict[Any, list[str]] = {}
    for who, own in traces(rows).items():
        groups.setdefault(own, []).append(who)
    near: dict[str, list[bool]] = {"mean": [], "shown": [], "windows": [], "others": []}
    assert len(groups) >= 113 // (2 * k)
    for own, members in groups.items():
        (shown,) = {row[2] for row in own}  # one mean in all rows
        marks = np.array([truth[who] for who in members])
        weeks = sorted({row[0].isocalendar()[:2] for row in own})
        weights = np.array([[counts[who, week] for who in members] for week in weeks], float)
        weights /= np.maximum(weights.sum(axis=1, keepdims=True), 1)
        solved, *_ = np.linalg.lstsq(weights, np.full(len(weeks), shown), rcond=None)
        guesses = {
            "mean": marks.mean(), "shown": shown, "windows": solved,
            "others": len(members) * shown - (marks.sum() - marks),
        }  # fmt: skip
        for name, guess in guesses.items():
            near[name] += (np.abs(marks - guess) <= 1).tolist()
    assert all(np.mean(found) <= np.mean(near["mean"]) + 0.10 for found in near.values())


def test_a_score_that_hardly_differs_per_student_does_not_come_back_from_who_answered_what() -> None:
    """Means of a key are one equation each, and 60 unknowns are solved from 120 keys where nothing is rounded."""
    draw = np.random.default_rng(3)
    own, answered = draw.normal(60, 15, 60), draw.random((120, 60)) < 0.5
    who, item = (place.tolist() for place in np.nonzero(answered.T))
    table = pa.table({"user": [f"s{n}" for n in who], "item": [f"i{n:03}" for n in item], "score": own[who]})
    found = by_key(engine.table(table), "score", ["item"], student="user", k=5)
    told = np.array([found[f"i{n:03}",] for n in range(120)])
    weights = answered / answered.sum(axis=1, keepdims=True)
    exact, *_ = np.linalg.lstsq(weights, weights @ own, rcond=None)
    solved, *_ = np.linalg.lstsq(weights, told, rcond=None)
    usual = np.mean(np.abs(own - own.mean()) <= 1)
    assert np.mean(np.abs(exact - own) <= 1) == 1 and np.mean(np.abs(solved - own) <= 1) <= usual + 0.10
    harder = draw.normal(0, 15, 120)
    scores = table.set_column(2, "score", pa.array(own[who] + harder[item] + draw.normal(0, 20, len(who))))
    found = by_key(engine.table(scores), "score", ["item"], student="user", k=5)
    assert np.corrcoef([found[f"i{n:03}",] for n in range(120)], harder)[0, 1] > 0.9  # items differ as they did


def test_the_outcome_is_read_as_well_with_the_group_out() -> None:
    """Formed by likeness alone, groups of this course give the outcome away; the gate sees it, and balance mends it."""
    table = course(students=113, seed=2)
    held = study(table, keep=("passed",), unknowable={}, limit=Limit(k=5, inference=0.10))
    protected, _ = released(held)
    (gate,) = (risk for risk in held.attack(protected) if risk.gate == "inference")
    assert gate.holds and gate.bound == "high" and gate.attacker == "reads passed"
    within, _ = released(study(table, keep=("passed",), unknowable={}, sensitive=()))
    (caught,) = (risk for risk in held.attack(within) if risk.gate == "inference")
    assert not caught.holds and caught.setting["right"] == 1.0


@settings(max_examples=15)
@given(seed=st.integers(0, 10_000), k=st.integers(2, 7))
def test_groups_are_large_enough_and_show_what_members_share(seed: int, k: int) -> None:
    table = course(students=25, days=20, seed=seed)
    base = reduce(engine.table(table), student="user", at="time", window=parse("1s"), also=["verb"])
    halves = np.arange(base.students) % 2
    group = formed(base, k, halves)
    for number in np.unique(group[group >= 0]):
        members = np.flatnonzero(group == number)
        assert len(members) >= k and len(set(halves[members].tolist())) == 1
    log = reduce(engine.table(table), student="user", at="time", window=parse("1d"), also=["verb"])
    shown = thinned(log, group, k, np.random.default_rng(seed))
    days = log.keys // log.combinations_count
    for number, point, rows in zip(shown.groups, shown.points, shown.rows, strict=True):
        mine = group[log.owners] == number
        there = set(log.owners[mine & (days[log.points] == days[point])].tolist())
        events = log.events[mine & (log.points == point)].sum()
        assert len(there) >= shared_by(k)
        assert abs(rows - events / (group == number).sum()) < 1 + 1e-6


def test_groups_of_an_earlier_release_stay_whole_or_leave(tmp_path: Path) -> None:
    """Two students left and twenty came: nobody who is in both versions has other companions than before."""
    everybody = course(days=20)
    users = everybody["user"].to_pylist()
    first = everybody.filter(pa.array([int(user[1:]) < 40 for user in users]))
    second = everybody.filter(pa.array([user not in ("s3", "s17") for user in users]))
    earlier = released(study(first))[0].private["groups"]
    csv.write_csv(earlier, tmp_path / "groups.csv")
    again = released(study(second, recoding=str(tmp_path / "groups.csv")))[0].private["groups"]
    before, after = (companions(table) for table in (earlier, again))
    assert all(after[user] in (before[user], frozenset()) for user in before if user in after)
    lost = before["s3"] | before["s17"]
    assert {user for user in before if not after.get(user)} == lost | {user for user in before if not before[user]}
    new = [after[user] for user in after if user not in before]
    assert any(new) and all(len(group) >= 5 and not group & before.keys() for group in new if group)


def companions(groups: pa.Table) -> dict[str, frozenset[str]]:
    """Everybody's group; nobody for whom no group has room."""
    found: dict[int, set[str]] = {}
    pairs = list(zip(groups["student"].to_pylist(), groups["group"].to_pylist(), strict=True))
    for user, group in pairs:
        found.setdefault(group, set()).add(user)
    return {user: frozenset(found[group]) if group >= 0 else frozenset() for user, group in pairs}


def test_other_files_are_no_earlier_groups(tmp_path: Path) -> None:
    (tmp_path / "groups.csv").write_text("who,where\na,b\n")
    with pytest.raises(InputError, match="no groups of an earlier release"):
        study(course(students=12, days=10), recoding=str(tmp_path / "groups.csv")).protect()


@pytest.mark.parametrize(
    ("students", "size", "sentence"),
    [("s", 10, "no group of the earlier release has the 10 students"), ("x", 5, "are of other students")],
)
def test_groups_that_cannot_be_used_again_refuse(tmp_path: Path, students: str, size: int, sentence: str) -> None:
    """Formed anew in silence, they could be intersected with those of before."""
    earlier = "".join(f"{students}{number},{number // 5}\n" for number in range(30))
    (tmp_path / "groups.csv").write_text(f"student,group\n{earlier}")
    with pytest.raises(Refused, match=sentence):
        study(course(students=30, days=10), recoding=str(tmp_path / "groups.csv"), group_size=size).protect()


def test_an_outcome_that_few_have_is_not_told() -> None:
    """Three students failed: nobody's row says so."""
    table = course(students=30)
    failed = pa.array(["failed" if user in ("s1", "s2", "s3") else "passed" for user in table["user"].to_pylist()])
    one = study(table.append_column("grade", failed), keep=("seconds", "passed", "mark", "grade"))
    protected, kept = released(one)
    assert not any("failed" in cell for cell in kept["grade"].to_pylist())
    assert all(risk.holds for risk in one.attack(protected) if risk.gate)


def test_recurring_windows_leave_in_groups_too() -> None:
    one = study(course(students=20), window="weekday", keep=(), unknowable={})
    protected, kept = released(one)
    assert set(kept["time"].to_pylist()) <= set(range(7))
    assert min(Counter(traces(kept).values()).values()) >= 5
    assert all(risk.holds for risk in one.attack(protected) if risk.gate)
    assert {"events kept", "own events", "order of events"} == {found.name for found in one.utility(protected)} - {
        "students kept",
        "uses kept",
    }


def test_too_few_students_for_a_group_are_refused() -> None:
    with pytest.raises(Refused, match="no group of 5"):
        study(course(students=4)).protect()


def test_a_kept_column_that_holds_times_is_refused() -> None:
    table = course(students=6)
    clock = pa.array([f"{n % 24:02d}:30" for n in range(len(table))])
    for stamps in (table["time"], clock, pa.array(["4.3.2024"] * len(table))):
        with pytest.raises(InputError, match="column 'ended': is kept and holds times"):
            study(table.append_column("ended", stamps), keep=("seconds", "passed", "mark", "ended"))


def test_what_nobody_can_know_needs_a_reason() -> None:
    section = study(course(students=6)).section
    assert not section.problems()
    assert "say why" in replace(section, unknowable={"mark": " "}).problems()[0]
    assert "not a kept column" in replace(section, unknowable={"verb": "because"}).problems()[0]


def test_the_search_is_taken_where_it_keeps_more() -> None:
    """A crowd in which everybody does the same once a day: nothing needs to be grouped."""
    rows = [(f"s{n}", START + np.timedelta64(day, "D")) for n in range(200) for day in range(5)]
    table = pa.table({"user": [row[0] for row in rows], "time": np.array([row[1] for row in rows])})
    one = study(table, quasi=(), keep=(), unknowable={}, method=None)
    protected, kept = released(one)
    assert protected.facts["method"] == "search" and kept.num_rows == table.num_rows
    assert all(risk.holds for risk in one.attack(protected) if risk.gate)


@pytest.mark.parametrize(
    ("limit", "k"), [(Limit(unicity=0.05, guess=0.2), 5), (Limit(unicity=0.02, guess=0.1, exposed=0.1), 10)]
)
def test_the_search_keeps_those_who_have_company(limit: Limit, k: int) -> None:
    """By the month many do the same, and some do what nobody else does: these are left out."""
    one = study(crowd(), keep=(), unknowable={}, method="search", limit=limit)
    protected, table = released(one)
    table = table.sort_by([(name, "ascending") for name in ("user", *protected.order)])
    sizes = Counter(in_order(table.drop_columns(list(protected.helpers))).values())
    assert all(risk.holds for risk in one.attack(protected) if risk.gate)
    assert min(sizes.values()) >= k and table.num_rows > 50
    assert [risk.holds for risk in recheck(finished(protected), protected.facts)] == [True]


def test_a_recheck_sees_the_one_student_whose_rows_differ_in_a_search() -> None:
    """Of a hundred one stands out."""
    one = study(crowd(), keep=(), unknowable={}, method="search", limit=Limit(k=10))
    users = sorted([*(f"u{n}" for n in range(100)), "u7"])
    days = np.full(101, np.datetime64("2024-03-01", "us"))
    (again,) = recheck(engine.table(pa.table({"user": users, "time": days})), one.protect().facts)
    assert (again.value, again.holds) == (1, False)


def test_who_answers_whom_and_numbers_of_rows_do_not_leave() -> None:
    """As pseudonyms they say which rows belong together, and how often somebody is answered singles students out."""
    table = crowd()
    peer = pa.array([f"s{n % 7}" for n in range(table.num_rows)])
    table = table.append_column("to", peer).append_column("thread", pa.array(np.arange(table.num_rows) % 11))
    one = study(table, keep=(), unknowable={}, method="search", peers=("to",), ids=("thread",))
    protected, kept = released(one)
    assert {"to", "thread"}.isdisjoint(kept.column_names)
    gone = {name for change in protected.changes if change.action == "dropped" for name in change.columns}
    assert {"to", "thread"} <= gone


def in_order(table: pa.Table) -> dict[str, tuple[Any, ...]]:
    """The rows of every student as they follow one another."""
    found: dict[str, tuple[Any, ...]] = {}
    for row in table.to_pylist():
        found[row["user"]] = (*found.get(row["user"], ()), (row["time"], row["verb"]))
    return found


def crowd(students: int = 150, seed: int = 3) -> pa.Table:
    """Most do one or two of three things, once or twice; every tenth does a lot."""
    draw = np.random.default_rng(seed)
    rows = []
    for student in range(students):
        for _ in range(int(draw.integers(15, 60)) if student % 10 == 0 else int(draw.integers(1, 3))):
            minute = int(draw.integers(0, 25)) * 1440
            rows.append(
                (f"s{student}", START + np.timedelta64(minute, "m"), str(draw.choice(["read", "quiz", "post"])))
            )
    return pa.table({name: [row[place] for row in rows] for place, name in enumerate(("user", "time", "verb"))})


@pytest.mark.parametrize(("window", "least"), [("1d", 0.60), ("1w", 0.85)])
def test_groups_on_edify_keep_enough(shared_data: Path, window: str, least: float) -> None:
    table = read(shared_data / "moodle_edify" / "moodle_events.csv.gz").table
    table = table.filter(table.user_id.notnull() & ~table.Time.startswith("29/02/18"))
    events = engine.arrow(table.select(user=table.user_id, time=table.Time, verb=table["Event name"]))
    one = study(events, keep=(), unknowable={}, dates={"time": "day-first"}, window=window)
    protected, kept = released(one)
    assert min(Counter(traces(kept).values()).values()) >= 5
    assert kept.num_rows >= least * events.num_rows
    assert all(risk.holds for risk in one.attack(protected) if risk.gate)


@pytest.mark.parametrize(("students", "days"), [(40, 12), (12, 40)])
def test_components_keep_the_distances_of_students(students: int, days: int) -> None:
    rows = np.random.default_rng(5).poisson(2.0, (students, days)).astype(np.float32)
    near = _components(rows)
    for one, other in ((0, 1), (2, 7), (3, 11)):
        assert np.sum((near[one] - near[other]) ** 2) == pytest.approx(np.sum((rows[one] - rows[other]) ** 2), rel=1e-5)


def test_components_of_few_days_and_of_few_students_are_the_same() -> None:
    """The leading ones, by either product, where there are more than are looked at."""
    rows = np.random.default_rng(6).poisson(2.0, (90, 89)).astype(np.float32)
    centred = (rows - rows.mean(axis=0)).astype(np.float64)
    values, vectors = _leading(centred @ centred.T)
    assert _components(rows).shape == (90, DIMENSIONS)
    assert np.allclose(np.abs(_components(rows)), np.abs(vectors * np.sqrt(values)), atol=1e-6)
