"""The four questions on a small class of typists with planted rhythms."""

from dataclasses import replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest
from keystrokes.planted import job, typists

from sharewell.contract import Measure, Protected, Risk, Study
from sharewell.data import engine
from sharewell.keystrokes import study
from sharewell.keystrokes.kind import OVER_VERSIONS, STRONGEST, found_within
from sharewell.keystrokes.protection import search, versions
from sharewell.keystrokes.releasing import gated
from sharewell.keystrokes.section import Limit
from sharewell.release.stated import limit_problems


@pytest.fixture(scope="module")
def typed() -> pa.Table:
    return typists(80)


@pytest.fixture(scope="module")
def protected(typed: pa.Table) -> tuple[Study, Protected]:
    """One release of them, for all that is asked of any."""
    opened = study.open(job(typed, Limit(found=0.2, within=4)))
    return opened, opened.protect()


def test_release_is_found_no_more_than_the_limit_while_the_original_is(typed: pa.Table) -> None:
    opened = study.open(job(typed, Limit(times_chance=3.0, within=10)))
    before = opened.before()
    assert before[0].name == "strongest identification" and before[0].value > 0.9
    assert before[0].value == max(one.value for one in before if one.setting.get("within") == 4)
    done = opened.protect()
    risks = opened.attack(done)
    judged, later = [risk for risk in risks if risk.gate]
    assert later.name == "strongest identification, several versions" and later.setting["versions"] == 5
    assert later.limit == judged.limit == pytest.approx(3.0 * 4 / 80)
    assert judged.bound == later.bound == "high" and judged.gate == "times_chance"
    assert judged.low is not None and judged.high is not None and judged.low <= judged.value <= judged.high
    assert judged.low <= 3.0 * 4 / 80  # nothing is redrawn: it may be missed by luck
    assert "of other students it says nothing" in judged.story and "of other students" in later.story
    means = [one for one in risks if one.setting.get("draws") and one.setting.get("within") == 4 and one is not later]
    assert judged.high == max(one.high or 0.0 for one in means)
    assert {"keys", "text", "likelihood", "fusion", "kinds of pairs"} <= {one.attacker for one in means}
    kept = {one.name: one.value for one in opened.utility(done)}
    assert kept["mean speed kept"] > 0.5
    assert {"keys kept", "texts kept", "corrections per 100 keys"} <= set(kept)


def test_rows_and_order_stay_and_no_session_keeps_its_name(typed: pa.Table, protected: tuple[Study, Protected]) -> None:
    _, done = protected
    after = engine.arrow(done.table.order_by(["student", *done.order])).select(typed.column_names)
    assert after.num_rows == typed.num_rows and sorted(after["note"].to_pylist()) == sorted(typed["note"].to_pylist())
    assert not set(after["exercise"].to_pylist()) & set(typed["exercise"].to_pylist())
    assert set(after["exercise"].to_pylist()) == {f"s{number}" for number in range(1, 7)}
    where = list(zip(after["student"].to_pylist(), after["exercise"].to_pylist(), strict=True))
    first = np.array([place == 0 or where[place] != where[place - 1] for place in range(len(where))])
    assert first.sum() == len(set(where))  # a session stands in one piece
    press = after["press"].to_numpy()
    assert (press[first] == 0).all() and (np.diff(press)[~first[1:]] >= 0).all()
    assert (after["release"].to_numpy() >= press).all()
    assert after.schema.field("press").type == typed.schema.field("press").type
    (told,) = [change for change in done.changes if change.action == "untouched"]
    assert "NOT looked through for names" in told.what  # the plan of this job says so


def test_sessions_are_numbered_in_an_order_that_only_the_key_knows(typed: pa.Table) -> None:
    orders = []
    for key in (b"k" * 32, b"l" * 32):
        named = study.open(job(typed, Limit(found=0.9, within=4), key=key)).protect().private["sessions"]
        orders.append(named.sort_by([("student", "ascending"), ("session", "ascending")])["released_as"].to_pylist())
    assert orders[0] != orders[1]
    first = [orders[0][place : place + 6] for place in range(0, 480, 6)]
    assert all(sorted(one) == [f"s{number}" for number in range(1, 7)] for one in first)
    assert len({tuple(one) for one in first}) > 20


def seen_by(attack: str, value: float, half: float, chance: float = 0.05) -> Risk:
    low, high, setting = value - half, value + half, {"within": 4}
    return Risk(
        measure=found_within(4), attacker=attack, value=value, low=low, high=high, n=80, chance=chance, setting=setting
    )


