"""What every attack will find along the share of drawn sessions: one curve through all shares that were tried.

One share judged by its own few draws would let luck choose: the strongest of some forty attacks is told too high by
what chance moves their means by. What lots leave falls smoothly (see `lab.strength_curve`). Someone who sees n
sessions of a student, a share s of them at the speed of a class drawn by lot, tells the class by their mean. It follows
the class by 1 − s, and each session scatters by √(1 − (1 − s)²): beyond chance the class is told rightly in
2Φ(√n·(1 − s)/√(1 − (1 − s)²)) − 1 of all cases. That is for two classes; k evenly spaced ones lie nearer to each other,
by √(3/(k² − 1)) for the same spread of all, so that fewer lots hide which it is. And whoever tells the class finds
k times what chance does, before any attack was tried: with five classes a list of ten finds a quarter of 200 students.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from scipy.special import ndtr

from sharewell.contract import Risk
from sharewell.keystrokes.arrays import Array
from sharewell.keystrokes.kind import OVER_VERSIONS
from sharewell.keystrokes.protection import judging
from sharewell.lab.strength_curve import LEAST_ERROR, Along, Tried, fitted

OFTEN = 5 / 6  # of judgements on fresh draws, in which the interval of every attack shall be within the limit
CLEAR = 0.999  # of judgements in which one attack is: more draws of it would not move the choice
DOUBT = 0.02  # how far an attack may be off chance where lots leave nothing: keys and sizes tell a little as well
Draws = Sequence[Sequence[Risk]]


def left_by_lots(stray: float, sessions: float, classes: int = 2) -> float:
    """What a share of drawn sessions leaves of one of several classes to someone who sees so many sessions."""
    follows = 1 - stray
    if stray == 0:
        return 1.0
    apart = math.sqrt(3 / (max(classes, 2) ** 2 - 1))
    return float(2 * ndtr(apart * math.sqrt(sessions) * follows / math.sqrt(1 - follows**2)) - 1)


@dataclass(frozen=True, kw_only=True)
class ExpectedShares:
    """What fresh draws are expected to show, from all draws that were made for choosing."""

    tried: Mapping[float, Draws]  # by the share of drawn sessions
    sessions: float  # of a usual student
    chance: float
    limit: float
    judged_on: int  # draws
    keys_judged_on: int  # of several versions each
    classes: int = 2  # of speeds

    def meets(self, stray: float) -> bool:
        return self.sureness(stray) >= OFTEN

    def sureness(self, stray: float) -> float:
        """How often fresh draws will show the interval of every attack within the limit, at least."""
        return math.prod(self._within(*one) for one in self._found(stray))  # attacks go with each other

    def in_doubt(self, stray: float) -> set[tuple[Any, ...]]:
        """Name the attacks near enough to the limit to decide (see `attack_of`)."""
        each = zip(self._attacks, self._found(stray), strict=False)  # the class alone is no attack
        return {attack.name for attack, one in each if self._within(*one) < CLEAR}

    def _within(self, value: float, error: float, scatter: float, draws: int) -> float:
        room = judging.half_width(scatter, draws, judging.missed(draws, judging.looks(draws)))
        return float(ndtr((self.limit - value - room) / math.hypot(error, scatter / math.sqrt(draws), LEAST_ERROR)))

    def strongest(self, stray: float) -> tuple[float, float]:
        """The largest share that an attack is expected to find, and its standard error."""
        value, error, *_ = max(self._found(stray))
        return value, error

    def _found(self, stray: float) -> list[tuple[float, float, float, int]]:
        """Per attack: the mean along its curve, the standard error of that, the scatter of draws, and how many judge.

        Beside them an attacker who sees nothing but the class: no few draws may say that less than this is found.
        """
        found = [
            (*one.along.at(left_by_lots(stray, one.sessions, self.classes)), one.scatter, self._judge(one.name))
            for one in self._attacks
        ]
        if self.classes == 1:
            return found
        scatter = float(np.median([scatter for _, _, scatter, _ in found]))
        return [*found, (self.class_alone(stray), 0.0, scatter, self.judged_on)]

    def class_alone(self, stray: float) -> float:
        """Compute what an attacker finds who sees nothing but the class of a student's sessions."""
        more = min(1.0, self.classes * self.chance) - self.chance
        return self.chance + more * left_by_lots(stray, self.sessions, self.classes)

    def _judge(self, name: tuple[Any, ...]) -> int:
        return self.keys_judged_on if name[0] == OVER_VERSIONS.id else self.judged_on

    @cached_property
    def _attacks(self) -> list["_Attack"]:
        found: dict[tuple[Any, ...], dict[float, list[float]]] = {}
        for stray, draws in self.tried.items():
            for risk in (one for risks in draws for one in risks):
                found.setdefault(judging.attack_of(risk), {}).setdefault(stray, []).append(risk.value)
        return [
            self._attack(name, {stray: np.array(one) for stray, one in seen.items()}) for name, seen in found.items()
        ]

    def _attack(self, name: tuple[Any, ...], seen: Mapping[float, Array]) -> "_Attack":
        """Its scatter is taken from all shares together: a few draws of one hardly tell it."""
        freedom = max(sum(len(one) - 1 for one in seen.values()), 1)
        scatter = math.sqrt(sum(float(((one - one.mean()) ** 2).sum()) for one in seen.values()) / freedom)
        sessions = self.sessions / 2 if ("reference", "protected") in name else self.sessions
        tried = [
            Tried(
                left=left_by_lots(stray, sessions, self.classes),
                value=float(one.mean()),
                error=scatter / math.sqrt(len(one)),
            )
            for stray, one in seen.items()
        ]
        return _Attack(name, fitted(tried, chance=self.chance, doubt=DOUBT), sessions, scatter)


@dataclass(frozen=True)
class _Attack:
    name: tuple[Any, ...]
    along: Along
    sessions: float  # that it compares with what is known
    scatter: float  # from one draw to the next
