"""Protections: what they leave is checked by code that shares nothing with what produced it."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sharewell as sw
from sharewell.data import engine
from sharewell.errors import Refused
from sharewell.plan.windows import parse
from sharewell.traces.attacks.draws import attacker
from sharewell.traces.coarser_log import view
from sharewell.traces.log import Log, reduce
from sharewell.traces.protection.recoding import OTHER, Recoding
from sharewell.traces.window_numbers import number, of_seconds
from sharewell.traces.window_numbers import start as start_of

Events = Callable[[dict[str, list[int]]], pa.Table]  # hours of each student → a table

ROLES: dict[str, Any] = {"student": "user", "at": "time"}


def sets_of(table: pa.Table, *columns: str) -> dict[str, set[tuple[object, ...]]]:
    """Every student's distinct points in a finished table."""
    found: dict[str, set[tuple[object, ...]]] = {}
    for row in table.select(["user", "time", *columns]).to_pylist():
        found.setdefault(row["user"], set()).add(tuple(row[name] for name in ("time", *columns)))
    return found


def singled_out(points: dict[str, Any], originals: dict[str, Any], known: int, repeats: int, seed: int) -> float:
    """Draw original points, find who in the release has most of them: plain Python, sets and loops."""
    draw = np.random.default_rng(seed)
    hits = []
    for student in sorted(points):
        own = sorted(originals[student])
        for _ in range(repeats):
            picked = [own[i] for i in draw.choice(len(own), min(known, len(own)), replace=False)]
            fits = {other: sum(point in points[other] for point in picked) for other in points}
            best = max(fits.values())
            winners = [other for other, fit in fits.items() if fit == best]
            hits.append(best > 0 and winners == [student])
    return float(np.mean(hits))


def course(students: int, seed: int, days: int = 40) -> dict[str, list[int]]:
    """Hours of activity: everybody comes to lectures, and each on some days of their own."""
    draw = np.random.default_rng(seed)
    lectures = [24 * day + 10 for day in range(0, days, 7)]
    own = {f"s{i}": draw.integers(0, days * 24, 12).tolist() for i in range(students)}
    return {user: [*hours, *(hour for hour in lectures if draw.random() < 0.8)] for user, hours in own.items()}


def test_coarsen_keeps_frames_and_other_columns(hourly: Events) -> None:
    events = hourly({"a": [1, 25, 26], "b": [700]}).append_column("verb", pa.array(["x", "y", "z", "x"]))
    for frame, kind in ((events, pa.Table), (events.to_pandas(), pd.DataFrame), (pl.from_arrow(events), pl.DataFrame)):
        out = sw.traces.coarsen(frame, at="time", window="1d")
        assert isinstance(out, kind)
        table = engine.arrow(out)
        assert {stamp.hour for stamp in table["time"].to_pylist()} == {0}
        assert table["verb"].to_pylist() == ["x", "y", "z", "x"]


@pytest.mark.parametrize(
    "label", ["1s", "1min", "15min", "1h", "1d", "1w", "1mo", "3mo", "2w", "hour-of-day", "weekday"]
)
def test_windows_agree_with_pandas(hourly: Events, label: str) -> None:
    draw = np.random.default_rng(1)
    start = pd.Timestamp("1999-12-27")
    stamps = [start + pd.Timedelta(seconds=int(s)) for s in draw.integers(-(10**9), 10**9, 300)]
    table = engine.table(pa.table({"time": stamps}))
    window = parse(label)
    found = engine.arrow(
        table.select(at=table.time, start=start_of(window, table.time), number=number(window, table.time))
    ).to_pylist()
    series = pd.Series([row["at"] for row in found])
    expected = {
        "1w": series.dt.to_period("W-SUN").dt.start_time,
        "1mo": series.dt.to_period("M").dt.start_time,
        "3mo": series.dt.to_period("Q").dt.start_time,
        "hour-of-day": series.dt.hour,
        "weekday": series.dt.weekday,
    }
    if label in expected:
        assert [row["start"] for row in found] == list(expected[label])
    elif label != "2w":
        assert [row["start"] for row in found] == list(series.dt.floor(label.replace("1s", "s")))
    seconds = series.to_numpy().astype("datetime64[s]").astype(np.int64)
    assert of_seconds(window, seconds).tolist() == [row["number"] for row in found]
    starts: dict[int, set[object]] = {}
    for row in found:
        starts.setdefault(row["number"], set()).add(row["start"])
    assert all(len(group) == 1 for group in starts.values())


