"""A log that is not held whole: chosen on some students, protected cohort by cohort, attacked as one release."""

import pickle
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pyarrow as pa
import pytest
from pyarrow import csv
from traces.small_course import clicks, job, materialised
from traces.test_groups import companions

from sharewell.contract import Protected
from sharewell.data import engine
from sharewell.data.keyed import Keyed
from sharewell.errors import Refused
from sharewell.traces import study
from sharewell.traces.protection import cohorts
from sharewell.traces.protection.ways import Request
from sharewell.traces.utility import sample

EVENTS = 1_500  # of a cohort
K = 5


@contextmanager
def small_cohorts() -> Iterator[None]:
    with (
        patch.object(cohorts, "IN_A_COHORT", EVENTS),
        patch.object(sample, "ENOUGH", EVENTS),
    ):
        yield


@pytest.fixture(scope="module")
def log() -> pa.Table:
    return clicks(students=120)


def protected(log: pa.Table, **more: Any) -> tuple[study.TraceStudy, Protected]:
    opened = study.open(job(log, **more))
    return opened, materialised(opened.protect())


def traces_of(rows: pa.Table) -> dict[str, tuple[Any, ...]]:
    """All rows of each student, in one order."""
    found: dict[str, list[Any]] = defaultdict(list)
    for row in rows.to_pylist():
        found[row.pop("user")].append(tuple(str(row[name]) for name in sorted(row)))
    return {who: tuple(sorted(own)) for who, own in found.items()}


def test_of_a_large_log_drawn_students_are_attacked_and_their_number_is_stated(log: pa.Table) -> None:
    with small_cohorts():
        opened, found = protected(log, method="groups")
        before, after = opened.before(), opened.attack(found)
    drawn = {risk.setting["students drawn"] for risk in [*before, *after[1:]]}
    assert len(drawn) == 1 and 20 <= drawn.pop() < 120
    assert after[0].name == "company" and after[0].n == len(traces_of(engine.arrow(found.table)))
    few = [risk for risk in before if risk.attacker == "random" and risk.setting.get("window") == "1s"]
    assert few and all(risk.n < 120 for risk in few)


def test_nobody_s_rows_differ_from_those_of_four_others(log: pa.Table) -> None:
    with small_cohorts():
        _, found = protected(log, method="groups")
    rows = engine.arrow(found.table)
    alike = Counter(traces_of(rows).values())
    assert len(alike) > 8 and min(alike.values()) >= K
    assert set(rows["user"].to_pylist()) <= set(log["user"].to_pylist())
    assert len(traces_of(rows)) >= 0.9 * 120
    assert set(rows.column_names) == {"user", "verb", "passed", "time"}


def test_groups_of_different_cohorts_have_different_numbers(log: pa.Table) -> None:
    with small_cohorts():
        _, found = protected(log, method="groups")
    traces = traces_of(engine.arrow(found.table))
    members: dict[int, set[Any]] = defaultdict(set)
    groups = engine.arrow(found.private["groups"])
    for row in groups.to_pylist():
        if row["group"] >= 0:
            members[row["group"]].add(traces[row["student"]])
    assert groups.num_rows == 120 and all(len(rows) == 1 for rows in members.values())


def test_groups_of_an_earlier_release_stay_whole_or_leave_in_cohorts_too(log: pa.Table, tmp_path: Path) -> None:
    """Two students left and twenty came: nobody who is in both versions has other companions than before."""
    students = sorted(set(log["user"].to_pylist()))
    new, left = set(students[::6]), set(students[1:3])
    first = log.filter([who not in new for who in log["user"].to_pylist()])
    second = log.filter([who not in left for who in log["user"].to_pylist()])
    with small_cohorts():
        earlier = engine.arrow(protected(first, method="groups")[1].private["groups"])
        csv.write_csv(earlier, tmp_path / "groups.csv")
        _, found = protected(second, recoding=str(tmp_path / "groups.csv"))
        again = engine.arrow(found.private["groups"])
    before, after = companions(earlier), companions(again)
    cohort = [dict(zip(one["student"].to_pylist(), one["cohort"].to_pylist(), strict=True)) for one in (earlier, again)]
    assert len(set(cohort[0].values())) > 2 and all(cohort[1][who] == cohort[0][who] for who in before if who in after)
    assert all(after[who] in (before[who], frozenset()) for who in before if who in after)
    lost = frozenset().union(*(before[who] for who in left))
    assert {who for who in before if not after.get(who)} == lost | {who for who in before if not before[who]}
    formed = [after[who] for who in new]
    assert any(formed) and all(len(group) >= K and not group & before.keys() for group in formed if group)
    alike = Counter(traces_of(engine.arrow(found.table)).values())
    assert min(alike.values()) >= K


