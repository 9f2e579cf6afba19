"""Every attacker against plain Python on small logs: they know the original and search the release."""

from collections import Counter
from datetime import date
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sharewell.data import engine
from sharewell.plan.windows import parse
from sharewell.traces.log import Log, reduce
from sharewell.traces.measure.asking import outcome
from sharewell.traces.measure.attempts import Attempts
from sharewell.traces.measure.battery import BATTERY, attacked
from sharewell.traces.measure.event_counts import exact_counts
from sharewell.traces.measure.first_last_total import first_last_total
from sharewell.traces.measure.fitting import ANY, Facts, best_fits
from sharewell.traces.measure.found import Found, Told, as_risks
from sharewell.traces.measure.same_rows import same_rows
from sharewell.traces.measure.sides import sides
from sharewell.traces.measure.verb_runs import LENGTH, places_of, stretch
from sharewell.traces.measure.verb_sequences import BothOrdered, Ordered, sequences
from sharewell.traces.measure.whole_trace import whole_trace
from sharewell.traces.measure.worst_points import GREEDY
from sharewell.traces.section import ATTACKERS, Section
from sharewell.traces.side_by_side import aligned

START = np.datetime64("2024-03-04", "us")


def events(seed: int, students: int = 12, days: int = 10, rows: int = 150) -> pa.Table:
    draw = np.random.default_rng(seed)
    return pa.table(
        {
            "user": [f"s{n}" for n in draw.integers(0, students, rows)],
            "time": START + draw.integers(0, days * 24 * 60, rows) * np.timedelta64(1, "m"),
            "verb": draw.choice(np.array(["read", "quiz", "post"]), rows),
        }
    )


def by_day(table: pa.Table, *also: str) -> Log:
    return reduce(engine.table(table), student="user", at="time", window=parse("1d"), also=also)


def counted(table: pa.Table) -> dict[str, Counter[date]]:
    """Events per day of every student, by plain loops."""
    found: dict[str, Counter[date]] = {}
    for row in table.to_pylist():
        found.setdefault(row["user"], Counter())[row["time"].date()] += 1
    return found


def test_the_plan_and_the_battery_name_the_same_attackers() -> None:
    assert tuple(attack.name for attack in BATTERY) == ATTACKERS


@given(seed=st.integers(0, 10_000))
def test_the_best_fits_are_those_of_plain_counting(seed: int) -> None:
    log, draw = by_day(events(seed)), np.random.default_rng(seed)
    released = log.subset(draw.random(len(log.points)) < 0.7)
    targets = np.arange(log.students)
    shape = (log.students, 3)
    points = draw.integers(0, len(log.keys), shape)
    least = draw.integers(1, 3, shape)
    most = np.where(draw.random(shape) < 0.5, least, ANY)
    weights = draw.choice(np.array([1, -1], np.int16), shape)
    seen = sides(log, released)
    facts = Facts(targets=targets, points=points, least=least, most=most, weights=weights)
    found = outcome(best_fits(seen.points, facts), seen.crowd)
    assert found is not None
    held = {(int(o), int(p)): int(n) for o, p, n in zip(released.owners, released.points, released.events, strict=True)}
    present = set(released.owners.tolist())
    for target in targets.tolist():
        scores = {
            student: sum(
                int(weights[target, j])
                for j in range(3)
                if least[target, j] <= held.get((student, int(points[target, j])), 0) <= most[target, j]
            )
            for student in present
        }
        best = [student for student, score in scores.items() if score == max(scores.values())]
        assert found.right[target] == pytest.approx(1 / len(best) if target in best else 0)
        assert bool(found.alone[target]) == (best == [target])


def test_counts_tell_more_than_presence() -> None:
    table = pa.table({"user": ["a", "b", "b"], "time": [START, START, START], "verb": ["x", "x", "x"]})
    seen = sides(by_day(table), by_day(table))
    exact = outcome(exact_counts(seen.windows, Attempts(seed=0), 1), seen.crowd)
    assert exact is not None and exact.share_alone == 1
    drawn = next(found for attack, found in attacked(seen, Attempts(seed=0), 1) if attack.name == "random")
    assert (drawn.share_alone, drawn.guess, drawn.exposed) == (0, 0.5, 0.5)


