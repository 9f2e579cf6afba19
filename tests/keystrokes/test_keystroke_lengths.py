"""Order holds, and sessions keep the ratio of their lengths up to classes by powers of two."""

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from keystrokes.planted import COLUMNS, typists

from sharewell import keystrokes
from sharewell.data import engine, system
from sharewell.data.keyed import Keyed
from sharewell.errors import InputError
from sharewell.keystrokes import splits
from sharewell.keystrokes.arrays import TypedEvents, session_lengths, session_starts
from sharewell.keystrokes.columns import KeyColumns, canonical
from sharewell.keystrokes.eventlog import load
from sharewell.keystrokes.latencies import timing_table
from sharewell.keystrokes.measure.known_amounts import known_amounts
from sharewell.keystrokes.measure.measuring import Attackers, measure
from sharewell.keystrokes.protection import judging, lots
from sharewell.keystrokes.protection import length_classes as lengths
from sharewell.keystrokes.protection.release import search_of
from sharewell.keystrokes.protection.search import IdentificationGoal, chosen, drawn_release
from sharewell.keystrokes.reducer import split_samples
from sharewell.keystrokes.samples import merged, reduce

GAPS = st.lists(st.lists(st.floats(0, 1e6), max_size=6), min_size=1, max_size=6)


def typing_of(sessions: list[list[float]], owners: list[int]) -> TypedEvents:
    """Every list of gaps is a session; the last event of each has no next."""
    gaps = np.concatenate([[*one, np.nan] for one in sessions])
    sizes = [len(one) + 1 for one in sessions]
    nothing = np.zeros(len(gaps), dtype=np.int64)
    return TypedEvents(
        student=np.repeat(owners, sizes), session=np.repeat(np.arange(len(sizes)), sizes), key=nothing,
        latency=gaps, hold=gaps, keys=np.array(["a"]), kinds=nothing[:1],
    )  # fmt: skip


@given(GAPS, st.integers(0, 10**6))
def test_sessions_keep_the_ratio_of_their_lengths(sessions: list[list[float]], seed: int) -> None:
    generator = np.random.default_rng(seed)
    owners = np.sort(generator.integers(0, 2, len(sessions)))
    owners -= owners[0]
    typing = typing_of(sessions, owners.tolist())
    drawn = np.where(np.isnan(typing.latency), np.nan, generator.exponential(300, len(typing.latency)))
    after = lengths.held(typing, drawn, np.zeros(len(sessions)), lengths.log_pace(typing.session, drawn))
    assert (np.isnan(after) == np.isnan(drawn)).all() and (after[~np.isnan(after)] >= 0).all()
    starts = session_starts(typing.session)
    old, new = (session_lengths(starts, one) for one in (typing.latency, after))
    for student in set(owners.tolist()):
        mine = (owners == student) & (old >= 1) & (new >= 1)
        if mine.any():
            ratio = new[mine] / old[mine]
            assert ratio.max() / ratio.min() <= 4 * (1 + 1e-9)
    assert (new[old == 0] == 0).all()


@given(st.floats(0, 1e12))
def test_a_length_stands_in_its_class(length: float) -> None:
    low, high = (float(one[0]) for one in lengths.bounds(np.array([length])))
    assert (low == high == 0) if length < 1 else (low <= length < high + 1 and high + 1 == 2 * low)


def test_only_sessions_out_of_their_class_are_fitted() -> None:
    typing = typing_of([[100.0, 200.0], [1000.0, 2000.0, 600.0]], [0, 0])
    drawn = np.array([150.0, 140.0, np.nan, 150.0, 150.0, 9000.0, np.nan])
    after = lengths.held(typing, drawn, np.zeros(2), lengths.log_pace(typing.session, drawn))
    pace = np.exp(np.mean(np.log([145, 3100])) - np.mean(np.log([150, 1200])))  # drawn against own, per key
    expected = [(2.0 ** np.floor(np.log2(length * pace))) for length in (300, 3600)]
    assert np.nansum(after[:3]) == expected[0] * 2 - 1 or expected[0] <= np.nansum(after[:3]) < 2 * expected[0]
    assert np.nansum(after[3:]) == expected[1] * 2 - 1  # too long: cut to the edge
    assert after[3:5].tolist() == [150.0, 150.0]  # only the longest gap was


def test_a_slower_session_is_longer_by_as_much() -> None:
    typing = typing_of([[512.0, 512.0], [512.0, 512.0]], [0, 0])
    drawn = np.array([512.0, 512.0, np.nan, 2048.0, 2048.0, np.nan])
    after = lengths.held(typing, drawn, np.array([-np.log(2), np.log(2)]), lengths.log_pace(typing.session, drawn))
    first, second = np.nansum(after[:3]), np.nansum(after[3:])
    assert first <= 2047 and second >= 2048


