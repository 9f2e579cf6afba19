"""The least strength is searched between its points by few draws, and judged by intervals that may be looked at."""

import math

import numpy as np
import pytest

from sharewell.contract import Risk
from sharewell.lab.judges import judged, looks
from sharewell.lab.least import Choice, Race, not_accepted, scale
from sharewell.lab.membership import AUC
from sharewell.lab.splits import SIDES
from sharewell.lab.strength_curve import left_by
from sharewell.stats.arrays import Array

LIMIT, DRAW, CHOOSING, JUDGING = 0.55, 0.042, 40, 60  # a log of three hundred: one split scatters by .042
STRENGTHS = (0.0, *scale(0.25, 20.0))
SHARES = (1.0, 0.6, 0.1, 0.1)  # of the strongest attack's success


class Planted:
    """Attacks that fall with strength in a curve; half of their scatter belongs to splits that strengths share."""

    def __init__(self, slope: float, bent: float, seed: int) -> None:
        self.slope, self.bent, self.generator = slope, bent, np.random.default_rng(seed)
        self.shared = self.generator.standard_normal((len(SHARES), CHOOSING))
        self.own: dict[float, Array] = {}
        self.draws = 0

    def true(self, strength: float) -> float:
        left = left_by(strength)
        return 0.5 + self.slope * (left + self.bent * left**2)

    def look(self, strength: float, draws: int) -> list[Risk]:
        if strength not in self.own:
            self.own[strength] = self.generator.standard_normal(self.shared.shape)
        self.draws += draws
        scatter = DRAW * (self.shared + self.own[strength])[:, :draws] / math.sqrt(2)
        found = []
        for name, share in enumerate(SHARES):
            values = 0.5 + share * (self.true(strength) - 0.5) + scatter[name]
            half = SIDES * max(float(values.std(ddof=1)), DRAW) / math.sqrt(draws)
            mean = float(values.mean())
            found.append(Risk(measure=AUC, attacker=f"{name}", value=mean, high=mean + half, n=1, limit=LIMIT))
        return found

    def choice(self) -> Choice:
        race = Race(
            strengths=STRENGTHS, first=16, draws=CHOOSING, judged_on=JUDGING, rooms=1.0, chance={AUC: (0.5, 0.01)}
        )  # fmt: skip
        return race.least(self.look, start=4.0)


@pytest.mark.parametrize("slope", [0.06, 0.13, 0.2])
@pytest.mark.parametrize("bent", [0.0, 1.0])
def test_the_choice_lies_between_the_points_holds_on_other_draws_and_costs_little(slope: float, bent: float) -> None:
    """Nearly all fresh judges pass it, with little more strength than whoever knew the curve would take."""
    half = SIDES * DRAW / math.sqrt(JUDGING)
    planted = [Planted(slope, bent, seed) for seed in range(40)]
    choices = [one.choice() for one in planted]
    strengths = np.array([choice.strength for choice in choices])
    known = next(strength for strength in STRENGTHS if planted[0].true(strength) + half <= LIMIT)
    assert all(choice.accepted for choice in choices)
    assert known <= np.median(strengths) <= 1.7 * known and strengths.max() < 20
    generator = np.random.default_rng(1)
    held = [one.true(choice.strength) + half + half / SIDES * generator.standard_normal() <= LIMIT
            for one, choice in zip(planted, choices, strict=True)]  # fmt: skip
    assert np.mean(held) >= 5 / 6
    assert np.mean([one.draws for one in planted]) <= 4 * CHOOSING


def test_what_needs_no_protection_gets_none() -> None:
    assert Planted(0.0, 0.0, 1).choice().strength <= 0.25


def test_where_nothing_meets_the_limit_the_greatest_is_named_and_not_accepted() -> None:
    planted = Planted(2.0, 0.0, 2)
    choice = planted.choice()
    assert choice.strength == STRENGTHS[-1] and not choice.accepted and not any(choice.meets.values())
    assert choice.tried[choice.strength].draws == CHOOSING and len(choice.tried) <= 3
    advice = not_accepted(choice.strength)
    assert advice.holds is False and advice.gate is None and "20" in advice.story


def test_what_is_accepted_was_looked_at_in_full() -> None:
    for seed in range(20):
        choice = Planted(0.2, 0.5, seed).choice()
        assert choice.tried[choice.strength].draws == CHOOSING and choice.meets[choice.strength]


@pytest.mark.parametrize("true", [0.49, 0.52, 0.531, 0.54, 0.56, 0.6])
def test_intervals_of_a_judge_who_may_stop_cover_the_truth_as_often_as_they_say(true: float) -> None:
    """Whoever stops when the interval lies within the limit would, with the usual interval, be wrong more often."""
    covered, spent = [], []
    for seed in range(2_000):
        generator = np.random.default_rng([seed, round(1000 * true)])
        values = true + DRAW * generator.standard_normal(JUDGING)
        made: list[float] = []

        def more(first: int, last: int, made: list[float] = made, values: Array = values) -> None:
            made.extend(values[first:last])

        def risks(sides: float, made: list[float] = made) -> list[Risk]:
            mean, half = float(np.mean(made)), sides * DRAW / math.sqrt(len(made))
            return [Risk(measure=AUC, attacker="one", value=mean, low=mean - half, high=mean + half, n=1)]

        (found,) = judged(JUDGING, more, risks, {AUC: LIMIT})
        assert found.low is not None and found.high is not None
        covered.append(found.low <= true <= found.high)
        spent.append(len(made))
    assert np.mean(covered) >= 0.942  # two standard errors of two thousand under 95 %
    assert np.mean(spent) < JUDGING if abs(true - LIMIT) > 0.015 else np.mean(spent) <= JUDGING


def test_few_draws_are_looked_at_once_and_many_three_times() -> None:
    assert [size for size, _ in looks(60)] == [20, 40, 60] and looks(2) == [(2, SIDES)]
    assert [size for size, _ in looks(30)] == [15, 30] and all(sides >= SIDES for _, sides in looks(60))
