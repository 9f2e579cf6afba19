"""The share of drawn sessions: chosen on a curve through all that were tried, judged on other draws."""

import math
from dataclasses import replace

import numpy as np
import pytest

from sharewell.contract import Risk
from sharewell.keystrokes.kind import found_within
from sharewell.keystrokes.protection import judging
from sharewell.keystrokes.protection.along_lots import OFTEN, ExpectedShares, left_by_lots

SESSIONS, CHANCE, LIMIT, SCATTER = 15, 0.05, 0.10, 0.021
STRAYS = (0.0, 0.3, 0.5, 0.7, 0.9)


def found(stray: float, seed: int, draws: int = 45, told: float = 0.05, n: int = 200) -> list[list[Risk]]:
    """Draws on which one attack finds as many as two classes under lots let, give or take chance."""
    generator = np.random.default_rng(seed)
    mean = CHANCE + told * left_by_lots(stray, SESSIONS)
    shares = mean + SCATTER * generator.standard_normal(draws)
    setting = {"within": 10, "reference": "raw"}
    return [[Risk(measure=found_within(10), attacker="fusion", value=one, n=n, setting=setting)] for one in shares]


def expected(tried: dict[float, list[list[Risk]]]) -> ExpectedShares:
    return ExpectedShares(tried=tried, sessions=SESSIONS, chance=CHANCE, limit=LIMIT, judged_on=45, keys_judged_on=15)


def test_lots_leave_all_or_nothing_and_less_to_who_sees_less() -> None:
    assert left_by_lots(0.0, SESSIONS) == 1 and left_by_lots(1.0, SESSIONS) == pytest.approx(0)
    falling = [left_by_lots(one, SESSIONS) for one in np.linspace(0, 1, 21)]
    assert (np.diff(falling) <= 0).all()
    assert left_by_lots(0.5, SESSIONS / 2) < left_by_lots(0.5, SESSIONS)
    assert left_by_lots(0.2, SESSIONS, classes=5) < 0.95 < left_by_lots(0.2, SESSIONS)


def test_a_curve_through_several_shares_is_surer_than_each() -> None:
    every = expected({stray: found(stray, seed) for seed, stray in enumerate(STRAYS)})
    value, error = every.strongest(0.5)
    assert value == pytest.approx(CHANCE + 0.05 * left_by_lots(0.5, SESSIONS), abs=3 * error)
    assert error < 0.75 * SCATTER / math.sqrt(45)


def test_more_lots_are_never_less_sure_and_what_meets_holds_on_other_draws() -> None:
    within = []
    for seed in range(100):
        seen = expected({stray: found(stray, 10 * seed + place) for place, stray in enumerate(STRAYS)})
        sure = [seen.sureness(one) for one in STRAYS]
        assert (np.diff(sure) >= -1e-9).all()
        taken = next(one for one in np.linspace(0, 1, 21) if seen.meets(float(one)))
        (judged,) = judging.averaged(found(float(taken), 10_000 + seed))
        within.append(judging.is_within(LIMIT, judged))
    assert np.mean(within) >= OFTEN


def test_a_lucky_draw_does_not_hide_what_classes_tell() -> None:
    """Five classes of 200 let a list of ten find a quarter: at a limit of a quarter lots must hide some of them."""
    lucky = {0.0: found(0.0, 1, told=0.18)}  # .23 on the draws that choose
    five = replace(expected(lucky), limit=0.25, classes=5)
    four = replace(expected(lucky), limit=0.25, classes=4)
    assert not five.meets(0.0) and five.strongest(0.0)[0] == pytest.approx(0.25)
    assert five.meets(0.2) and four.meets(0.0)


@pytest.mark.parametrize(("told", "clear"), [(0.0, True), (0.05, False), (0.15, True)])
def test_a_judgement_is_over_where_it_is_far_within_the_limit_or_far_beyond(told: float, clear: bool) -> None:
    assert judging.settled(LIMIT, judging.averaged(found(0.0, 3, told=told))) is clear