def test_groups_of_a_release_that_was_one_cohort_stay_when_the_log_has_grown(log: pa.Table, tmp_path: Path) -> None:
    """And the other way round: a log that is one cohort again keeps the groups of several."""
    students = sorted(set(log["user"].to_pylist()))
    first = log.filter([who not in students[::2] for who in log["user"].to_pylist()])
    _, found = protected(first, method="groups")
    csv.write_csv(found.private["groups"], tmp_path / "groups.csv")
    with small_cohorts():
        _, grown = protected(log, recoding=str(tmp_path / "groups.csv"))
        csv.write_csv(engine.arrow(grown.private["groups"]), tmp_path / "grown.csv")
    _, again = protected(log, recoding=str(tmp_path / "grown.csv"))
    before, after, last = (
        companions(one)
        for one in (found.private["groups"], engine.arrow(grown.private["groups"]), again.private["groups"])
    )
    assert {who: after[who] for who in before} == before and last == after
    assert any(after[who] for who in students[::2])
    for made in (grown, again):
        assert min(Counter(traces_of(engine.arrow(made.table)).values()).values()) >= K


@pytest.mark.parametrize("method", [None, "groups", "search"])
def test_what_was_made_in_cohorts_keeps_the_promise_of_the_whole(log: pa.Table, method: str | None) -> None:
    """The judge counts over the whole log, and knows nothing of cohorts."""
    with small_cohorts():
        _, found = protected(log, method=method)
    gate, *shown = study.open(job(log, method=method)).attack(found)
    assert gate.name == "company" and gate.holds and gate.value >= K
    (read, *shown) = shown
    assert read.name == "inference"
    assert len(shown) == 3 and all(risk.value <= 1 / K + 1e-9 for risk in shown)


@pytest.mark.parametrize("method", ["groups", "search"])
def test_who_finds_out_the_cohorts_comes_no_further(log: pa.Table, method: str) -> None:
    """What is missing may tell who stood in one cohort: each holds K with the same rows, or none, by itself."""
    each: list[pa.Table] = []

    def looked_at(where: engine.Engine, chosen: cohorts.Chosen, done: list[cohorts.Done]) -> Protected:
        found = together(where, chosen, done)
        each.extend(engine.arrow(engine.read(one.rows).drop(*found.helpers)) for one in done)
        return found

    together = cohorts._together
    with small_cohorts(), patch.object(cohorts, "_together", looked_at):
        protected(log, method=method)
    alike = [Counter(traces_of(rows).values()) for rows in each]
    assert len(alike) >= 3 and min(size for counted in alike for size in counted.values()) >= K


def test_a_point_that_too_few_of_a_cohort_share_is_in_no_row(log: pa.Table) -> None:
    """Under the search: whatever the sample said, what is left out follows from who shares it in each cohort."""
    with small_cohorts():
        _, found = protected(log, method="search")
    assert f"the rows of {K - 1} others" in str(found.facts["setting"])
    rows = engine.arrow(found.table).drop_columns(list(found.helpers))
    assert min(Counter(traces_of(rows).values()).values()) >= K
    holders: dict[Any, set[str]] = defaultdict(set)
    for row in rows.to_pylist():
        holders[tuple(str(row[name]) for name in sorted(row) if name != "user")].add(row["user"])
    assert min(len(students) for students in holders.values()) >= K


