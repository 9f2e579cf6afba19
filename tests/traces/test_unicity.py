"""Unicity against full enumeration, planted truth, the coverage of its intervals, and real logs."""

from collections.abc import Callable
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from ibis.expr.types import Table

import sharewell as sw
from sharewell.data.formats import read
from sharewell.errors import InputError
from sharewell.plan.windows import parse
from sharewell.traces.attacks.draws import ATTACKERS, attacker
from sharewell.traces.log import reduce
from sharewell.traces.measure.every_choice import worst_case
from sharewell.traces.measure.known_points import singled_out

Events = Callable[[dict[str, list[int]]], pa.Table]  # hours of each student → a table

logs = st.dictionaries(
    st.sampled_from([f"s{i}" for i in range(7)]), st.lists(st.integers(0, 9), min_size=1, max_size=12), min_size=1
)


def enumerated(points: dict[str, list[int]], known: int) -> dict[str, float]:
    """Algorithm 1 by brute force: the share of all choices of distinct points that only their owner has."""
    sets = {student: set(hours) for student, hours in points.items()}
    shares = {}
    for student, own in sets.items():
        choices = list(combinations(sorted(own), min(known, len(own))))
        alone = [all(not set(choice) <= sets[other] for other in sets if other != student) for choice in choices]
        shares[student] = float(np.mean(alone))
    return shares


@given(points=logs, known=st.integers(1, 5))
def test_exact_mode_equals_full_enumeration(hourly: Events, points: dict[str, list[int]], known: int) -> None:
    truth = enumerated(points, known)
    risk = sw.traces.unicity(hourly(points), student="user", at="time", window="1h", known=[known], exact=True)[0]
    assert risk.value == pytest.approx(np.mean(list(truth.values())))
    assert (risk.low, risk.high, risk.n) == (risk.value, risk.value, len(points))


@given(points=logs, known=st.integers(1, 4))
def test_worst_case_is_the_existence_of_a_choice_that_is_alone(
    hourly: Events, points: dict[str, list[int]], known: int
) -> None:
    log = reduce(_table(hourly, points), student="user", at="time", window=parse("1h"))
    truth = enumerated(points, known)
    fewer = [max(enumerated(points, k)[student] > 0 for k in range(1, known + 1)) for student in log.ids.to_pylist()]
    assert worst_case(log, known).tolist() == [int(found) for found in fewer]
    assert all(worst_case(log, known)[i] for i, student in enumerate(log.ids.to_pylist()) if truth[student] > 0)


@settings(max_examples=10)
@given(points=logs, seed=st.integers(0, 1000))
def test_more_known_points_never_protect(hourly: Events, points: dict[str, list[int]], seed: int) -> None:
    for name in ("random", "rare", "classmate", "worst"):
        risks = sw.traces.unicity(
            hourly(points), student="user", at="time", window="1h", known=[1, 2, 3, 6], attacker=name, seed=seed
        )
        values = [risk.value for risk in risks]
        assert values == sorted(values)


@given(points=logs)
def test_the_worst_case_bounds_every_attacker(hourly: Events, points: dict[str, list[int]]) -> None:
    log = reduce(_table(hourly, points), student="user", at="time", window=parse("1h"))
    worst = singled_out(log, attacker("worst"), known=[3]).hits[0]
    for name in set(ATTACKERS) - {"worst"}:
        alone = singled_out(log, attacker(name), known=[3], repeats=5)
        assert (worst >= (alone.hits[0] > 0)).all()


def _table(hourly: Events, points: dict[str, list[int]]) -> Table:
    from sharewell.data import engine

    return engine.table(hourly(points))


def planted(students: int, alone: int, points: int, seed: int) -> pa.Table:
    """`alone` students have points of their own only, the others share all their points with a twin."""
    generator = np.random.default_rng(seed)
    hours = {}
    for number in range(alone):
        hours[f"a{number}"] = (1_000 + number * 100 + generator.choice(100, points, replace=False)).tolist()
    for number in range(0, students - alone, 2):
        same = generator.choice(500, points, replace=False).tolist()
        hours[f"t{number}"] = hours[f"t{number + 1}"] = same
    return hours


