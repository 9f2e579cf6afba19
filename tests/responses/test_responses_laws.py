"""Laws that every generated log obeys, whatever the log it was learnt from."""

import itertools
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import sharewell as sw
from sharewell.errors import InputError
from sharewell.lab.membership import AUC
from sharewell.lab.splits import blind_ends
from sharewell.responses.log import Columns, read
from sharewell.responses.measure.attackers import most_compared
from sharewell.responses.protection.even_draws import even_within
from sharewell.responses.protection.markov_chain import fit_chain
from sharewell.responses.protection.strength_search import splits_of_pairs, splits_to_judge
from sharewell.responses.section import Section
from sharewell.responses.steps_taken import step_keys, steps_of, tally
from sharewell.stats.roc import auc, hits_at

NAMES: dict[str, Any] = {"student": "user", "item": "item", "correct": "correct"}
COLUMNS = Columns(student="user", item="item", correct="correct")


def steps(table: pa.Table) -> set[tuple[Any, Any]]:
    """Every step from row to row of the same student, by plain Python."""
    rows: dict[Any, list[Any]] = {}
    for student, item in zip(table["user"].to_pylist(), table["item"].to_pylist(), strict=True):
        rows.setdefault(student, []).append(item)
    return {pair for items in rows.values() for pair in itertools.pairwise(items)}


def takers(table: pa.Table) -> dict[tuple[Any, Any], int]:
    """How many different students took each step, by plain Python."""
    seen: dict[tuple[Any, Any], set[Any]] = {}
    rows: dict[Any, list[Any]] = {}
    for student, item in zip(table["user"].to_pylist(), table["item"].to_pylist(), strict=True):
        rows.setdefault(student, []).append(item)
    for student, items in rows.items():
        for pair in itertools.pairwise(items):
            seen.setdefault(pair, set()).add(student)
    return {pair: len(students) for pair, students in seen.items()}


logs = st.lists(
    st.lists(st.tuples(st.integers(0, 5), st.integers(0, 1)), min_size=1, max_size=12), min_size=2, max_size=8
)


def as_table(sequences: list[list[tuple[int, int]]]) -> pa.Table:
    rows = [(f"s{place}", item, right) for place, part in enumerate(sequences) for item, right in part]
    user, item, correct = zip(*rows, strict=True)
    return pa.table({"user": list(user), "item": list(item), "correct": list(correct)})


@given(sequences=logs, order=st.integers(1, 3), seed=st.integers(0, 100))
def test_a_plain_chain_walks_only_steps_that_occurred(
    sequences: list[list[tuple[int, int]]], order: int, seed: int
) -> None:
    table = as_table(sequences)
    try:
        model = sw.responses.fit(table, **NAMES, m=1, order=order)
    except InputError:  # every item was always right or always wrong
        return
    fake = model.generate(30, seed=seed)
    assert steps(fake) <= steps(table)
    assert set(fake["user"].to_pylist()).isdisjoint(table["user"].to_pylist())
    assert set(fake["item"].to_pylist()) <= set(table["item"].to_pylist())


