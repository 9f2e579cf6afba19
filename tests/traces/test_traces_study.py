"""A log under study, as the pipeline asks it."""

from datetime import timedelta
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pytest
from traces.small_course import clicks, job, materialised

from sharewell.contract import Protected
from sharewell.data import engine
from sharewell.errors import InputError
from sharewell.traces.section import Limit
from sharewell.traces.study import open


@pytest.mark.parametrize("more", [{}, {"shift_weeks": 2, "window": "1w"}, {"jitter": "15min", "window": "1d"}])
@pytest.mark.parametrize("promise", ["company", "points"])
def test_a_release_keeps_what_it_promises(promise: str, more: dict[str, Any]) -> None:
    limit = Limit(k=5) if promise == "company" else Limit(unicity=0.2, guess=0.5, known=2)
    study = open(job(clicks(), promise=promise, limit=limit, **more))
    assert max(risk.value for risk in study.before()) > 0.5
    protected = materialised(study.protect())
    assert "email" not in protected.table.columns
    risks = study.attack(protected)
    gated = [risk for risk in risks if risk.gate]
    if promise == "company":
        assert [(risk.name, risk.gate, risk.holds) for risk in gated] == [("company", "k", True)]
        assert [risk.name for risk in risks[1:]] == ["inference", *["guess"] * 3]  # with no limit: it is shown
        return
    assert {risk.gate for risk in gated} == {"unicity", "guess"}
    names = {risk.name for risk in gated}
    assert ("unicity over all shifts" in names) is bool(more)
    assert ("unicity with deadlines as anchors" in names) is ("shift_weeks" in more)


def test_utility_is_told_against_the_original() -> None:
    work = job(clicks(), target="passed", window="1d")
    study = open(work)
    found = {utility.name: utility for utility in study.utility(materialised(study.protect()))}
    assert 0 < found["events kept"].value <= 1
    assert found["activity per week, correlation"].value > 0.8
    assert (found["outcome predicted early"].baseline or 0) > 0.7
    untouched = {utility.name: utility for utility in study.utility(Protected(table=work.source))}
    assert untouched["events kept"].value == untouched["students kept"].value == 1
    for name in ("activity per day, correlation", "gaps between events", "order of events"):
        assert untouched[name].value == pytest.approx(1)
    assert untouched["own events"].value == 1
    assert found["own events"].value < found["events kept"].value
    for name in ("activity per hour", "gaps between events", "activity per day, error"):
        assert 0 < untouched[name].setting["sampling error"] < 0.6
    for name in ("regularity", "activity and marks, slope", "outcome predicted early", "sessions per student"):
        assert untouched[name].value == pytest.approx(untouched[name].baseline)
    for name in ("minutes per session", "uses kept"):
        assert untouched[name].value == pytest.approx(untouched[name].baseline)
    assert untouched["uses kept"].setting["analyses"].endswith("lost: none")


@pytest.mark.parametrize("kinds", [3, 6])
def test_a_release_of_few_different_traces_predicts_nothing(kinds: int) -> None:
    """A search may leave a few classes of look-alikes: they are copies of one another and stay in one fold."""
    table = clicks()
    work = job(table, target="passed", window="1d")
    users = sorted(set(table["user"].to_pylist()))
    passed = dict(zip(table["user"].to_pylist(), table["passed"].to_pylist(), strict=True))
    first = table["time"][0].as_py()
    rows = [
        (who, first + timedelta(days=day + n % kinds), passed[who]) for n, who in enumerate(users) for day in range(25)
    ]
    columns = dict(zip(("user", "time", "passed"), (list(column) for column in zip(*rows, strict=True)), strict=True))
    alike = engine.table(pa.table({**columns, "verb": ["read"] * len(rows)}))
    found = {one.name: one.value for one in open(work).utility(Protected(table=alike))}
    assert 0.0 <= found["outcome predicted early"] < 0.7


def test_a_small_group_within_the_log_is_told() -> None:
    """Twelve students of one course among sixty: whoever knows the course has a smaller crowd to search."""
    table = clicks()
    small = pc.is_in(table["user"], pa.array([f"s{n}" for n in range(12)]))
    table = table.append_column("course", pc.if_else(small, "latin", "physics"))
    limit = Limit(unicity=0.1, known=4)
    work = job(table, group="course", keep=("passed", "course"), window="1d", promise="points", limit=limit)
    risks = open(work).attack(Protected(table=work.source, facts={"window": "1s"}))
    (risk,) = [r for r in risks if r.name == "unicity within a group"]
    everyone = next(r for r in risks if r.name == "unicity" and r.attacker == "random")
    assert risk.n == 12 and risk.value >= everyone.value - 0.02
    assert risk.gate is None and "latin" not in f"{risk.setting}{risk.story}"


def test_the_same_key_gives_the_same_rows_and_another_key_another_choice() -> None:
    one, again = (engine.arrow(open(job(clicks(40), window="1d")).protect().table) for _ in range(2))
    columns = [(name, "ascending") for name in one.column_names]
    assert one.sort_by(columns) == again.sort_by(columns)


def test_a_row_without_a_time_is_named_or_dropped() -> None:
    table = clicks(10)
    stamps = table["time"].to_pylist()
    stamps[4] = None
    broken = table.drop_columns(["time"]).append_column("time", pa.array(stamps, pa.timestamp("us")))
    with pytest.raises(InputError, match="column 'time', row 5: has no time"):
        open(job(broken))
    assert open(job(broken, rows_without_time="drop")).before()


def test_the_section_tells_what_is_wrong() -> None:
    assert "can promise less than company" in job(clicks(3), promise="points", method="groups").section.problems()[0]
    assert "not a time window" in job(clicks(3), window="soon").section.problems()[0]
    assert not job(clicks(3)).section.problems()


def test_a_student_who_loses_every_event_is_no_reason_to_refuse() -> None:
    """Nobody shares a day with the last student, who is not in the release: the others are attacked all the same."""
    work = job(clicks(30), quasi=(), keep=("passed", "verb"), window="1d", promise="points", limit=Limit(unicity=0.9))
    study = open(work)
    released = study.events.filter(study.events.user != "s9").mutate(time=study.events.time.truncate("D"))
    risks = study.attack(Protected(table=released, facts={"window": "1d"}))
    assert {risk.n for risk in risks if risk.name == "unicity" and risk.attacker == "random"} == {29}


@pytest.mark.parametrize(
    ("given", "problem"),
    [
        ({"window": "5mo"}, "window: a window of 5 months does not divide the year"),
        ({"jitter": "weekday"}, "jitter: 'weekday' has no fixed length"),
        ({"jitter": "1mo"}, "jitter: '1mo' has no fixed length"),
        ({"window": "00d"}, "window: '00d' is not a time window"),
    ],
)
def test_plan_and_kernels_share_one_grammar_of_windows(given: dict[str, str], problem: str) -> None:
    assert [told for told in job(clicks(3), **given).section.problems() if told.startswith(problem)]
