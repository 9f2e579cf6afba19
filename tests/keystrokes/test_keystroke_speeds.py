"""Speeds leave as those of a few classes, blurred anew for every session, and what sessions alone tell is measured."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sharewell.keystrokes.arrays import Typing
from sharewell.keystrokes.measure.known_sessions import known_sessions
from sharewell.keystrokes.measure.measuring import Attackers
from sharewell.keystrokes.protection.rhythm_draws import at_class_speed, class_scores


@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 10_000), students=st.integers(10, 300), classes=st.integers(1, 5))
def test_a_class_is_all_that_is_left_of_a_speed_and_keeps_the_order(seed: int, students: int, classes: int) -> None:
    speed = np.random.default_rng(seed).lognormal(5, 0.3, students)
    score = class_scores(speed, classes)
    assert 1 <= len(np.unique(score)) <= classes
    assert (np.diff(score[np.argsort(speed)]) >= 0).all()


def test_somebody_who_knows_every_speed_finds_no_more_than_the_classes_let() -> None:
    speed = np.random.default_rng(1).lognormal(5, 0.3, 200)
    for classes in (2, 5):
        score = class_scores(speed, classes)
        together = (score[:, None] == score[None, :]).sum(axis=1)
        found = np.minimum(10 / together, 1.0).mean()  # ten of those who look alike, drawn blindly
        assert found <= 10 * classes / 200 + 1e-9
    assert np.corrcoef(speed, class_scores(speed, 2))[0, 1] > 0.75
    assert np.corrcoef(speed, class_scores(speed, 5))[0, 1] > 0.93


@settings(max_examples=30, deadline=None)
@given(seed=st.integers(0, 10_000), students=st.integers(2, 40))
def test_every_student_of_a_class_types_at_its_mean_speed(seed: int, students: int) -> None:
    generator = np.random.default_rng(seed)
    student = np.repeat(np.arange(students), 50)
    latency = np.append(generator.uniform(100, 300, student.size - 1), np.nan)
    latency[3] = 60_000.0  # a pause stays as it is
    score = generator.choice([-0.5, 0.9], students)
    after = at_class_speed(student, latency, score)
    rhythm = latency <= 750
    means = np.bincount(student[rhythm], after[rhythm]) / np.bincount(student[rhythm])
    for one in np.unique(score):
        np.testing.assert_allclose(means[score == one], means[score == one][0])
    assert after[3] == 60_000.0 and np.isnan(after[-1])


def typing_of(sessions: list[int]) -> Typing:
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
    return Typing(**values)


def test_a_number_of_sessions_finds_whoever_alone_has_it() -> None:
    attackers = Attackers(within=[1], seed=0)
    (alone,) = known_sessions(typing_of([1, 2, 3, 4]), typing_of([1, 2, 3, 4]), attackers)
    assert alone.value == 1.0 and alone.gate is None
    (alike,) = known_sessions(typing_of([3, 3, 3, 3]), typing_of([3, 3, 3, 3]), attackers)
    assert alike.value == pytest.approx(0.25)
