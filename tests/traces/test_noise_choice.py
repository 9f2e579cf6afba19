"""The noise of invented students: chosen on a curve through all that was tried, judged on other draws."""

from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest

from sharewell.contract import Risk
from sharewell.lab.membership import AUC, STRONGEST
from sharewell.lab.strength_curve import Tried, fitted, left_by
from sharewell.traces.kind import GUESS
from sharewell.traces.measure.copies import DOUBLE
from sharewell.traces.protection.calendar import _periods
from sharewell.traces.protection.learnt_numbers import Learning, circle, counted
from sharewell.traces.protection.noise_choice import least_noise
from sharewell.traces.protection.synthetic import NOISES, Invention

SLOPE, ERROR, LIMIT = 0.15, 0.0045, 0.55  # an attack as on a course of three hundred, judged on as many splits


def seen(noise: float, generator: np.random.Generator) -> float:
    return 0.5 + SLOPE * left_by(noise) + ERROR * float(generator.standard_normal())


def planted(seed: int) -> Invention:
    """A log whose one attack is known: a value that falls with noise, give or take the scatter of splits."""
    generator = np.random.default_rng(seed)

    def tried(noise: float) -> list[Risk]:
        value = seen(noise, generator)
        auc = {"measure": AUC, "value": value, "high": value + 1.96 * ERROR, "n": 1}
        double = Risk(measure=GUESS, attacker=DOUBLE, value=0.01, high=0.02, n=1)
        return [Risk(attacker=name, **cast(Any, auc)) for name in (STRONGEST, "tracing")] + [double]

    return cast(
        Invention,
        SimpleNamespace(
            noises=NOISES, tried=tried, limits={"membership": LIMIT, "guess": 0.2}, tried_on=46, repeats=46
        ),
    )


def test_a_curve_through_several_noises_is_surer_than_each() -> None:
    tried = [Tried(left=left_by(noise), value=0.5 + SLOPE * left_by(noise), error=ERROR) for noise in (2.0, 4.0, 5.0)]
    value, error = fitted(tried, chance=0.5, doubt=0.01).at(left_by(4.0))
    assert value == pytest.approx(0.5 + SLOPE * left_by(4.0))
    assert error < 0.75 * ERROR


def test_an_attack_never_gains_by_noise() -> None:
    tried = [Tried(left=left_by(2), value=0.49, error=0.01), Tried(left=left_by(6), value=0.53, error=0.01)]
    along = fitted(tried, chance=0.5, doubt=1)
    assert along.at(left_by(1.0))[0] == pytest.approx(along.at(left_by(9.0))[0])


def test_what_is_chosen_holds_on_other_draws_and_costs_little() -> None:
    """Nearly all fresh judgements hold, and the noise is little more than one who knew the curve would take."""
    known = next(noise for noise in NOISES if 0.5 + SLOPE * left_by(noise) + (2 + 1.96) * ERROR <= LIMIT)
    noises = [least_noise(planted(seed))[0].strength for seed in range(200)]
    generator = np.random.default_rng(1)
    held = [seen(noise, generator) + 1.96 * ERROR <= LIMIT for noise in noises]
    assert np.mean(held) > 0.95
    assert known <= np.median(noises) <= 1.35 * known
    assert np.max(noises) < 2.5 * known


def test_the_chosen_noise_stands_on_the_curve() -> None:
    choice, points = least_noise(planted(3))
    assert choice.accepted and [point.strength for point in points if point.chosen] == [choice.strength]
    assert [point.strength for point in points] == sorted(point.strength for point in points)


def test_slow_waves_are_learnt_whole_and_with_fewer_numbers() -> None:
    wave = circle(24, 3)
    assert wave @ wave.T == pytest.approx(np.eye(7))
    hours = np.repeat(np.arange(24), (20 + 10 * np.cos(2 * np.pi * np.arange(24) / 24)).astype(int))
    table = counted(np.arange(hours.size) % 50, hours, 50, 24)
    found = Learning(noise=0.0, m=5, generator=np.random.default_rng(0)).waves(table, 3)
    assert found == pytest.approx(np.bincount(hours), abs=1)


@pytest.mark.parametrize(("students", "most"), [(100, 14), (200, 28), (3_000, 100)])
def test_small_courses_learn_longer_periods(students: int, most: int) -> None:
    period = _periods(np.arange(700), students)
    assert period[0] == 0 and (np.diff(period) >= 0).all()
    assert most / 2.1 <= period[-1] + 1 <= most + 1