@given(sequences=logs)
def test_steps_are_counted_as_by_hand(sequences: list[list[tuple[int, int]]]) -> None:
    table = as_table(sequences)
    log = read(table, COLUMNS)
    keys, _, students = tally(*step_keys(log))
    names, size = log.items.to_pylist(), len(log.items)
    counted = {(names[key // size], names[key % size]): int(n) for key, n in zip(keys, students, strict=True)}
    assert counted == takers(table)


@given(sequences=logs, m=st.integers(1, 4), order=st.integers(1, 3))
def test_the_rung_of_items_keeps_only_steps_of_m_students(
    sequences: list[list[tuple[int, int]]], m: int, order: int
) -> None:
    table = as_table(sequences)
    log = read(table, Columns(student="user", item="item"))
    chain = fit_chain(log, m=m, order=order)
    names, known = log.items.to_pylist(), takers(table)
    for row in range(chain.items):
        place = chain.rungs[order - 1] + row
        for target in chain.targets[chain.starts[place] : chain.starts[place + 1]]:
            if target < chain.items:
                assert known[names[row], names[target]] >= m
    inside = np.diff(np.concatenate([[0.0], chain.chances]))
    firsts = chain.starts[:-1][np.diff(chain.starts) > 0]
    inside[firsts] = chain.chances[firsts]
    assert (inside > -1e-9).all() and (chain.chances <= 1 + 1e-9).all()


@given(sequences=logs)
def test_every_student_has_a_start_and_an_end(sequences: list[list[tuple[int, int]]]) -> None:
    log = read(as_table(sequences), Columns(student="user", item="item"))
    walked = steps_of(log)
    outside = len(log.items)
    assert (walked.before == outside).sum() == (walked.after == outside).sum() == len(sequences)
    assert walked.after.size == log.rows + len(sequences)


@given(group=st.lists(st.integers(0, 4), min_size=1, max_size=60), seed=st.integers(0, 100))
def test_even_draws_fill_every_stratum_of_their_group_once(group: list[int], seed: int) -> None:
    codes = np.array(group, dtype=np.int32)
    drawn = even_within(codes, 5, np.random.default_rng(seed))
    for code in np.unique(codes):
        own = drawn[codes == code]
        assert sorted((own * own.size).astype(int).tolist()) == list(range(own.size))


def test_single_even_draws_are_uniform_and_do_not_depend_on_their_place() -> None:
    codes = np.array([0, 1, 0, 0, 1], dtype=np.int32)
    drawn = np.array([even_within(codes, 2, np.random.default_rng(seed)) for seed in range(4000)])
    np.testing.assert_allclose(drawn.mean(axis=0), 0.5, atol=0.02)
    np.testing.assert_allclose(drawn.var(axis=0), 1 / 12, atol=0.005)


def test_items_come_as_often_as_they_did_though_their_steps_are_rare(make_planted: Any) -> None:
    """Over 120 items hardly a step has 25 students: most go through the ladder, and no item may lose by it."""
    table = make_planted(students=400, items=120, rows=(20, 60), seed=2).table
    log = read(table, Columns(student="user", item="item", skill="skill"))
    chain = fit_chain(log, m=25, group=log.skill_of)
    walked, lengths = chain.walk(4000, np.random.default_rng(0))
    real = np.bincount(log.item, minlength=120) / log.rows
    assert chain.kept < 0.9
    assert np.abs(np.bincount(walked, minlength=120) / walked.size - real).sum() / 2 < 0.04
    assert lengths.mean() == pytest.approx(log.lengths.mean(), rel=0.1)


def test_the_same_seed_gives_the_same_bytes_and_another_seed_others(course: Any) -> None:
    extra: dict[str, Any] = {"skill": "skill", "time": "at", "further": ["device"], "outcomes": "pfa"}
    one = sw.responses.fit(course.table, **NAMES, **extra).generate(100, seed=4)
    two = sw.responses.fit(course.table, **NAMES, **extra).generate(100, seed=4)
    other = sw.responses.fit(course.table, **NAMES, **extra).generate(100, seed=5)
    assert one.equals(two)
    assert not one.equals(other)


def test_time_never_runs_backwards_and_keeps_the_rhythm(course: Any) -> None:
    fake = sw.responses.fit(course.table, **NAMES, time="at").generate(300, seed=1)
    user = np.array(fake["user"].to_pylist())
    at = fake["at"].cast(pa.int64()).to_numpy()
    same = user[1:] == user[:-1]
    assert (np.diff(at)[same] >= 0).all()
    short = np.diff(at)[same] <= 30 * 60 * 1e6
    real = course.table["at"].cast(pa.int64()).to_numpy()
    gaps = np.diff(real)[np.diff(np.unique(course.table["user"].to_pylist(), return_inverse=True)[1]) == 0]
    assert abs(short.mean() - (gaps <= 30 * 60 * 1e6).mean()) < 0.03


def test_sessions_begin_in_the_hours_in_which_students_work(make_planted: Any) -> None:
    """Real sessions begin between 9 and 11 on Mondays; so must the invented ones."""
    generator = np.random.default_rng(0)
    monday = 1_700_438_400  # 20 November 2023, 00:00 UTC
    start = monday + generator.integers(0, 5, 300) * 7 * 86400 + generator.integers(9 * 3600, 11 * 3600, 300)
    rows = [(f"s{p}", f"i{k % 3}", k % 2, int(t + 30 * k)) for p, t in enumerate(start) for k in range(8)]
    user, item, correct, at = zip(*rows, strict=True)
    at_column = pa.array(at).cast(pa.timestamp("s"))
    table = pa.table({"user": list(user), "item": list(item), "correct": list(correct), "at": at_column})
    fake = sw.responses.fit(table, **NAMES, time="at").generate(200, seed=2)
    first = np.unique(fake["user"].to_pylist(), return_index=True)[1]
    moment = (fake["at"].cast(pa.int64()).to_numpy()[first] // 1_000_000 - monday) % (7 * 86400)
    assert ((moment >= 9 * 3600) & (moment < 12 * 3600)).all()


def test_invented_ids_avoid_even_ids_that_look_invented() -> None:
    table = pa.table(
        {"user": ["fake-0000001", "fake-0000002"] * 20, "item": ["a", "b"] * 20, "correct": [0, 1, 1, 0] * 10}
    )
    fake = sw.responses.fit(table, **NAMES, m=1).generate(50)
    assert set(fake["user"].to_pylist()).isdisjoint({"fake-0000001", "fake-0000002"})


def test_streamed_rows_are_the_rows_of_the_frame(course: Any, tmp_path: Any) -> None:
    import pyarrow.parquet as pq

    model = sw.responses.fit(course.table, **NAMES)
    rows = model.write(tmp_path / "fake.parquet", 45_000, seed=3)
    streamed = pq.read_table(tmp_path / "fake.parquet")
    assert streamed.num_rows == rows
    assert streamed.equals(model.generate(45_000, seed=3).combine_chunks())


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
def test_the_frame_that_comes_in_goes_out(course: Any, library: str) -> None:
    frames = {
        "pandas": lambda: course.table.to_pandas(),
        "polars": lambda: __import__("polars").from_arrow(course.table),
        "pyarrow": lambda: course.table,
    }
    frame = frames[library]()
    assert type(sw.responses.fit(frame, **NAMES).generate(5)) is type(frame)


@given(
    inside=st.lists(st.integers(0, 6), min_size=2, max_size=20),
    outside=st.lists(st.integers(0, 6), min_size=2, max_size=20),
    share=st.sampled_from([0.0, 0.01, 0.1, 0.5]),
)
def test_auc_and_hits_against_their_definitions(inside: list[int], outside: list[int], share: float) -> None:
    one, other = np.array(inside, dtype=float), np.array(outside, dtype=float)
    pairs = [(a > b) + 0.5 * (a == b) for a in inside for b in outside]
    found = auc(one, other)
    assert found.value == pytest.approx(np.mean(pairs))
    assert 0 <= found.low <= found.value + 1e-12 and found.value - 1e-12 <= found.high <= 1
    points = [0.0] + [np.mean(one >= t) for t in np.unique([*inside, *outside]) if np.mean(other >= t) <= share + 1e-9]
    assert hits_at(one, other, false_alarms=share).value == pytest.approx(max(points))


@given(students=st.integers(300, 100_000))
def test_attacks_on_pairs_that_know_nothing_stay_clear_of_the_narrowest_limit(students: int) -> None:
    """Their interval alone would otherwise refuse releases of some thousand students."""
    control, compared = 0.2, min(students, most_compared(students))
    for limits in Section.audience_limits.values():
        limit = limits["membership"]
        splits = min(splits_to_judge(students, control), splits_of_pairs(students, students, control, limit))
        assert blind_ends(compared, control, splits)[AUC] < (0.5 + limit) / 2
