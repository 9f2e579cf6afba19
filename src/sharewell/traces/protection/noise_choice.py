"""How much noise invented students need: the least with which every attack is expected to stay within its limits.

The search is that of every kind that invents (see `lab.least`). Every noise is tried on splits of its own, the choice
is judged on others.
"""

from dataclasses import replace

from sharewell.contract import CurvePoint, Risk
from sharewell.lab.least import Choice, Race
from sharewell.lab.membership import AUC, STRONGEST, TPR
from sharewell.traces.kind import GUESS
from sharewell.traces.measure.copies import DOUBLE
from sharewell.traces.protection.synthetic import Invention, gate_of

START = 4.0  # noise that most courses need about
ROOMS = 2.0  # standard errors between what is expected and the limit: at one, a sixth of the releases would be refused
CHANCE = {AUC: (0.5, 0.01), TPR: (0.01, 0.004), GUESS: (0.0, 0.01)}  # under endless noise, and how far it may be off


def least_noise(asked: Invention) -> tuple[Choice, tuple[CurvePoint, ...]]:
    """The least noise that meets every limit, or the most, which then is not accepted; and what was tried."""

    def look(noise: float, draws: int) -> list[Risk]:
        limited = [(risk, asked.limits.get(gate_of(risk) or "")) for risk in asked.tried(noise)]
        return [risk if risk.attacker == STRONGEST else replace(risk, limit=limit) for risk, limit in limited]

    race = Race(
        strengths=tuple(sorted(asked.noises)),
        first=asked.tried_on,
        draws=asked.tried_on,
        judged_on=asked.repeats,
        rooms=ROOMS,
        chance=CHANCE,
    )
    choice = race.least(look, start=START)
    points = (
        replace(_point(seen.risks, noise), meets=choice.meets[noise], chosen=choice.chose(noise))
        for noise, seen in sorted(choice.tried.items())
    )
    return choice, tuple(points)


def _point(risks: tuple[Risk, ...], noise: float) -> CurvePoint:
    """Every attack at one strength, on splits made for choosing."""
    auc = next(risk for risk in risks if risk.attacker == STRONGEST and risk.measure == AUC)
    double = next(risk for risk in risks if risk.attacker == DOUBLE)
    return CurvePoint(
        label=f"invented students, noise {noise:g} (AUC {auc.value:.3f})",
        strength=noise, risk=double.value, low=double.low, high=double.high, utility=0.0, meets=False,
    )  # fmt: skip