def test_planted_unicity_is_recovered(hourly: Events) -> None:
    points = planted(200, 60, 12, seed=3)
    for risk in sw.traces.unicity(hourly(points), student="user", at="time", window="1h", known=[1, 2, 4, 8]):
        assert risk.low is not None and risk.high is not None and risk.low <= 0.3 <= risk.high
        assert risk.value == pytest.approx(0.3)


@pytest.mark.parametrize("sample", [None, 25])
def test_intervals_cover_the_exact_value(hourly: Events, sample: int | None) -> None:
    """Nominal 95 %: over 300 seeded runs at least 93 % of the intervals hold the value counted over all choices."""
    generator = np.random.default_rng(11)
    points = {f"s{i}": generator.choice(24, int(generator.integers(3, 9)), replace=False).tolist() for i in range(60)}
    log = reduce(_table(hourly, points), student="user", at="time", window=parse("1h"))
    truth = singled_out(log, attacker("random"), known=[1, 2, 3], count_all=True)
    covered = np.zeros(3)
    for seed in range(300):
        drawn = singled_out(log, attacker("random"), known=[1, 2, 3], repeats=5, sample=sample, seed=seed)
        for position in range(3):
            low, high = drawn.interval(position, seed=seed)
            covered[position] += low <= truth.value(position) <= high
    assert 0.02 < truth.value(2) < 0.98
    assert (covered / 300 >= 0.93).all()


def test_draws_agree_with_the_exact_value_for_every_student(hourly: Events) -> None:
    generator = np.random.default_rng(5)
    points = {f"s{i}": generator.choice(15, 6, replace=False).tolist() for i in range(30)}
    log = reduce(_table(hourly, points), student="user", at="time", window=parse("1h"))
    exact = singled_out(log, attacker("random"), known=[2], count_all=True)
    drawn = singled_out(log, attacker("random"), known=[2], repeats=4000)
    assert np.abs(exact.chances() - drawn.chances()).max() < 0.04


def test_rare_points_tell_more_and_crowded_points_less(hourly: Events) -> None:
    generator = np.random.default_rng(8)
    crowd = generator.choice(20, (80, 10)).tolist()
    points = {f"s{i}": [*crowd[i], *(100 + generator.choice(60, 4, replace=False)).tolist()] for i in range(80)}
    found = {
        name: sw.traces.unicity(
            hourly(points), student="user", at="time", window="1h", known=[3], attacker=name, repeats=50
        )[0].value
        for name in ATTACKERS
    }
    assert found["worst"] >= found["rare"] > found["random"] > found["classmate"]


def test_duplicated_events_change_nothing(hourly: Events) -> None:
    points = {"a": [1, 2, 3, 4], "b": [1, 2, 3, 5], "c": [6, 7, 8, 1]}
    noisy = {student: hours * 3 for student, hours in points.items()}
    settings_: dict[str, Any] = {"student": "user", "at": "time", "window": "1h", "known": [2], "seed": 4}
    assert sw.traces.unicity(hourly(points), **settings_) == sw.traces.unicity(hourly(noisy), **settings_)


def test_what_else_is_known_adds_to_the_time(hourly: Events) -> None:
    events = hourly({"a": [1, 2], "b": [1, 2]}).append_column("verb", pa.array(["read", "write", "write", "read"]))
    plain, told = (
        sw.traces.unicity(events, student="user", at="time", window="1h", also=also, known=[1])[0].value
        for also in ([], ["verb"])
    )
    assert (plain, told) == (0.0, 1.0)


def test_missing_values_are_a_value(hourly: Events) -> None:
    events = hourly({"a": [1], "b": [1], "c": [1]}).append_column("device", pa.array([None, None, "phone"]))
    risk = sw.traces.unicity(events, student="user", at="time", window="1h", also=["device"], known=[1])[0]
    assert risk.value == pytest.approx(1 / 3)


@pytest.mark.parametrize(
    ("bad", "words"),
    [
        ({"window": "1 fortnight"}, "not a time window"),
        ({"attacker": "nobody"}, "not an attacker"),
        ({"known": []}, "known must list"),
        ({"repeats": 0}, "repeats and sample"),
        ({"also": ["nowhere"]}, "no such column"),
        ({"at": "nowhere"}, "no such column"),
        ({"attacker": "rare", "exact": True}, "counted out"),
    ],
)
def test_bad_settings_are_told(hourly: Events, bad: dict[str, Any], words: str) -> None:
    with pytest.raises(InputError, match=words):
        sw.traces.unicity(hourly({"a": [1], "b": [2]}), **{"student": "user", "at": "time", **bad})