def test_cells_are_counted_over_all_cohorts_and_the_report_says_how_it_was_done(log: pa.Table) -> None:
    with small_cohorts():
        opened, found = protected(log, method="groups")
        uses = opened.utility(found)
    rows = engine.value(found.table.count())
    cells = {change.action: change.cells for change in found.changes if change.columns == ("user", "time")}
    assert cells == {"merged": rows}
    assert len({(change.columns, change.action, change.detail) for change in found.changes}) == len(found.changes)
    assert found.curve is not None and "cohorts" in found.curve.note
    drawn = {use.setting["students drawn"] for use in uses}
    share = EVENTS / len(log)  # of the students, each by chance: three standard errors of 120 draws
    assert len(drawn) == 1 and abs(drawn.pop() / 120 - share) < 3 * (share * (1 - share) / 120) ** 0.5


def test_the_same_key_makes_the_same_rows_and_another_key_makes_others(log: pa.Table) -> None:
    with small_cohorts():
        first, second = (traces_of(engine.arrow(protected(log, method="groups")[1].table)) for _ in range(2))
        other = study.open(replace(job(log, method="groups"), keyed=Keyed(b"j" * 32, "test")))
        third = traces_of(engine.arrow(other.protect().table))
    assert first == second and first != third


def test_the_key_of_the_release_does_not_go_to_those_who_hold_a_cohort(log: pa.Table) -> None:
    seen = []

    def looked_at(order: cohorts.Order, cohort: cohorts.Cohort) -> pa.Table:
        seen.append((order.request.keyed.key, cohort.keyed.key))
        return made(order, cohort)

    made = cohorts._protected
    with small_cohorts(), patch.object(cohorts, "_protected", looked_at):
        protected(log, method="groups")
    assert len(seen) >= 3 and all(key == b"" for key, _ in seen)
    owned = {own for *_, own in seen}
    assert len(owned) == len(seen) and b"k" * 32 not in owned


def test_the_way_is_looked_for_under_a_key_of_its_own_and_comes_back_without_rows(log: pa.Table) -> None:
    asked, answered = [], []

    def looked_at(request: Request, read: tuple[str, ...], drawn: cohorts.Cohort) -> cohorts.Chosen:
        asked.append((request.keyed.key, drawn.keyed.key))
        answered.append(found := chosen(request, read, drawn))
        return found

    chosen = cohorts._best
    with small_cohorts(), patch.object(cohorts, "_best", looked_at):
        protected(log, method="groups")
    ((key, own),) = asked
    assert key == b"" and own not in (b"", b"k" * 32)
    said = pickle.dumps(answered[0])
    assert not any(str(who).encode() in said for who in log["user"].unique().to_pylist())


def test_a_worker_that_finds_no_way_says_why(log: pa.Table) -> None:
    """Whatever a worker of Spark raises is replaced, so that it has to come back as an answer."""

    def replaced(self: Any, work: Callable[[Any], pa.Table], tasks: Sequence[Any], like: pa.Schema) -> list[pa.Table]:
        try:
            return [work(task) for task in tasks]
        except Exception:
            raise RuntimeError("Spark stopped at a step") from None

    nothing = Refused("there is no group of 5 students with anything in common")
    with (
        small_cohorts(),
        patch.object(type(engine.DUCKDB), "each", replaced),
        patch.object(cohorts, "chosen_way", side_effect=nothing),
        pytest.raises(Refused, match="no group of 5 students"),
    ):
        protected(log, method="groups")


def test_kept_values_that_few_have_are_left_out_not_mixed(log: pa.Table) -> None:
    """Students of one outcome stand together where no outcome is sensitive; nobody is in a group with another."""
    with small_cohorts():
        _, found = protected(log, method="groups", sensitive=())
    outcome = dict(zip(log["user"].to_pylist(), log["passed"].to_pylist(), strict=True))
    rows = engine.arrow(found.table)
    pairs = set(zip(rows["user"].to_pylist(), rows["passed"].to_pylist(), strict=True))
    assert all(outcome[who] == told for who, told in pairs)