def test_a_fresh_draw_is_judged_and_the_released_one_is_told(
    protected: tuple[Study, Protected], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of several versions the attack is shown whose upper end is highest, whatever others find on average."""
    opened, done = protected
    several = [seen_by("same side", 0.19, half=0.005), seen_by("kinds of pairs", 0.18, half=0.03)]
    monkeypatch.setattr(versions, "found", lambda *_, **__: several)
    risks = opened.attack(done)
    (drawn,) = [one for one in risks if one.name == "strongest identification, this draw"]
    assert drawn.gate is None and "draws" not in drawn.setting
    (later,) = [one for one in risks if one.measure == OVER_VERSIONS]
    assert later.attacker == "kinds of pairs" and later.holds is False


def test_what_finds_most_hides_nothing_that_misses_its_limit() -> None:
    """Neither an attack that is less sure of what it finds, nor one where guessing finds as much."""
    unsure, sure = seen_by("pauses", 0.08, half=0.03), seen_by("likelihood", 0.09, half=0.005)
    found = gated([unsure, sure], 4, Limit(times_chance=2.0), OVER_VERSIONS)
    assert found.attacker == "pauses" and found.holds is False
    few, many = seen_by("nearest", 0.09, half=0.0), seen_by("likelihood", 0.06, half=0.0, chance=0.025)
    found = gated([few, many], 4, Limit(times_chance=2.0), STRONGEST)
    assert found.attacker == "likelihood" and found.limit == 0.05 and found.holds is False
    assert gated([few, many], 4, Limit(found=0.08), STRONGEST).attacker == "nearest"


@pytest.mark.parametrize("measure", [STRONGEST, OVER_VERSIONS])
@pytest.mark.parametrize(("value", "half", "met"), [(0.0949, 0.005, True), (0.0951, 0.005, False), (0.1, 0.0, True)])
def test_the_upper_end_decides_just_under_and_just_over_the_limit(
    measure: Measure, value: float, half: float, met: bool
) -> None:
    found = gated([seen_by("fusion", value, half), seen_by("keys", 0.05, 0.01)], 4, Limit(found=0.1), measure)
    assert found.seen == pytest.approx(value + half) and found.holds is met


@pytest.mark.parametrize(("limit", "met"), [(0.95, False), (1.0, True)])
def test_a_release_that_keeps_everything_is_judged_by_its_upper_end(typed: pa.Table, limit: float, met: bool) -> None:
    """A setting without lots or exchanged keys finds nearly all by their texts: only a limit of one lets it pass."""
    opened = study.open(job(typed, Limit(found=limit, within=4)))
    done = opened.protect()
    kept = {**done.facts, "exchanged": 0.0, "any_size": False, "classes": 1, "stray": 0.0}
    judged, _ = [risk for risk in opened.attack(replace(done, facts=kept)) if risk.gate]
    assert judged.bound == "high" and judged.high is not None and judged.high > 0.95 and judged.holds is met


def test_with_weeks_the_limit_is_a_multiple_of_the_chance_that_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """Some joined in the last week: nobody knows them from an earlier one, and there are fewer to look among."""
    monkeypatch.setattr(search, "LEAST_DRAWS", 3)
    monkeypatch.setattr(search, "MOST_DRAWS", 3)
    table = typists(44, sessions=4, keys=30)
    late = pc.is_in(table["exercise"], pa.array(["task 2", "task 3"]))
    new = pc.is_in(table["student"], pa.array([f"student-{one}" for one in range(6)]))
    weeks = table.append_column("week", pc.if_else(late, 2, 1)).filter(pc.or_(late, pc.invert(new)))
    opened = study.open(job(weeks, Limit(times_chance=2.0, within=1), week="week"))
    risks = opened.attack(opened.protect())
    assert list(limit_problems("typing", risks, {"times_chance": 2.0})) == []
    assert {one.setting["draws"] for one in risks if one.attacker == "likelihood"} == {3}


def test_the_same_key_draws_the_same_release() -> None:
    work = job(typists(40, sessions=4, keys=40), Limit(found=0.5, within=2))
    tables = [study.open(work).protect() for _ in range(2)]
    first, second = (engine.arrow(done.table.order_by(*done.helpers)) for done in tables)
    assert first.equals(second)


def test_a_share_in_the_plan_stands_instead_of_the_audience() -> None:
    assert Limit(found=0.1, times_chance=2.0).times_chance is None
    assert Limit(times_chance=2.0).times_chance == 2.0