def test_too_many_choices_are_refused(hourly: Events) -> None:
    points = {f"s{i}": list(range(i, i + 120)) for i in range(40)}
    with pytest.raises(InputError, match="too many choices"):
        sw.traces.unicity(hourly(points), student="user", at="time", window="1h", known=[8], exact=True)


def test_growing_samples_and_groups(hourly: Events) -> None:
    generator = np.random.default_rng(2)
    points = {f"s{i}": generator.choice(40, 8, replace=False).tolist() for i in range(120)}
    events = hourly(points)
    course = pa.array(["A" if int(user[1:]) < 100 else "B" for user in events["user"].to_pylist()])
    groups = sw.traces.by_group(
        events.append_column("course", course), student="user", at="time", group="course", window="1h", known=2
    )
    assert [risk.setting["students"] for risk in groups] == [100, 20]
    assert groups[0].value < groups[1].value
    sizes = sw.traces.by_size(events, student="user", at="time", window="1h", known=2, steps=3)
    assert [risk.setting["students"] for risk in sizes] == [30, 60, 120]
    assert sizes[0].value > sizes[1].value > sizes[2].value
    whole = sw.traces.unicity(events, student="user", at="time", window="1h", known=[2])[0]
    assert sizes[2].value == whole.value


def test_figures_as_data(hourly: Events) -> None:
    from sharewell.traces.measure.figures import rows

    generator = np.random.default_rng(2)
    events = hourly({f"s{i}": generator.choice(400, 9, replace=False).tolist() for i in range(50)})
    events = events.append_column("verb", pa.array(generator.choice(["a", "b"], events.num_rows).tolist()))
    lines = rows(
        sw.traces.against_known(events, student="user", at="time", windows=["1h", "1d"], known=[1, 2, 3]),
        x="known",
        series="window",
    )
    assert [(row["series"], row["x"]) for row in lines] == [(w, k) for w in ("1h", "1d") for k in (1, 2, 3)]
    assert all(row["low"] <= row["y"] <= row["high"] for row in lines)
    assert [row["y"] for row in lines[:3]] == [
        risk.value for risk in sw.traces.unicity(events, student="user", at="time", window="1h", known=[1, 2, 3])
    ]
    bars = sw.traces.against_quasi(events, student="user", at="time", sets=[[], ["verb"]], window="1h", known=1)
    assert bars[0].value < bars[1].value


def edify(shared_data: Path) -> object:
    table = read(shared_data / "moodle_edify" / "moodle_events.csv.gz").table
    return table.filter(table.user_id.notnull() & ~table.Time.startswith("29/02/18"))


def test_bad_dates_of_edify_are_named(shared_data: Path) -> None:
    table = read(shared_data / "moodle_edify" / "moodle_events.csv.gz").table
    with pytest.raises(InputError, match=r"column 'Time', row \d+: .*no such day or time"):
        sw.traces.unicity(table, student="user_id", at="Time", dates="day-first")


@pytest.mark.parametrize(("window", "values"), [("1min", [0.82, 0.99, 1.0, 1.0]), ("1d", [0.016, 0.104, 0.37, 0.65])])
def test_edify(shared_data: Path, window: str, values: list[float]) -> None:
    risks = sw.traces.unicity(
        edify(shared_data), student="user_id", at="Time", window=window, repeats=20, dates="day-first"
    )
    assert [risk.value for risk in risks] == pytest.approx(values, abs=0.03)
    assert risks[0].n == 269


def test_epm(shared_data: Path) -> None:
    table = read(shared_data / "epm" / "epm_all_sessions.csv.gz").table
    settings_: dict[str, Any] = {"student": "student_id", "at": "start_time", "repeats": 20, "dates": "day-first"}
    risks = sw.traces.unicity(table, **settings_)
    assert [risk.value for risk in risks] == pytest.approx([0.015, 0.036, 0.117, 0.50], abs=0.03)
    told = sw.traces.unicity(table, also=["activity"], known=[4], **settings_)
    assert told[0].value == pytest.approx(0.92, abs=0.03)
