"""Every attacker comes to the same on a log in buckets of students as on a log that is held whole."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any
from unittest.mock import patch

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st
from traces.small_course import clicks, job, materialised

from sharewell.contract import Risk
from sharewell.data import engine
from sharewell.plan.windows import parse
from sharewell.traces import bucketed_log, study
from sharewell.traces.measure import attempts as attempts_module
from sharewell.traces.measure import battery, in_buckets, worst_points
from sharewell.traces.measure.attempts import Attempts
from sharewell.traces.measure.in_buckets import Buckets, risks_in_buckets
from sharewell.traces.measure.sides import sides
from sharewell.traces.measure.verb_sequences import BothOrdered, Ordered, sequences
from sharewell.traces.protection.count_bands import Counts, told
from sharewell.traces.protection.recoding import OTHER
from sharewell.traces.section import ATTACKERS
from sharewell.traces.side_by_side import aligned, both, both_in_buckets

COLUMNS: dict[str, Any] = {"student": "student", "at": "time", "also": ("verb", "page"), "window": parse("1d")}


@contextmanager
def small_is_large(*, events: int = 1, everyone: int = 4) -> Iterator[None]:
    """A few students are a sample of many, and the worst case of more than two is not searched exactly."""
    with (
        patch.multiple(bucketed_log, LARGE=0, IN_A_BUCKET=events),
        patch.multiple(attempts_module, EVERYONE=everyone, SAMPLE=min(3, everyone)),
        patch.multiple(worst_points, MOST_STUDENTS=2, GREEDY=2),
    ):
        yield


def table_of(rows: list[tuple[int, int, str | None, str]]) -> pa.Table:
    who, hour, verb, page = zip(*rows, strict=True)
    times = np.array(hour, "datetime64[h]").astype("datetime64[us]")
    names = [f"{one:02d}" for one in who]
    return pa.table({"student": names, "time": times, "verb": pa.array(verb, pa.string()), "page": page})


@st.composite
def logs_and_releases(draw: st.DrawFn) -> tuple[pa.Table, pa.Table]:
    """A log from before 1970 on, and a release of it: rows gone, verbs merged, and a row that nobody had."""
    verbs, pages = st.sampled_from(["read", "post", "quiz", None]), st.sampled_from(["a", "b"])
    rows = draw(st.lists(st.tuples(st.integers(0, 9), st.integers(-60, 120), verbs, pages), min_size=4, max_size=60))
    kept = [row for row in rows if draw(st.booleans())] or rows[:1]
    if draw(st.booleans()):
        kept = [(who, hour, OTHER if verb == "quiz" else verb, page) for who, hour, verb, page in kept]
    return table_of(rows), table_of([*kept, (3, 400, "read", "a"), (77, 0, "read", "a")])


def figures(risks: list[Risk]) -> list[tuple[Any, ...]]:
    return [(one.attacker, one.name, one.value, one.low, one.high, one.n, one.chance, one.seed) for one in risks]


def of_samples(risks: Iterable[Risk]) -> list[Risk]:
    """All but who counts the rows of everybody where the log is held whole."""
    return [risk for risk in risks if risk.attacker != "same rows"]


def verbs_of(original: pa.Table, released: pa.Table) -> BothOrdered:
    order = ("time", "verb", "page")
    known, seen = (Ordered(table=engine.table(each), order=order) for each in (original, released))
    return BothOrdered(known=known, released=seen, student="student", at="time", verb="verb", window=parse("1d"))


@settings(phases=[Phase.generate])
@given(
    logs_and_releases(), st.integers(1, 30), st.sampled_from([2, 50]), st.sampled_from(["all", "bands", "presence"]),
    st.integers(0, 3),
)  # fmt: skip
def test_every_attacker_finds_what_they_find_in_the_whole_log(
    tables: tuple[pa.Table, pa.Table], size: int, everyone: int, counts: Counts, seed: int
) -> None:
    original, released = (engine.table(table) for table in tables)
    verbs, attempts = verbs_of(*tables), Attempts(seed=seed, tries=40)
    with small_is_large(events=size, everyone=everyone):
        before, after = both(original, released, **COLUMNS)
        before = replace(before, events=told(before.events, counts))
        whole = sides(before, aligned(before, after), kept=("page",), verbs=sequences(verbs, before.ids))
        expected = battery.risks(whole, attempts, 2)
        known, seen = both_in_buckets(original, released, **COLUMNS)
        parts = Buckets(known=known, released=seen, kept=("page",), counts=counts, verbs=verbs)
        found = risks_in_buckets(parts, attempts, 2)
    assert figures(of_samples(found)) == figures(of_samples(expected))
    if everyone == 50:  # of a log held whole everybody's rows are counted, however many there are
        assert figures(found) == figures(expected)


def test_all_attackers_are_compared() -> None:
    """The log above gives everyone something to look at."""
    draw = np.random.default_rng(1)
    rows = [
        (int(who), int(hour), ["read", "post"][verb], ["a", "b"][verb])
        for who, hour, verb in zip(
            draw.integers(0, 9, 200), draw.integers(0, 400, 200), draw.integers(0, 2, 200), strict=True
        )
    ]
    table = table_of(rows)
    with small_is_large(events=50):
        known, seen = both_in_buckets(engine.table(table), engine.table(table), **COLUMNS)
        parts = Buckets(known=known, released=seen, kept=("page",), verbs=verbs_of(table, table))
        assert len(known.buckets) > 2
        assert {risk.attacker for risk in risks_in_buckets(parts, Attempts(seed=1), 2)} == set(ATTACKERS)


def test_a_study_tells_the_same_of_a_large_log_and_of_its_release() -> None:
    work = job(clicks(students=20))
    protected = materialised(study.open(work).protect())

    def told_of(work: Any) -> tuple[list[Risk], list[Risk]]:
        opened = study.open(work)
        return of_samples(opened.before()), of_samples(opened.attack(protected))

    with small_is_large(events=300):
        with patch.object(bucketed_log, "LARGE", 10**9):
            expected = told_of(work)
        with patch.object(study, "risks_in_buckets", wraps=risks_in_buckets) as asked:
            assert told_of(work) == expected
        assert asked.call_count == 2


@pytest.mark.parametrize("students", [2, 3])
def test_a_log_of_few_students_is_held_whole(students: int) -> None:
    """Their worst case is searched exactly, for which all of them are needed."""
    table = engine.table(table_of([(who, who, "read", "a") for who in range(students)]))
    with small_is_large():
        assert in_buckets.in_parts(table, "student") == (students > 2)
