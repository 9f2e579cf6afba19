"""What an attack came to: how often each student was left alone, and how often a guess would be right."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from sharewell.contract import Risk
from sharewell.stats.intervals import bootstrap_mean, bootstrap_share
from sharewell.traces.arrays import Array
from sharewell.traces.kind import EXPOSED, GUESS, UNICITY

DIGITS = 9  # a mean of fifths is a fifth: rounding errors must not decide at a gate


@dataclass(frozen=True, kw_only=True)
class Found:
    """Sums over the attempts on each student: `alone` (nobody else fits), `right` (1 / candidates, if right), `tries`.

    `certain` says that nothing was drawn: everyone was attacked once, with all that the attacker knows.
    """

    alone: Array
    right: Array
    tries: Array
    certain: bool = False

    @property
    def share_alone(self) -> float:
        return float(self.alone.sum() / max(1, self.tries.sum()))

    @property
    def chances(self) -> Array:
        """The chance of a right guess for each student who was attacked."""
        tried = self.tries > 0
        return np.asarray(self.right[tried] / self.tries[tried])

    @property
    def guess(self) -> float:
        return round(float(self.chances.mean()), DIGITS) if self.tries.any() else 0.0

    @property
    def exposed(self) -> float:
        """The chance of a right guess for the student who is easiest to find."""
        return round(float(self.chances.max(initial=0.0)), DIGITS)

    def interval_alone(self, seed: int) -> tuple[float, float]:
        if self.certain or not self.tries.any():
            return self.share_alone, self.share_alone
        return bootstrap_share(int(self.alone.sum()), int(self.tries.sum()), seed=seed)

    def interval_guess(self, seed: int) -> tuple[float, float]:
        if self.certain or not self.tries.any():
            return self.guess, self.guess
        low, high = bootstrap_mean(self.chances, seed=seed)
        return round(low, DIGITS), round(high, DIGITS)


@dataclass(frozen=True, kw_only=True)
class Told:
    """How a finding is told: who attacked, with which story, against how many students."""

    attacker: str
    story: str
    students: int
    seed: int
    setting: Mapping[str, Any]


def as_risks(found: Found, told: Told) -> list[Risk]:
    """The share left alone, the expected right guess, and the guess for the most exposed student."""
    low, high = found.interval_alone(told.seed)
    least, most = found.interval_guess(told.seed)
    n, chance = int((found.tries > 0).sum()), 1 / max(1, told.students)
    shared: dict[str, Any] = {
        "attacker": told.attacker, "n": n, "chance": chance, "setting": told.setting, "story": told.story,
        "seed": None if found.certain else told.seed,
    }  # fmt: skip
    return [
        Risk(measure=UNICITY, value=found.share_alone, low=low, high=high, **shared),
        Risk(measure=GUESS, value=found.guess, low=least, high=most, **shared),
        Risk(measure=EXPOSED, value=found.exposed, **shared),
    ]
