"""Equations on hand-made values, ties by brute force, order and length of sessions."""

from itertools import permutations
from typing import Any, Literal

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.distance import cdist

from sharewell import keystrokes
from sharewell.contract import CurvePoint
from sharewell.errors import InputError
from sharewell.keystrokes.measure.ranking import of_scores
from sharewell.keystrokes.measure.strength_sweep import dips, settled
from sharewell.keystrokes.profiles import scaled
from sharewell.keystrokes.protection.coarsening import coarse
from sharewell.stats.ranks import share_within


@pytest.mark.parametrize(
    ("value", "rounded", "bucketed"),
    [
        (0, 0, 100),
        (49.9, 0, 100),
        (50, 100, 100),
        (99.9, 100, 100),
        (100, 100, 200),
        (149.9, 100, 200),
        (150, 200, 200),
    ],
)
def test_equations_with_their_half_way_cases(value: float, rounded: float, bucketed: float) -> None:
    assert coarse(np.array([value]), 100, "round")[0] == rounded
    assert coarse(np.array([value]), 100, "bucket")[0] == bucketed
    assert coarse(np.array([value]), 0, "bucket")[0] == value


@given(
    st.lists(st.integers(0, 3), min_size=1, max_size=6),
    st.integers(0, 5),
    st.integers(1, 6),
)
def test_ties_count_as_the_mean_over_all_orders(distances: list[int], own: int, accept: int) -> None:
    own %= len(distances)
    found = []
    for order in permutations(range(len(distances))):
        ranked = sorted(order, key=lambda entry: distances[entry])  # sorting is stable: ties stay in random order
        found.append(own in ranked[:accept])
    nearer = sum(distance < distances[own] for distance in distances)
    equal = sum(distance == distances[own] for distance in distances)
    assert share_within(np.array([nearer]), np.array([equal]), accept)[0] == pytest.approx(np.mean(found))


@given(st.integers(0, 10_000))
def test_distances_count_as_a_plain_sort_does(seed: int) -> None:
    generator = np.random.default_rng(seed)
    train, test = (generator.integers(0, 3, (7, 2)).astype(float) for _ in range(2))
    own = np.arange(7)
    distances = ((test[:, None, :] - train[None, :, :]) ** 2).sum(axis=2)
    mine = distances[own, own][:, None]
    expected = np.stack([(distances < mine).sum(axis=1), (distances == mine).sum(axis=1)], axis=1)
    assert (of_scores(-distances, own) == expected).all()
    assert (of_scores(-cdist(test, train), own) == expected).all()


def test_a_constant_column_counts_zero() -> None:
    near, far = scaled(np.array([[1.0, 5.0], [3.0, 5.0]]), np.array([[2.0, 5.0]]))
    assert near.tolist() == [[0, 0], [1, 0]] and far.tolist() == [[0.5, 0]]


def events(*sessions: list[tuple[float, float]]) -> pa.Table:
    rows = [("a", f"s{number}", press, release) for number, part in enumerate(sessions) for press, release in part]
    who, where, press, release = zip(*rows, strict=True)
    return pa.table(
        {"user": who, "task": where, "press": press, "release": release, "key": list("xyzxyzxyz")[: len(rows)]}
    )


COLUMNS: dict[str, Any] = {"student": "user", "session": "task", "press": "press", "release": "release"}


def test_timings_of_hand_made_events() -> None:
    table = events([(1000.0, 1090.0), (1100.0, 1130.0), (1105.0, 1200.0), (3000.0, 3080.0)], [(0.0, 50.0)])
    found = keystrokes.timings(table, key="key", **COLUMNS).sort_by([("kind", "ascending"), ("ms", "ascending")])
    assert list(zip(found["kind"].to_pylist(), found["keys"].to_pylist(), found["ms"].to_pylist(), strict=True)) == [
        ("hold", "y", 30.0),
        ("hold", "y", 50.0),
        ("hold", "x", 80.0),
        ("hold", "x", 90.0),
        ("hold", "z", 95.0),
        ("latency", "x→y", 100.0),
    ]


def test_trigraphs_run_over_three_keys() -> None:
    table = events([(0.0, 1.0), (100.0, 101.0), (250.0, 251.0)])
    found = keystrokes.timings(table, key="key", trigraphs=True, **COLUMNS)
    assert ("trigraph", "x→y→z", 250.0) in zip(
        found["kind"].to_pylist(), found["keys"].to_pylist(), found["ms"].to_pylist(), strict=True
    )


