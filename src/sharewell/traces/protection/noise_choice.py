"""How much noise: the least under which every attack is expected to stay within its limit on splits that chose nothing.

Attacks scatter from one set of splits to the next, and one set for every noise would let luck choose. What an attack
reaches falls smoothly with noise, so that one curve through all noises that were tried says more than each of them
(see `stats.along_strength`). Every noise is tried on splits of its own, the next one where the curves so far meet the
limits; the choice is judged on others.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace

from sharewell.contract import CurvePoint, Measure, Risk
from sharewell.stats.along_strength import Along, Tried, fitted, left_by
from sharewell.stats.membership import AUC, STRONGEST, TPR
from sharewell.stats.over_splits import SIDES, room_for
from sharewell.traces.kind import GUESS
from sharewell.traces.measure.copies import DOUBLE
from sharewell.traces.protection.synthetic import Invention, gate_of

FIRST = 4.0  # noise that most courses need about
MOST_TRIES = 3
ROOMS = 2.0  # standard errors between what is expected and the limit: at one, a sixth of the releases would be refused
NEAR = 0.5  # a noise so near to one that was tried needs no try of its own
CHANCE = {AUC: (0.5, 0.01), TPR: (0.01, 0.004), GUESS: (0.0, 0.01)}  # under endless noise, and how far it may be off
Attack = tuple[str, Measure]


def least_noise(asked: Invention) -> tuple[float, tuple[CurvePoint, ...]]:
    """The least noise that is expected to meet every limit, the most where none does; and what was tried."""
    tried: dict[float, list[Risk]] = {}
    best = min(asked.noises, key=lambda noise: abs(noise - FIRST))
    while len(tried) < MOST_TRIES and not any(abs(best - noise) <= NEAR for noise in tried):
        tried[best] = asked.tried(best)
        expected = Expected(asked, tried)
        best = next((noise for noise in sorted(asked.noises) if expected.meets(noise)), max(asked.noises))
    points = {noise: _point(risks, noise, meets=expected.meets(noise)) for noise, risks in tried.items()}
    if best not in points:
        points[best] = expected.point(best)
    told = (replace(points[noise], chosen=noise == best and points[noise].meets) for noise in sorted(points))
    return best, tuple(told)


@dataclass(frozen=True)
class Expected:
    """What every attack that is held to a limit is expected to reach, from all that was tried."""

    asked: Invention
    tried: Mapping[float, list[Risk]]

    def meets(self, noise: float) -> bool:
        """Whether other splits will see every attack within its limit, in nearly all cases."""
        return all(self._end(attack, noise) <= limit for attack, limit in self._held().items())

    def point(self, noise: float) -> CurvePoint:
        """A noise that was not tried itself."""
        auc = max(self.along((name, measure)).at(left_by(noise))[0] for name, measure in self._held() if measure == AUC)
        value, error = self.along((DOUBLE, GUESS)).at(left_by(noise))
        return CurvePoint(
            label=f"invented students, noise {noise:g} (AUC {auc:.3f} expected)", strength=noise, utility=0.0,
            risk=max(value, 0.0), low=max(value - SIDES * error, 0.0), high=max(value + SIDES * error, 0.0),
            meets=self.meets(noise),
        )  # fmt: skip

    def along(self, attack: Attack) -> Along:
        chance, doubt = CHANCE[attack[1]]
        seen = [
            Tried(left=left_by(noise), value=risk.value, error=half_width(risk) / SIDES)
            for noise, risk in self._of(attack)
        ]
        return fitted(seen, chance=chance, doubt=doubt)

    def _end(self, attack: Attack, noise: float) -> float:
        """The upper end on other splits: their own half width, and room for the scatter of both."""
        value, error = self.along(attack).at(left_by(noise))
        nearest = min(self._of(attack), key=lambda seen: abs(seen[0] - noise))[1]
        judged = half_width(nearest) * math.sqrt(self.asked.tried_on / self.asked.repeats)
        return value + judged + ROOMS * room_for(SIDES * error, judged)

    def _of(self, attack: Attack) -> list[tuple[float, Risk]]:
        return [
            (noise, risk)
            for noise, risks in self.tried.items()
            for risk in risks
            if (risk.attacker, risk.measure) == attack
        ]

    def _held(self) -> dict[Attack, float]:
        """Every attack with a limit, but for the name of the strongest: it is one of them."""
        return {
            (risk.attacker, risk.measure): self.asked.limits[gate]
            for risks in self.tried.values()
            for risk in risks
            if risk.attacker != STRONGEST and (gate := gate_of(risk)) and gate in self.asked.limits
        }


def half_width(risk: Risk) -> float:
    return (risk.value if risk.high is None else risk.high) - risk.value


def _point(risks: list[Risk], noise: float, *, meets: bool) -> CurvePoint:
    """Every attack at one strength, on splits made for choosing."""
    auc = next(risk for risk in risks if risk.attacker == STRONGEST and risk.measure == AUC)
    double = next(risk for risk in risks if risk.attacker == DOUBLE)
    return CurvePoint(
        label=f"invented students, noise {noise:g} (AUC {auc.value:.3f})",
        strength=noise, risk=double.value, low=double.low, high=double.high, utility=0.0, meets=meets,
    )  # fmt: skip
