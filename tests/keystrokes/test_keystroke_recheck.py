"""The second implementation of the attacks agrees with the first, and sees what was done to a release."""

from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from keystrokes.planted import COLUMNS, job, typists

from sharewell import keystrokes
from sharewell.contract import Risk
from sharewell.data import engine
from sharewell.keystrokes import recheck, study
from sharewell.keystrokes.section import Limit

FACTS: dict[str, Any] = {
    "columns": COLUMNS, "unit": "ms", "within": 3, "found": 0.3, "gate": "found", "seed": 0,
}  # fmt: skip


@pytest.fixture(scope="module")
def typed() -> pa.Table:
    """Sessions that begin at zero, so that a raw file differs from a release by its times alone."""
    table = typists(60, seed=5)
    start = np.floor(table["press"].to_numpy() / 86_400_000) * 86_400_000
    first = 1_700_000_000_000 % 86_400_000
    moved = [pa.array((table[name].to_numpy() - start - first).astype(np.int64)) for name in ("press", "release")]
    return table.set_column(3, "press", moved[0]).set_column(4, "release", moved[1])


@pytest.fixture(scope="module")
def release(typed: pa.Table) -> tuple[pa.Table, dict[str, Any]]:
    done = study.open(job(typed, Limit(found=0.15, within=3))).protect()
    table = engine.arrow(done.table.order_by(["student", *done.order]).drop(*done.helpers))
    return table, dict(done.facts)


def failing(table: pa.Table, facts: dict[str, Any]) -> set[str]:
    return {f"{one.name} {one.attacker}" for one in recheck.recheck(engine.table(table), facts) if one.holds is False}


def test_a_release_stands(release: tuple[pa.Table, dict[str, Any]]) -> None:
    table, facts = release
    assert failing(table, facts) == set()
    assert {one.gate for one in recheck.recheck(engine.table(table), facts) if one.gate} == {"found"}


def test_raw_times_are_seen(typed: pa.Table, release: tuple[pa.Table, dict[str, Any]]) -> None:
    assert "identification, lower end likelihood" in failing(typed, release[1])


@pytest.mark.parametrize(
    ("column", "row", "value", "problem"),
    [
        ("press", 30, 0, "events before the one above them"),
        ("release", 30, 0, "keys let go before they were pressed"),
        ("press", 0, 5, "sessions that do not begin at zero"),
    ],
)
def test_a_doctored_cell_is_seen(
    release: tuple[pa.Table, dict[str, Any]], column: str, row: int, value: int, problem: str
) -> None:
    table, facts = release
    cells = table[column].to_pylist()
    cells[row] = value
    doctored = table.set_column(table.column_names.index(column), column, pa.array(cells, pa.int64()))
    assert f"{problem} re-check" in failing(doctored, facts)


@pytest.mark.parametrize("name", ["task 1", "s0", "s99", "1"])
def test_a_session_that_kept_a_name_is_seen(release: tuple[pa.Table, dict[str, Any]], name: str) -> None:
    table, facts = release
    names = [name if one == table["exercise"][0].as_py() else one for one in table["exercise"].to_pylist()]
    doctored = table.set_column(table.column_names.index("exercise"), "exercise", pa.array(names))
    assert "sessions that are not numbered re-check" in failing(doctored, facts)


@pytest.mark.parametrize("attack", ["likelihood", "nearest, 2 occurrences", "nearest, 5 occurrences"])
def test_both_implementations_find_the_same(typed: pa.Table, attack: str) -> None:
    late = pa.compute.is_in(typed["exercise"], pa.array(["task 4", "task 5"]))
    halves = [keystrokes.timings(typed.filter(part), **COLUMNS) for part in (pa.compute.invert(late), late)]
    name, least = ("likelihood", 5) if attack == "likelihood" else ("nearest", int(attack.split()[1]))
    (fast,) = keystrokes.identify(*halves, attack=name, accept=[3], occurrences=least)  # type: ignore[arg-type]
    risks = recheck.recheck(engine.table(typed), FACTS)
    (slow,) = [one for one in risks if one.attacker == attack]
    assert slow.setting["measured"] == pytest.approx(fast.value, abs=1e-4)
    assert (slow.low, slow.high) == pytest.approx((fast.low, fast.high), abs=1e-4)
    assert slow.chance == fast.chance and fast.value > 0.1


def identified(table: pa.Table, facts: dict[str, Any]) -> list[Risk]:
    return [one for one in recheck.recheck(engine.table(table), facts) if one.gate]


def test_of_many_people_some_are_drawn_and_looked_for_among_all(
    typed: pa.Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Among fewer the list would have to be shorter: on half a place even who is always found first is not found."""
    whole = identified(typed, FACTS)
    monkeypatch.setattr(recheck, "MOST_PEOPLE", 10)
    found = []
    for at_once in (7, 500):
        monkeypatch.setattr(recheck, "AT_ONCE", at_once)
        found.append(identified(typed, FACTS))
    assert found[0] == found[1]
    for one, other in zip(whole, found[0], strict=True):
        assert other.n == 10 and other.chance == one.chance and other.limit == one.limit
        assert other.setting["within"] == 3 and other.setting["candidates"] == 60
        assert other.setting["measured"] == pytest.approx(one.setting["measured"], abs=0.35)
    assert found[0][0].attacker == "likelihood" and found[0][0].holds is False


@pytest.mark.parametrize(("gate", "limit"), [("found", 0.3), ("times_chance", 0.9)])
def test_of_very_many_pseudonyms_some_are_drawn_and_the_list_keeps_one_place(
    typed: pa.Table, monkeypatch: pytest.MonkeyPatch, gate: str, limit: float
) -> None:
    """One of twenty is guessed three times as often as one of sixty: a multiple of chance is as much larger."""
    monkeypatch.setattr(recheck, "MOST_PEOPLE", 10)
    monkeypatch.setattr(recheck, "MOST_CANDIDATES", 20)
    for one in identified(typed, {**FACTS, "within": 1, "gate": gate}):
        assert one.setting["within"] == 1 and one.setting["candidates"] == 20 and one.chance == 1 / 20
        assert one.limit == pytest.approx(limit)


def test_one_who_is_found_by_luck_fails_no_large_file(typed: pa.Table, monkeypatch: pytest.MonkeyPatch) -> None:
    """One of 500 drawn is found by chance now and then where a multiple of chance lets far fewer than one."""
    monkeypatch.setattr(recheck, "MOST_PEOPLE", 20)
    monkeypatch.setattr(recheck, "_found", lambda *_: {"likelihood": np.eye(1, 500)[0]})
    (lucky,) = identified(typed, {**FACTS, "found": 0.0003})
    assert lucky.holds and lucky.value > 0


def test_a_clock_in_nanoseconds_is_told_to_whoever_checks() -> None:
    """Times that begin at zero no longer tell their unit: it must come from the original."""
    table = typists(40, sessions=4, keys=40, seed=6)
    for place, name in ((3, "press"), (4, "release")):
        table = table.set_column(place, name, pa.array(table[name].to_numpy() * 1_000_000))
    opened = study.open(job(table, Limit(found=0.5, within=2)))
    done = opened.protect()
    assert done.facts["unit"] == "ns"
    risks = opened.attack(done)
    assert all(one.n == 40 for one in risks if one.attacker != "text")
    assert {one.attacker for one in risks} >= {"likelihood", "fusion"}