@pytest.mark.parametrize("method", ["round", "bucket"])
@pytest.mark.parametrize("step", [100, 300, 500])
def test_coarse_events_keep_order_and_session_length(method: Literal["round", "bucket"], step: int) -> None:
    generator = np.random.default_rng(step)
    press = 1e12 + np.cumsum(generator.integers(0, 400, 9)).astype(float)
    table = events([(time, time + 70) for time in press])
    after = keystrokes.coarsen(table, step_ms=step, method=method, **COLUMNS)
    moved = after["press"].to_numpy()
    assert (np.diff(moved) >= 0).all()
    assert moved[-1] - moved[0] == pytest.approx(press[-1] - press[0])
    latencies = coarse(np.diff(press), step, method)
    if latencies.sum() > 0:
        assert np.diff(moved) == pytest.approx(latencies * (press[-1] - press[0]) / latencies.sum(), abs=1e-3)
    assert after["key"].to_pylist() == table["key"].to_pylist()


def test_a_delay_keeps_the_order_and_stays_within_its_bound() -> None:
    press = np.arange(9) * 20.0
    after = keystrokes.delay(events([(time, time + 5) for time in press]), most_ms=500, seed=1, **COLUMNS)
    moved = after["press"].to_numpy()
    assert (np.diff(moved) >= 0).all() and (moved >= press).all() and (moved <= press + 500 + 160).all()
    assert (after["release"].to_numpy() >= moved).all()


def test_dips_are_found_and_not_stood_in() -> None:
    risks = [0.9, 0.05, 0.06, 0.7, 0.05, 0.04]
    points = [
        CurvePoint(label=f"{10 * n} ms", strength=10.0 * n, risk=risk, utility=1 - n / 10, meets=risk <= 0.1)
        for n, risk in enumerate(risks)
    ]
    curve = settled(points, "round", 10, 0.1)
    assert curve.chosen is not None and curve.chosen.strength == 40
    found = dips(curve, 0.1)
    assert [(dip.first_ms, dip.last_ms, dip.later) for dip in found] == [(10, 20, 0.7)]
    assert "10–20 ms" in curve.note


def test_bad_input_is_one_sentence() -> None:
    table = events([(0.0, 1.0), (100.0, 101.0)])
    with pytest.raises(InputError, match="no such column, named by session="):
        keystrokes.timings(table, student="user", session="nothing", key="key", press="press")
    with pytest.raises(InputError, match="make them with"):
        keystrokes.identify(table, table)
    timed = keystrokes.timings(table, key="key", **COLUMNS)
    with pytest.raises(InputError, match="there is no attack"):
        keystrokes.identify(timed, timed, attack="psychic")  # type: ignore[arg-type]
    broken = table.set_column(2, "press", pa.array([None, 100.0]))
    with pytest.raises(InputError, match="row 1"):
        keystrokes.timings(broken, key="key", **COLUMNS)


def test_very_little_typing_gives_a_number_or_one_sentence() -> None:
    def typed(users: int, tasks: int, keys: str) -> pa.Table:
        rows = [(f"u{user}", f"t{task}", key, 100.0 * place)
                for user in range(users) for task in range(tasks) for place, key in enumerate(keys)]  # fmt: skip
        return pa.table(dict(zip(("user", "task", "key", "press"), map(list, zip(*rows, strict=True)), strict=True)))

    columns: Any = {"student": "user", "session": "task", "key": "key", "press": "press"}
    timed = keystrokes.timings(typed(4, 3, "ab"), **columns)
    assert keystrokes.identify(timed, timed, attack="likelihood", accept=[1])[0].value == 0.25  # everybody alike
    done = keystrokes.protect(typed(3, 3, "a"), limit=1.0, accept=1, seed=1, **columns)
    assert done.table.num_rows == 9
    with pytest.raises(InputError, match="several sessions"):
        keystrokes.protect(typed(3, 1, "ab"), seed=1, **columns)
    with pytest.raises(InputError, match="fewer than two students"):
        keystrokes.protect(typed(1, 3, "ab"), seed=1, **columns)
