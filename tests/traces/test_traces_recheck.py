"""The second look at a finished log: agrees with the first where both are right, and contradicts a false one."""

from collections import Counter
from itertools import combinations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sharewell.data import engine
from sharewell.traces.measure.attackers import ATTACKERS
from sharewell.traces.recheck import Held, _in_parts, _sizes, _told_by_few_points, recheck
from sharewell.traces.risk import unicity

FACTS = {"student": "user", "at": "day", "also": ["verb"], "known": 2, "limit": 0.05}


def log(seed: int, students: int = 40) -> pa.Table:
    """Many students on few days, and each with some days of their own."""
    generator = np.random.default_rng(seed)
    rows = [
        (f"u{student}", day, verb)
        for student in range(students)
        for day, verb in zip(generator.geometric(0.2, 12), generator.integers(0, 2, 12), strict=True)
    ]
    users, days, verbs = zip(*rows, strict=True)
    times = pa.array(np.datetime64("2025-01-01", "us") + np.array(days) * np.timedelta64(1, "D"))
    return pa.table({"user": users, "day": times, "verb": np.array(["view", "post"])[list(verbs)]})


@pytest.mark.parametrize("attacker", ATTACKERS)
@pytest.mark.parametrize("seed", range(3))
def test_it_agrees_with_the_fast_measurement(attacker: str, seed: int) -> None:
    table = log(seed)
    fast = unicity(
        table, student="user", at="day", also=["verb"], window="1d", known=[2], attacker=attacker, repeats=500
    )[0]
    again = recheck(engine.table(table), {**FACTS, "attackers": [attacker]})[0]
    if attacker == "worst":
        assert 0 < again.value <= fast.value
    else:
        assert again.value == pytest.approx(fast.value, abs=0.015)


def test_of_a_long_file_some_students_are_looked_for_among_all(monkeypatch: pytest.MonkeyPatch) -> None:
    table = engine.table(log(3, students=60))
    every = recheck(table, {**FACTS, "attackers": ["random"]})[0]
    monkeypatch.setattr("sharewell.traces.recheck.MOST_ROWS", 10)
    monkeypatch.setattr("sharewell.traces.recheck.MOST_TARGETS", 30)
    some = recheck(table, {**FACTS, "attackers": ["random"]})[0]
    assert (every.n, some.n) == (60, 30)
    assert some.value == pytest.approx(every.value, abs=0.1)