@settings(deadline=None, max_examples=25)
@given(seed=st.integers(0, 10_000), window=st.sampled_from(["1h", "1d", "1w", "1mo", "weekday"]))
def test_a_view_equals_the_log_reduced_anew(hourly: Events, seed: int, window: str) -> None:
    draw = np.random.default_rng(seed)
    events = hourly({f"s{i}": draw.integers(0, 2000, 15).tolist() for i in range(6)})
    verbs = draw.choice(np.array(["read", "write", "quiz", None], object), events.num_rows).tolist()
    events = engine.table(events.append_column("verb", pa.array(verbs)))
    base = reduce(events, **ROLES, window=parse("1s"), also=["verb"])
    seen = view(base, Recoding(window=parse(window), merged={"verb": ("read", "quiz")}))
    merged = events.mutate(verb=events.verb.isin(["write"]).ifelse(OTHER, events.verb))
    anew = reduce(merged, **ROLES, window=parse(window), also=["verb"])
    assert _plain(seen) == _plain(anew)
    bare = view(base, Recoding(window=parse(window), dropped=("verb",)))
    assert _plain(bare) == _plain(reduce(events, **ROLES, window=parse(window)))


def _plain(log: Log) -> dict[tuple[object, ...], int]:
    """(student, window, values) → events, in plain words."""
    count, rows = log.combinations_count, log.combinations.to_pylist()
    keys = log.keys[log.points]
    values = [tuple(rows[key % count].values()) if log.also else () for key in keys]
    ids = [log.ids[int(owner)].as_py() for owner in log.owners]
    return {
        (who, int(key // count), *row): int(n) for who, key, row, n in zip(ids, keys, values, log.events, strict=True)
    }


def test_points_meet_their_limit_by_an_independent_count(hourly: Events) -> None:
    events = hourly(course(40, seed=6, days=60))
    kept = sw.traces.protect(events, **ROLES, promise="points", known=3, limit=0.1, window="1d")
    originals = sets_of(sw.traces.coarsen(events, at="time", window="1d"))
    released = sets_of(kept.table)
    assert all(points <= originals[student] for student, points in released.items())
    assert singled_out(released, released, 3, 60, seed=1) <= 0.1
    assert singled_out(released, originals, 3, 60, seed=2) <= 0.1
    assert kept.curve is not None and kept.curve.chosen is not None and kept.curve.chosen.meets
    assert singled_out(originals, originals, 3, 20, seed=3) > 0.1


def test_an_impossible_limit_is_not_claimed(hourly: Events) -> None:
    kept = sw.traces.protect(hourly({"a": [1], "b": [900]}), **ROLES, promise="points", known=1, limit=0.01)
    assert kept.curve is not None and kept.curve.chosen is None
    assert not any(point.meets for point in kept.curve.points)
    with pytest.raises(Refused, match="no group of 5 students"):
        sw.traces.protect(hourly({"a": [1], "b": [900]}), **ROLES)


def test_the_same_key_gives_the_same_table(hourly: Events) -> None:
    events = hourly(course(30, seed=2))
    one, again = (sw.traces.protect(events, **ROLES, window="1d", key=b"k" * 32) for _ in range(2))
    assert one.table == again.table and one.curve == again.curve


def test_the_search_drops_or_merges_what_tells_most(hourly: Events) -> None:
    draw = np.random.default_rng(3)
    hours = draw.choice(24 * 7, 25, replace=False).tolist()
    events = hourly({f"s{i}": hours for i in range(60)})
    personal = pa.array([f"device of {user}" for user in events["user"].to_pylist()])
    kept = sw.traces.protect(
        events.append_column("device", personal), **ROLES, also=["device"], window="1h", key=b"k" * 32
    )
    assert kept.curve is not None and kept.curve.chosen is not None
    assert "device" not in kept.table.column_names or set(kept.table["device"].to_pylist()) == {OTHER}
    assert kept.table.num_rows == events.num_rows


@settings(deadline=None, max_examples=20)
@given(seed=st.integers(0, 10_000), needed=st.integers(2, 5))
def test_suppression_leaves_only_shared_points(hourly: Events, seed: int, needed: int) -> None:
    draw = np.random.default_rng(seed)
    events = hourly({f"s{i}": draw.integers(0, 60, 8).tolist() for i in range(8)})
    out = sets_of(sw.traces.suppress(events, **ROLES, window="1h", needed=needed))
    before = sets_of(sw.traces.coarsen(events, at="time", window="1h"))
    users = {point: sum(point in own for own in before.values()) for own in before.values() for point in own}
    for student, own in before.items():
        assert out.get(student, set()) == {point for point in own if users[point] >= needed}


def test_telling_points_and_long_tails_go(hourly: Events) -> None:
    events = hourly({"a": [1, 2, 3, 50], "b": [1, 2, 3], "c": [1, 2, 3]})
    told = sets_of(sw.traces.drop_telling(events, **ROLES, window="1h", points=1, known=1))
    assert told["a"] == told["b"] == told["c"]
    cut = sets_of(sw.traces.cut(events, **ROLES, window="1h", longest=2))
    assert {len(points) for points in cut.values()} == {2}


def test_rare_values_are_merged(hourly: Events) -> None:
    events = hourly({"a": [1, 2], "b": [1, 2], "c": [1, 2]})
    verbs = pa.array(["read", "x", "read", "y", "read", "read"])
    out = sw.traces.merge_rare(events.append_column("verb", verbs), **ROLES, columns=["verb"], needed=2)
    assert out["verb"].to_pylist() == ["read", OTHER, "read", OTHER, "read", "read"]


def test_jitter_keeps_order_and_its_bound(hourly: Events) -> None:
    events = hourly(course(20, seed=9)).sort_by([("user", "ascending"), ("time", "ascending")])
    events = events.append_column("n", pa.array(range(events.num_rows)))
    out = sw.traces.jitter(events, **ROLES, by="30min").sort_by("n")
    moved = [b - a for a, b in zip(events["time"].to_pylist(), out["time"].to_pylist(), strict=True)]
    assert max(map(abs, moved)) <= timedelta(minutes=30)
    assert np.std([move.total_seconds() for move in moved]) > 300
    for user in set(events["user"].to_pylist()):
        own = [row["time"] for row in out.to_pylist() if row["user"] == user]
        assert own == sorted(own)


def test_shifts_are_whole_weeks_and_one_per_student(hourly: Events) -> None:
    events = hourly(course(30, seed=1))
    events = events.append_column("n", pa.array(range(events.num_rows)))
    out = sw.traces.shift(events, **ROLES, weeks=4).sort_by("n")
    moves: dict[str, set[timedelta]] = {}
    for user, before, after in zip(
        *(column.to_pylist() for column in (events["user"], events["time"], out["time"])), strict=True
    ):
        moves.setdefault(user, set()).add(after - before)
    assert all(len(found) == 1 for found in moves.values())
    weeks = {found.pop().days / 7 for found in moves.values()}
    assert weeks <= set(range(-4, 5)) and len(weeks) > 4


def test_deadlines_give_shifts_away(hourly: Events) -> None:
    """A shifted calendar is moved back by its anchors, and then protects hardly more than none."""
    from sharewell.traces.attacks import battery
    from sharewell.traces.attacks.attempts import Attempts
    from sharewell.traces.attacks.view import View
    from sharewell.traces.measure.moved_times import over_all_moves, unshifted
    from sharewell.traces.protection.moving import offsets

    draw = np.random.default_rng(12)
    hours = {}
    for i in range(60):
        lectures = [24 * 7 * week + 24 * (week % 5) + 10 for week in range(10) if draw.random() < 0.8]
        hours[f"s{i}"] = [*lectures, *draw.integers(0, 24 * 70, 6).tolist()]
    events = hourly(hours)
    window = parse("1h")
    before = reduce(engine.table(events), **ROLES, window=window)
    after = reduce(engine.table(sw.traces.shift(events, **ROLES, weeks=3)), **ROLES, window=window)
    moves = offsets(window, 3)
    tried = over_all_moves(before, after, attacker("random"), known=4, moves=moves, slack=0, repeats=5, seed=0)
    random = next(attack for attack in battery.OF_POINTS if attack.name == "random")
    plain, anchored = (
        battery.found(random, View(known=before, released=seen), Attempts(seed=0, tries=600), 4)
        for seen in (before, unshifted(before, after, moves))
    )
    assert plain is not None and anchored is not None
    assert anchored.share_alone > 0.8 * plain.share_alone > 0.5
    assert tried.value() > 0.8 * plain.share_alone
