"""Whom an attack is tried on, how often, and from which seed its draws come."""

from dataclasses import dataclass

import numpy as np

from sharewell.traces.arrays import Array

TRIES = 6_000  # attempts of one attacker: a share is known to about one percent
MOST_REPEATS = 100
MOST_TARGETS = 2_000


@dataclass(frozen=True, kw_only=True)
class Attempts:
    """`tries` over all students, from `seed`. Search and gate use different seeds: one chooses, the other judges."""

    seed: int
    tries: int = TRIES
    most_targets: int = MOST_TARGETS

    def of(self, present: Array) -> tuple[Array, Array]:
        """The targets of all attempts and the number of each attempt on its target."""
        chosen = self.sampled(present)
        repeats = min(MOST_REPEATS, max(1, self.tries // max(1, len(chosen))))
        return np.tile(chosen, repeats), np.repeat(np.arange(repeats), len(chosen))

    def sampled(self, present: Array) -> Array:
        """Every student of the release, or a sample of a large one."""
        if len(present) <= self.most_targets:
            return present
        return np.sort(np.random.default_rng(self.seed).choice(present, self.most_targets, replace=False))
