"""A log in buckets of students comes to the same verdicts as a log that is held whole."""

from typing import Any
from unittest.mock import patch

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from traces.small_course import clicks, job

import sharewell as sw
from sharewell.data import engine
from sharewell.plan.windows import parse
from sharewell.traces import bucketed_log, study
from sharewell.traces.bucketed_log import BucketedLog, bucketed, coarser
from sharewell.traces.log import reduce
from sharewell.traces.measure import settled
from sharewell.traces.measure.attackers import attacker
from sharewell.traces.measure.known_points import singled_out
from sharewell.traces.measure.settled import singled_out_in_buckets

WHO = ("random", "rare", "classmate", "consecutive")
COLUMNS: dict[str, Any] = {"student": "student", "at": "time", "also": ["verb"], "window": parse("1h")}


@st.composite
def logs(draw: st.DrawFn) -> pa.Table:
    """A few students at a few hours: some alone, some with company in their own bucket, some in another's."""
    cell = st.tuples(st.integers(0, 11), st.integers(0, 6), st.sampled_from(["read", "post", None]))
    events = draw(st.lists(cell, min_size=1, max_size=60))
    who, hour, verb = zip(*events, strict=True)
    return log_of([f"{one:02d}" for one in who], list(hour), list(verb))


def log_of(who: list[str], hours: list[int], verbs: list[str | None]) -> pa.Table:
    times = np.array(hours, "datetime64[h]").astype("datetime64[us]")
    return pa.table({"student": who, "time": pa.array(times), "verb": pa.array(verbs, pa.string())})


def in_buckets(table: pa.Table, size: int) -> BucketedLog:
    with patch.object(bucketed_log, "IN_A_BUCKET", size):
        return bucketed(engine.table(table), **COLUMNS)


@given(logs(), st.sampled_from(WHO), st.integers(1, 25), st.sampled_from([None, 3]), st.integers(0, 3))
def test_every_verdict_is_that_of_the_whole_log(
    table: pa.Table, name: str, size: int, sample: int | None, seed: int
) -> None:
    drawn: dict[str, Any] = {"known": [1, 2, 3, 5], "repeats": 3, "sample": sample, "seed": seed}
    whole = reduce(engine.table(table), **COLUMNS)
    expected = singled_out(whole, attacker(name), **drawn)
    found = singled_out_in_buckets(in_buckets(table, size), attacker(name), **drawn)
    tried = expected.tries > 0
    assert [total.hits for total in found] == expected.hits.sum(axis=1).tolist()
    assert {total.tries for total in found} == {int(expected.tries.sum())}
    assert {(total.students, total.attacked) for total in found} == {(whole.students, int(tried.sum()))}
    assert [total.few for total in found] == [int((whole.lengths[tried] < k).sum()) for k in drawn["known"]]


@pytest.mark.parametrize("name", WHO)
def test_the_function_tells_the_same_of_a_large_log(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    draw = np.random.default_rng(3)
    size = 800
    table = log_of(
        [f"{one:03d}" for one in draw.integers(0, 60, size)], list(draw.integers(0, 300, size)),
        [["a", "b", None][one] for one in draw.integers(0, 3, size)],
    )  # fmt: skip
    asked: dict[str, Any] = {
        "student": "student",
        "at": "time",
        "also": ["verb"],
        "window": "1h",
        "attacker": name,
        "repeats": 2,
    }
    expected = sw.traces.unicity(table, **asked)
    monkeypatch.setattr(bucketed_log, "LARGE", 10)
    monkeypatch.setattr(bucketed_log, "IN_A_BUCKET", 250)
    monkeypatch.setattr(settled, "OPEN", 60)  # verdicts wait in several blocks
    assert sw.traces.unicity(table, **asked) == expected


def test_buckets_hold_every_student_once_and_about_as_many_events() -> None:
    who = [f"{one:04d}" for one in range(3_000) for _ in range(1 + one % 5)]
    found = in_buckets(log_of(who, [0] * len(who), [None] * len(who)), 1_000)
    assert [bucket.first for bucket in found.buckets] == np.cumsum([0, *(b.students for b in found.buckets)])[
        :-1
    ].tolist()
    assert sum(bucket.students for bucket in found.buckets) == found.students == 3_000
    events = [int(found.opened(bucket).events.sum()) for bucket in found.buckets]
    assert sum(events) == len(who)
    assert max(events) < 1_100


def test_company_in_another_bucket_is_company() -> None:
    """Two students with the same points, numbered far from one another, and one alone between them."""
    table = log_of(["a", "a", "m", "m", "z", "z"], [0, 1, 0, 2, 0, 1], ["read"] * 6)
    log = in_buckets(table, 1)
    assert len(log.buckets) == 3
    one, two = singled_out_in_buckets(log, attacker("random"), known=[1, 2], repeats=1, sample=None, seed=0)
    assert two.hits == 1
    assert one.hits <= 1


def test_a_study_tells_the_same_of_a_large_log(monkeypatch: pytest.MonkeyPatch) -> None:
    work = job(clicks(students=20))
    expected = study.open(work).before()
    monkeypatch.setattr(bucketed_log, "LARGE", 10)
    monkeypatch.setattr(bucketed_log, "IN_A_BUCKET", 400)
    assert study.open(work).before() == expected


@pytest.mark.parametrize("window", ["1min", "15min", "1d", "1w", "1mo"])
def test_a_coarser_log_is_the_one_that_is_made_of_the_events(window: str) -> None:
    """Times before 1970 and between seconds, students and verbs in several buckets."""
    draw = np.random.default_rng(4)
    times = (draw.integers(-40 * 86_400 * 10**6, 40 * 86_400 * 10**6, 300)).astype("datetime64[us]")
    who, verbs = [f"{one:02d}" for one in draw.integers(0, 30, 300)], draw.choice(["read", "post"], 300).tolist()
    table = engine.table(pa.table({"student": who, "time": pa.array(times), "verb": verbs}))
    with patch.object(bucketed_log, "IN_A_BUCKET", 60):
        made = coarser(bucketed(table, **{**COLUMNS, "window": parse("1s")}), parse(window))
        expected = bucketed(table, **{**COLUMNS, "window": parse(window)})
    assert len(made.buckets) == len(expected.buckets) > 2
    assert (made.width, made.before, made.window) == (expected.width, expected.before, expected.window)
    for one, other in zip(made.buckets, expected.buckets, strict=True):
        mine, theirs = made.opened(one), expected.opened(other)
        for name in ("starts", "points", "events", "keys"):
            assert np.array_equal(getattr(mine, name), getattr(theirs, name))