@pytest.mark.parametrize(("kept_bits", "most_parts"), [(1_000_000_000, 16), (1_000_000_000, 2), (0, 16)])
def test_in_parts_it_says_what_it_says_of_the_whole(
    kept_bits: int, most_parts: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Everybody is looked for; what is alone in one part may have company in another."""
    monkeypatch.setattr("sharewell.traces.recheck.MOST_KEPT_BITS", kept_bits)
    monkeypatch.setattr("sharewell.traces.recheck.MOST_PARTS", most_parts)
    whole, known_by = engine.table(log(6, students=60)), ["day", "verb"]
    monkeypatch.setattr("sharewell.traces.recheck.MOST_ROWS", 200)
    parts = _in_parts(whole, "user")
    one, several = (Held(some, student="user", known_by=known_by) for some in ([whole], parts))
    assert len(parts) >= 4 and (one.count, one.points) == (several.count, several.points)
    assert one.shared_by.tolist() == several.shared_by.tolist()
    assert len(one.lone) == len(several.lone) > 0
    assert sorted(one.own(who).tolist() for who in one.targets) == sorted(
        several.own(who).tolist() for who in several.targets
    )
    for known in (1, 2, 3):
        worst = [_told_by_few_points(held, held.targets.tolist(), known) for held in (one, several)]
        assert worst[0] == worst[1] > 0


def test_rows_of_one_student_stay_in_one_part_however_many(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sharewell.traces.recheck.MOST_ROWS", 5)
    who = ["a"] * 50 + ["b", "c", None, "d"] * 3
    parts = _in_parts(engine.table(pa.table({"user": who, "day": range(62)})), "user")
    found = [engine.arrow(part)["user"].to_pylist() for part in parts]
    assert sorted(str(one) for part in found for one in part) == sorted(map(str, who))
    assert sum(len(set(part)) for part in found) == 5 and 50 in map(len, found) and [] in found
    held = Held(parts, student="user", known_by=["day"])
    assert held.count == 5 and len(held.lone) == 5 and held.shared_by.tolist() == [1] * 62


def test_for_the_worst_points_of_many_students_some_are_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    table = engine.table(log(4, students=120))
    every = recheck(table, {**FACTS, "attackers": ["worst"]})[0]
    monkeypatch.setattr("sharewell.traces.recheck.MOST_BITS_OF_WORST", 1)
    monkeypatch.setattr("sharewell.traces.recheck.LEAST_TRIES", 60)
    monkeypatch.setattr("sharewell.traces.recheck.MOST_KEPT_BITS", 0)
    some = recheck(table, {**FACTS, "attackers": ["worst"]})[0]
    assert (every.n, some.n) == (120, 60)
    assert some.low is not None and some.high is not None
    assert some.low <= every.value <= some.high


@given(
    st.lists(
        st.tuples(st.integers(0, 6), st.sampled_from([None, "", "a", "b"]), st.sampled_from([None, 1.5, float("nan")])),
        min_size=1,
    )
)
def test_students_with_the_same_rows_are_counted_as_by_hand(rows: list[tuple[int, str | None, float | None]]) -> None:
    """Whatever the order and however often: a row that stands twice is not a row that stands once."""
    who, verbs, marks = (list(cells) for cells in zip(*rows, strict=True))
    table = pa.table({"who": who, "verb": pa.array(verbs, pa.string()), "mark": pa.array(marks, pa.float64())})
    own: dict[int, list[str]] = {}
    for student, *cells in rows:
        own.setdefault(student, []).append(repr(cells))
    alike = Counter(Counter(tuple(sorted(each)) for each in own.values()).values())
    whole = engine.table(table)
    assert _sizes([whole], "who", ["verb", "mark"]) == alike
    parts = [whole.filter(whole["who"] % 2 == rest) for rest in (0, 1)]
    assert _sizes(parts, "who", ["verb", "mark"]) == alike


@pytest.mark.parametrize("attacker", ["random", "worst"])
def test_holders_as_bits_and_as_lists_say_the_same(attacker: str, monkeypatch: pytest.MonkeyPatch) -> None:
    table = engine.table(log(5, students=50))
    as_bits = recheck(table, {**FACTS, "attackers": [attacker]})
    monkeypatch.setattr("sharewell.traces.recheck.MOST_KEPT_BITS", 0)
    assert recheck(table, {**FACTS, "attackers": [attacker]}) == as_bits and as_bits[0].value > 0


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 4)), min_size=1, max_size=20))
def test_only_who_has_company_at_all_points_is_never_looked_for(rows: list[tuple[int, int]]) -> None:
    who, points = zip(*rows, strict=True)
    held = Held([engine.table(pa.table({"user": who, "day": points}))], student="user", known_by=["day"])

    def may_be_told(student: int) -> bool:
        mine = held.own(student)
        some = [np.array(some) for size in range(1, len(mine) + 1) for some in combinations(mine, size)]
        return bool(held.alone(some).any())

    assert held.lone == {student for student in held.targets.tolist() if may_be_told(student)}


def test_where_seeing_who_has_company_takes_too_long_everybody_is_looked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = pa.table({"user": ["a", "b"] * 50, "day": [1, 1] * 50, "verb": ["view"] * 100})
    drawn, worst = recheck(engine.table(rows), {**FACTS, "attackers": ["random", "worst"]})
    monkeypatch.setattr("sharewell.traces.recheck.MOST_BITS", 0)
    assert Held([engine.table(rows)], student="user", known_by=["day"]).lone == {0, 1}
    assert recheck(engine.table(rows), {**FACTS, "attackers": ["worst"]}) == [worst]
    assert (drawn.value, worst.value) == (0, 0)


def test_a_file_that_tells_more_than_its_facts_say_is_caught() -> None:
    table = log(0)
    finer = table.append_column("hour", pa.array(np.random.default_rng(1).integers(0, 24, len(table))))
    shared = pa.table({"user": table["user"], "day": pa.array(["w1"] * len(table)), "verb": ["view"] * len(table)})
    held, told = ({**FACTS, "attackers": ["random"], "also": also} for also in (["verb"], ["verb", "hour"]))
    assert recheck(engine.table(shared), held)[0].holds
    assert recheck(engine.table(finer), told)[0].holds is False


def test_a_student_with_fewer_points_than_known_gives_away_all() -> None:
    table = engine.table(pa.table({"user": ["a", "b", "b", "c"], "day": [1, 1, 2, 1], "verb": ["x"] * 4}))
    found = recheck(table, {**FACTS, "attackers": ["worst"]})[0]
    assert found.value == pytest.approx(1 / 3)


def test_an_empty_file_has_nobody_to_single_out() -> None:
    empty = engine.table(log(0).slice(0, 0))
    assert recheck(empty, {**FACTS, "attackers": ["random"]}) == []
