"""What an attack came to: how often each student was left alone, and how often a guess would be right."""

from dataclasses import dataclass

import numpy as np

from sharewell.stats.intervals import bootstrap_mean, bootstrap_share
from sharewell.traces.arrays import Array

DIGITS = 9  # a mean of fifths is a fifth: rounding errors must not decide at a gate


@dataclass(frozen=True, kw_only=True)
class AttemptSums:
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


def summed(students: int, targets: Array, candidates: Array, within: Array, *, certain: bool) -> AttemptSums:
    """Add up by student how many candidates remained, and whether the target was one of them."""
    right = np.where(within, 1 / np.maximum(candidates, 1), 0.0)
    alone = (within & (candidates == 1)).astype(float)
    return AttemptSums(
        alone=np.bincount(targets, weights=alone, minlength=students),
        right=np.bincount(targets, weights=right, minlength=students),
        tries=np.bincount(targets, minlength=students),
        certain=certain,
    )
