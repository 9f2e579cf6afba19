"""Speeds leave as those of a few classes, some drawn by lot, and what sessions alone tell is measured."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sharewell.keystrokes.arrays import Array, TypedEvents
from sharewell.keystrokes.measure import ranking
from sharewell.keystrokes.measure.identification import found
from sharewell.keystrokes.measure.known_amounts import known_sessions
from sharewell.keystrokes.measure.measuring import Attackers
from sharewell.keystrokes.protection.rhythm_draws import at_drawn_speed, session_classes, speed_classes
from sharewell.keystrokes.samples import TypingSample
from sharewell.stats.ranks import share_within


@given(seed=st.integers(0, 10_000), students=st.integers(10, 300), classes=st.integers(1, 5))
def test_a_class_is_all_that_is_left_of_a_speed_and_keeps_the_order(seed: int, students: int, classes: int) -> None:
    speed = np.random.default_rng(seed).lognormal(5, 0.6, students)
    own, slower = speed_classes(speed, classes)
    assert (np.diff(own[np.argsort(speed)]) >= 0).all() and (np.diff(slower) > 0).all()
    sizes = np.bincount(own, minlength=classes)
    assert len(sizes) == classes and sizes.min() >= students // (2 * classes)  # nobody is in a class of a few
    means = np.bincount(own, speed) / sizes
    np.testing.assert_allclose(np.exp(slower - slower[0]), means / means[0])


def test_alike_speeds_are_put_into_classes_as_well() -> None:
    own, slower = speed_classes(np.full(20, 150.0), 2)
    assert len(own) == 20
    np.testing.assert_allclose(slower, 0.0, atol=1e-12)


def test_somebody_who_knows_every_speed_finds_no_more_than_the_classes_let() -> None:
    speed = np.random.default_rng(1).lognormal(5, 0.3, 200)
    for classes in (2, 5):
        own, _ = speed_classes(speed, classes)
        together = (own[:, None] == own[None, :]).sum(axis=1)
        found = np.minimum(10 / together, 1.0).mean()  # ten of those who look alike, drawn blindly
        assert found <= 10 * classes / 200 + 1e-9
    for classes, kept in ((2, 0.75), (5, 0.93)):
        own, slower = speed_classes(speed, classes)
        assert np.corrcoef(speed, np.exp(slower[own]))[0, 1] > kept


def test_strayed_sessions_take_the_class_of_anybody_and_the_others_their_own() -> None:
    own, sessions = np.repeat([0, 1], [150, 50]), np.repeat(np.arange(200), 100)
    for stray in (0.0, 0.4, 1.0):
        drawn = session_classes(own, sessions, stray, np.random.default_rng(2).random((len(sessions), 2)), own)
        of_slow, of_fast = drawn[own[sessions] == 1].mean(), drawn[own[sessions] == 0].mean()
        assert of_slow == pytest.approx(1 - stray * 0.75, abs=0.03)
        assert of_fast == pytest.approx(stray * 0.25, abs=0.03)


def test_the_furthest_on_the_same_side_are_better_guesses_than_the_nearest() -> None:
    generator = np.random.default_rng(3)
    side = np.repeat([0, 1], 100)
    strayed = np.where(generator.random((200, 14)) < 0.25, 1 - side[:, None], side[:, None])
    latency = np.array([150.0, 250.0])[strayed] * np.exp(generator.normal(0, 0.01, strayed.shape))
    near, far = halves(latency)
    (furthest,) = (one.value for one in found(near, far, attack="same side", accept=[10]))
    speeds = [sample.log_mean - sample.log_mean.mean() for sample in (near, far)]
    counts = ranking.of_scores(-np.abs(speeds[1][:, None] - speeds[0]), np.arange(200))
    nearest = float(share_within(counts[:, 0], counts[:, 1], 10).mean())
    assert furthest > nearest
    assert furthest <= 0.13  # two classes of a hundred: a tenth, and what chance adds in one draw


@given(seed=st.integers(0, 10_000), sessions=st.integers(2, 40))
def test_every_session_types_at_the_speed_of_its_draw_whatever_is_typed_in_it(seed: int, sessions: int) -> None:
    generator = np.random.default_rng(seed)
    session = np.repeat(np.arange(sessions), 50)
    latency = np.append(generator.uniform(100, 300, session.size - 1), np.nan)
    latency[3] = 60_000.0  # a pause stays as it is
    slower = generator.normal(0, 0.3, sessions)
    after = at_drawn_speed(session, latency, slower)
    rhythm = latency <= 750
    means = np.bincount(session[rhythm], after[rhythm]) / np.bincount(session[rhythm])
    np.testing.assert_allclose(np.log(means) - slower, (np.log(means) - slower)[0])
    assert after[3] == 60_000.0 and np.isnan(after[-1])


def halves(latency: Array) -> tuple[TypingSample, TypingSample]:
    """Two samples of one feature; rows are students, columns their single times."""
    students = np.array([f"s{one:03}" for one in range(len(latency))])
    parts = np.split(latency, [latency.shape[1] // 2], axis=1)
    return (*(_sample(students, part) for part in parts),)  # type: ignore[return-value]


def _sample(students: Array, part: Array) -> TypingSample:
    logs = np.log(part)
    return TypingSample(
        students=students,
        features=np.array(["latency a→b"]),
        student=np.arange(len(students)),
        feature=np.zeros(len(students), dtype=np.int64),
        count=np.full(len(students), float(part.shape[1])),
        mean=part.mean(axis=1),
        log_mean=logs.mean(axis=1),
        log_spread=logs.var(axis=1) * part.shape[1],
    )


def test_samples_that_make_up_for_each_other_are_found_and_others_are_not() -> None:
    drawn = np.random.default_rng(4).uniform(80, 250, (100, 60))
    tied = drawn * np.where(np.arange(100) < 50, 120, 170)[:, None] / drawn.mean(axis=1, keepdims=True)
    shares = []
    for latency in (tied, drawn):
        near, far = halves(latency)
        (risk,) = found(near, far, attack="together", accept=[5])
        shares.append(risk.value)
    assert shares[0] > 0.5
    assert shares[1] < 0.15  # five of a hundred by chance


def typing_of(sessions: list[int]) -> TypedEvents:
    """Two keys in every session."""
    owner = np.repeat(np.arange(len(sessions)), sessions)
    rows = 2 * len(owner)
    values: dict[str, Any] = {
        "student": np.repeat(owner, 2),
        "session": np.repeat(np.arange(len(owner)), 2),
        "key": np.zeros(rows, dtype=np.int64),
        "latency": np.tile([100.0, np.nan], len(owner)),
        "hold": np.full(rows, 80.0),
        "keys": np.array(["a"]),
        "kinds": np.zeros(1, dtype=np.int64),
    }
    return TypedEvents(**values)


def test_a_number_of_sessions_finds_whoever_alone_has_it() -> None:
    attackers = Attackers(within=[1], seed=0)
    (alone,) = known_sessions(typing_of([1, 2, 3, 4]), typing_of([1, 2, 3, 4]), attackers)
    assert alone.value == 1.0 and alone.gate is None
    (alike,) = known_sessions(typing_of([3, 3, 3, 3]), typing_of([3, 3, 3, 3]), attackers)
    assert alike.value == pytest.approx(0.25)