@pytest.mark.parametrize("name", ["worst", "another period"])
def test_who_looks_at_some_students_only_is_not_certain(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    log = by_day(events(1, students=40, rows=600))
    attack, seen = next(attack for attack in BATTERY if attack.name == name), sides(log, log)
    every = attack.found(seen, Attempts(seed=1), 2)
    assert every is not None and every.certain
    monkeypatch.setattr("sharewell.traces.measure.attempts.EVERYONE", 20)
    monkeypatch.setattr("sharewell.traces.measure.attempts.SAMPLE", 12)
    some = attack.found(seen, Attempts(seed=1), 2)
    assert some is not None and not some.certain
    low, high = some.interval_alone(1)
    assert low < high and low <= every.share_alone <= high


def test_of_many_students_none_alone_at_their_worst_points_meets_the_narrowest_limit() -> None:
    none = Found(alone=np.zeros(GREEDY), right=np.full(GREEDY, 0.1), tries=np.ones(GREEDY, np.int64))
    assert none.interval_alone(0)[1] <= Section.audience_limits["public"]["unicity"]


def test_the_rows_of_everybody_are_counted_however_many_there_are(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sharewell.traces.measure.attempts.EVERYONE", 20)
    monkeypatch.setattr("sharewell.traces.measure.attempts.SAMPLE", 2)
    users = [*(f"s{n}" for n in range(40)), "s7"]
    days = START + np.array([*[0] * 40, 1]) * np.timedelta64(1, "D")
    log = by_day(pa.table({"user": users, "time": days}))
    found = outcome(same_rows(sides(log, log).points), sides(log, log).crowd)
    assert found is not None and found.certain and found.exposed == 1 and found.share_alone == 1 / 40


@settings(max_examples=20)
@given(seed=st.integers(0, 10_000))
def test_same_rows_by_plain_python(seed: int) -> None:
    table = events(seed, students=40, days=2, rows=60)
    log = by_day(table, "verb")
    released = log.subset(np.random.default_rng(seed).random(len(log.points)) < 0.8)
    seen = sides(log, released)
    found = outcome(same_rows(seen.points), seen.crowd)
    assert found is not None
    rows: dict[int, set[tuple[int, int]]] = {}
    for who, point, times in zip(released.owners, released.points, released.events, strict=True):
        rows.setdefault(int(who), set()).add((int(point), int(times)))
    alike = Counter(frozenset(own) for own in rows.values())
    for who, own in rows.items():
        assert found.right[who] == pytest.approx(1 / alike[frozenset(own)])
        assert bool(found.alone[who]) == (alike[frozenset(own)] == 1)
    assert found.certain and found.tries.sum() == len(rows)


def test_how_much_was_done_tells_apart_who_did_the_same_things() -> None:
    """One thing each, once to six times: traces that point the same way are not the same rows."""
    users = [f"s{n}" for n in range(6) for _ in range(n + 1)]
    table = pa.table({"user": users, "time": [START] * len(users), "verb": ["read"] * len(users)})
    found = {attack.name: one for attack, one in attacked(sides(by_day(table), by_day(table)), Attempts(seed=0), 4)}
    assert found["whole trace"].guess == pytest.approx(1 / 6)
    assert found["same rows"].guess == found["same rows"].share_alone == 1


@pytest.mark.parametrize("seed", range(4))
def test_nobody_comes_further_than_who_knows_the_rows(seed: int) -> None:
    log = by_day(events(seed, students=80, days=3, rows=200), "verb")
    seen = sides(log, log.subset(log.popularity[log.points] >= 10))
    found = {attack.name: one for attack, one in attacked(seen, Attempts(seed=seed), 4)}
    most = found.pop("same rows")
    for one in found.values():
        assert one.share_alone <= most.share_alone + 1e-9 and one.guess <= most.guess + 1e-9
        assert one.exposed <= most.exposed + 1e-9


@settings(max_examples=20)
@given(seed=st.integers(0, 10_000))
def test_first_last_and_total_by_plain_python(seed: int) -> None:
    table = events(seed)
    log, days = by_day(table), counted(table)
    spans = {who: (min(own), max(own), sum(own.values())) for who, own in days.items()}
    seen = sides(log, log)
    found = outcome(first_last_total(seen.windows, Attempts(seed=0)), seen.crowd)
    assert found is not None
    for number, who in enumerate(log.ids.to_pylist()):
        first, last, total = spans[who]
        fits = {
            other: (a == first) + (b == last) + (abs(n - total) <= 0.1 * total) for other, (a, b, n) in spans.items()
        }
        best = [other for other, fit in fits.items() if fit == max(fits.values())]
        assert found.right[number] == pytest.approx(1 / len(best) if who in best else 0)


@given(run=st.lists(st.integers(0, 2), max_size=10), verbs=st.lists(st.integers(0, 2), max_size=20))
def test_the_longest_stretch_is_the_longest_common_substring(run: list[int], verbs: list[int]) -> None:
    parts = {tuple(verbs[i:j]) for i in range(len(verbs)) for j in range(i + 1, len(verbs) + 1)}
    longest = max(
        (j - i for i in range(len(run)) for j in range(i + 1, len(run) + 1) if tuple(run[i:j]) in parts), default=0
    )
    assert stretch(places_of(np.array(run, np.int32), 3), len(run), np.array(verbs, np.int32)) == longest


def test_a_run_of_one_verb_is_as_long_as_it_is_in_both() -> None:
    """All places of the run grow at once: none grows into the next."""
    places = places_of(np.zeros(LENGTH, np.int32), 1)
    assert [stretch(places, LENGTH, np.zeros(many, np.int32)) for many in range(30)] == [*range(10), *[10] * 20]


def seen_as_it_is(table: pa.Table) -> Any:
    """The original released as it is, every attacker with something to look at."""
    log, whole = by_day(table, "verb"), Ordered(table=engine.table(table), order=("time",))
    both = BothOrdered(known=whole, released=whole, student="user", at="time", verb="verb", window=parse("1d"))
    return sides(log, log, kept=("verb",), verbs=sequences(both, log.ids))


def test_on_an_untouched_log_every_attacker_beats_chance() -> None:
    seen = seen_as_it_is(events(3, students=30, days=30, rows=1_500))
    found = {attack.name: result for attack, result in attacked(seen, Attempts(seed=1), 4)}
    assert set(found) == set(ATTACKERS)
    for name, result in found.items():
        assert result.guess > 1 / 30 or name == "another period", name  # these students have no habits
    assert found["16 points"].guess >= found["8 points"].guess >= found["random"].guess
    assert found["worst"].share_alone >= found["released points"].share_alone


def test_habits_of_one_half_find_the_other() -> None:
    """Each student has two weekdays and a verb that they prefer: most are found among thirty."""
    draw = np.random.default_rng(7)
    rows = []
    for student in range(30):
        days, verb = draw.choice(7, 2, replace=False), student % 3
        for week in range(12):
            for day in days:
                verbs = draw.choice(3, 6, p=[0.8 if code == verb else 0.1 for code in range(3)])
                rows += [
                    (f"s{student}", START + np.timedelta64(int(week * 7 + day), "D"), f"v{code}") for code in verbs
                ]
    table = pa.table({name: [row[i] for row in rows] for i, name in enumerate(("user", "time", "verb"))})
    found = next(r for a, r in attacked(seen_as_it_is(table), Attempts(seed=1), 4) if a.name == "another period")
    assert found.guess > 0.3


def test_two_students_with_the_same_rows_are_never_told_apart() -> None:
    """Whatever an attacker knows: a release in which everybody has doubles leaves nobody alone."""
    table = events(4, students=10)
    doubles = [
        table.set_column(0, "user", pa.array([f"{user}-{n}" for user in table["user"].to_pylist()])) for n in range(3)
    ]
    for attack, found in attacked(seen_as_it_is(pa.concat_tables(doubles)), Attempts(seed=2), 4):
        assert found.share_alone == 0, attack.name
        assert found.exposed <= round(1 / 3, 9), attack.name


def test_a_guess_is_held_for_the_most_exposed_student() -> None:
    found = Found(alone=np.zeros(4), right=np.array([1.0, 0.5, 0.5, 0.0]), tries=np.array([2, 2, 2, 0]))
    told = Told(attacker="someone", story="", students=4, seed=0, setting={})
    alone, guess, exposed = as_risks(found, told)
    assert (alone.value, guess.value, exposed.value) == (0, round(1 / 3, 9), 0.5)
    assert guess.n == 3 and guess.low is not None and guess.high is not None and guess.low <= guess.value <= guess.high


def daily(rows: list[tuple[str, int, int]]) -> Log:
    """Student, day, and how often."""
    every = [(student, day) for student, day, times in rows for _ in range(times)]
    moments = [START + np.timedelta64(day, "D") for _, day in every]
    return by_day(pa.table({"user": [student for student, _ in every], "time": moments}))


def test_a_whole_trace_is_found_in_what_everybody_shares() -> None:
    """Four days that all have, once or twice each; a day of their own is left out. Always once is like always twice."""
    days = [(f"s{student}", day, 1 + (student >> day) % 2) for student in range(16) for day in range(4)]
    known = daily([*days, *((f"s{student}", 10 + student, 1) for student in range(16))])
    shared, present = daily(days), daily([(student, day, 1) for student, day, _ in days])
    seen = [sides(known, aligned(known, released)) for released in (shared, present)]
    found, hidden = (outcome(whole_trace(one.points, Attempts(seed=1)), one.crowd) for one in seen)
    assert found is not None and hidden is not None
    assert found.share_alone == 14 / 16
    assert found.guess == 15 / 16
    assert hidden.share_alone == 0 and hidden.guess == pytest.approx(1 / 16)
