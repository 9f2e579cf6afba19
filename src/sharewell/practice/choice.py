"""How much of the budget of an audience a course can spend: less where an attack on all files would miss its limit."""

import math
from collections.abc import Mapping

from sharewell.contract import Risk
from sharewell.lab.membership import AUC
from sharewell.lab.threads import one_thread
from sharewell.practice.attack import CourseRehearsals, rehearsed
from sharewell.practice.course import WholeCourse

FIRST_LOOK = 12  # rehearsals that suggest an ε
ROOM = 1.15  # times the half width of the interval that is to come
LEAST = 0.1  # of the budget
TRIES = 4
LESS = 0.6


def least_loss(course: WholeCourse, most: float, limits: Mapping[str, float], *, seed: int) -> tuple[float, list[Risk]]:
    """Choose ε, and attack on rehearsals that did not choose it.

    What an attack gains over guessing grows about as ε does while ε is small: one look says how far to go.
    """
    epsilon = most * _share(course, most, limits, seed)
    risks: list[Risk] = []
    for number in range(TRIES):
        epsilon = float(f"{epsilon:.2g}")
        risks = rehearsed(course, epsilon, limits, seed=seed + 1_000 * (number + 1))
        if all(risk.holds is not False for risk in risks):
            break
        epsilon = epsilon * LESS
    return epsilon, risks


def _share(course: WholeCourse, most: float, limits: Mapping[str, float], seed: int) -> float:
    """The part of the budget at which the AUC is expected to meet its limit with its whole interval."""
    judge = CourseRehearsals(course=course, epsilon=most, seed=seed)
    with one_thread():
        judge.make(0, FIRST_LOOK)
        found = [risk for risk in judge.risks() if risk.measure == AUC and "attack" in risk.setting]
    gained = max(found[0].value - 0.5, 1e-6)
    inside = judge.some.size / 2
    half = 2 * math.sqrt((2 / inside) / 12 / judge.repeats)
    return min(1.0, max(LEAST, (limits["membership"] - 0.5 - ROOM * half) / gained))
