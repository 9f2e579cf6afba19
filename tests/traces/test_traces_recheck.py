"""The second look at a finished log: agrees with the first where both are right, and contradicts a false one."""

import numpy as np
import pyarrow as pa
import pytest

from sharewell.data import engine
from sharewell.traces.recheck import recheck
from sharewell.traces.risk import unicity

FACTS = {"student": "user", "at": "day", "also": ["verb"], "known": 2, "unicity": 0.05, "promise": "points"}


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


@pytest.mark.parametrize("seed", range(3))
def test_it_agrees_with_the_fast_measurement(seed: int) -> None:
    table = log(seed)
    fast = unicity(table, student="user", at="day", also=["verb"], window="1d", known=[2], repeats=500)[0]
    (again,) = recheck(engine.table(table), FACTS)
    assert again.value == pytest.approx(fast.value, abs=0.015) and again.value > 0.05


def test_fewer_attempts_are_made_where_many_students_share_points(monkeypatch: pytest.MonkeyPatch) -> None:
    table = engine.table(log(3, students=60))
    (every,) = recheck(table, FACTS)
    monkeypatch.setattr("sharewell.traces.recheck.MOST_PAIRS", 1)
    (some,) = recheck(table, FACTS)
    assert None not in (some.low, some.high, every.low, every.high)
    assert some.high - some.low > every.high - every.low  # type: ignore[operator]
    assert some.value == pytest.approx(every.value, abs=0.07)


def test_a_file_that_shows_more_than_its_facts_say_is_caught() -> None:
    table = log(0)
    finer = table.append_column("hour", pa.array(np.random.default_rng(1).integers(0, 24, len(table))))
    shared = pa.table({"user": table["user"], "day": pa.array(["w1"] * len(table)), "verb": ["view"] * len(table)})
    assert recheck(engine.table(shared), FACTS)[0].holds
    assert recheck(engine.table(finer), {**FACTS, "also": ["verb", "hour"]})[0].holds is False


def test_a_student_with_fewer_points_than_known_gives_away_all() -> None:
    table = engine.table(pa.table({"user": ["a", "b", "b", "c"], "day": [1, 1, 2, 1], "verb": ["x"] * 4}))
    assert recheck(table, FACTS)[0].value == pytest.approx(1 / 3, abs=0.02)


def test_facts_that_promise_nothing_are_no_facts() -> None:
    with pytest.raises(ValueError, match="neither company nor a limit on points"):
        recheck(engine.table(log(0)), {**FACTS, "promise": "nothing"})