def test_events_keep_their_rows_and_order() -> None:
    table = typists(60, sessions=6, keys=40, seed=8)
    done = keystrokes.protect(table, limit=0.2, accept=3, seed=4, **COLUMNS)
    assert all(done.table[name].equals(table[name]) for name in ("student", "exercise", "note"))
    where = np.unique(
        [f"{a} {b}" for a, b in zip(*(table[n].to_pylist() for n in ("student", "exercise")), strict=True)],
        return_inverse=True,
    )[1]
    after = done.table["press"].to_numpy().astype(float)
    inside = np.diff(where) == 0
    assert (np.diff(after)[inside] >= 0).all() and (after[np.flatnonzero(~inside) + 1] == 0).all()
    assert (done.table["release"].to_numpy() >= done.table["press"].to_numpy()).all()


def test_a_raw_pace_is_found_and_a_released_one_is_not() -> None:
    table = typists(100, sessions=9, keys=40, seed=9)
    before = load(engine.table(table), KeyColumns(**COLUMNS))
    late = splits.targets(before, 0)["late"]
    done = keystrokes.protect(table, limit=0.1, accept=5, seed=4, **COLUMNS)
    after = load(engine.table(done.table), KeyColumns(**COLUMNS))
    raw, seen = (splits.halves(one.typing, one.students, late) for one in (before, after))
    attackers = Attackers(within=[5], seed=0, attacks=["lengths"], fused=False)
    found = [measure(raw, one, attackers)[0].value for one in (raw, seen)]
    assert found[0] > 0.3 and found[1] <= 0.15
    exact, *_ = known_amounts(before.typing, before.typing, attackers, ("time",))
    assert exact.value == pytest.approx(1.0)
    assert all(risk.value <= 0.15 for risk in known_amounts(before.typing, after.typing, attackers, ("time",)))


def test_how_many_keys_sessions_have_is_found_and_exchanged() -> None:
    generator = np.random.default_rng(2)
    table = typists(60, sessions=4, keys=40, seed=9)
    sizes = np.repeat(generator.integers(20, 41, table.num_rows // 40), 40)
    table = table.filter(pa.array(np.arange(table.num_rows) % 40 < sizes))
    before = load(engine.table(table), KeyColumns(**COLUMNS))
    attackers = Attackers(within=[3], seed=0)
    assert min(risk.value for risk in known_amounts(before.typing, before.typing, attackers, ("keys",))) > 0.9
    keyed = Keyed(b"k" * 32, "test")
    search = search_of(judging.original(before, 0), before, IdentificationGoal(found=0.4, within=3, seed=0), keyed)
    setting = chosen(search).setting
    assert setting.keys.any_size
    drawn = drawn_release(search.events, search.material, setting, keyed, lots.secrets(keyed, setting))
    found = known_amounts(before.typing, drawn.typing, attackers, ("keys", "time"))
    assert len(found) == 4 and max(one.value for one in found) <= 0.4  # what the goal asks for; chance is 0.05


def test_arrays_reduce_as_the_engine_does() -> None:
    """The search's own reduction against the engine's, pauses and lengths included."""
    table = typists(6, sessions=3, keys=30, seed=2)
    press = table["press"].to_numpy() + np.cumsum(np.arange(table.num_rows) % 17 == 0) * 900
    table = table.set_column(3, "press", pa.array(press)).set_column(4, "release", pa.array(press + 60))
    events = load(engine.table(table), KeyColumns(**COLUMNS))
    target = np.arange(len(events.sessions)) % 2 == 1
    fast = merged(split_samples(events.typing, events.students, target))
    slow = reduce(timing_table(canonical(engine.table(table), KeyColumns(**COLUMNS)), sessions=True))
    for name in ("count", "mean", "log_mean", "log_spread"):
        features = np.intersect1d(fast.features, slow.features)
        assert {"pause any", "length any"} <= set(features)
        ours, theirs = (one.spread_out(getattr(one, name), features) for one in (fast, slow))
        assert ours == pytest.approx(theirs, rel=1e-9, abs=1e-6)


def test_more_events_than_memory_are_refused_in_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(system, "free_memory", lambda: 1000)
    with pytest.raises(InputError, match="key events need about"):
        keystrokes.protect(typists(4, sessions=2, keys=10, seed=1), limit=0.5, accept=1, **COLUMNS)
