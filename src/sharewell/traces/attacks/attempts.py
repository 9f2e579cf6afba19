"""Whom an attack is tried on, how often, and from which seed its draws come."""

from dataclasses import dataclass

import numpy as np

from sharewell.traces.arrays import Array

MOST_REPEATS = 100
MOST_ATTACKED = 600  # students: a share is known to about two percent


@dataclass(frozen=True, kw_only=True)
class Attempts:
    """`tries` over all students, from `seed`. Search and gate use different seeds: one chooses, the other judges."""

    seed: int
    tries: int

    def targets(self, present: Array) -> Array:
        """The student of every attempt: all of a small release in turn, or a sample of a large one."""
        if len(present) > MOST_ATTACKED:
            generator = np.random.default_rng(self.seed)
            present = np.sort(generator.choice(present, MOST_ATTACKED, replace=False))
        return np.tile(present, min(MOST_REPEATS, max(1, self.tries // max(1, len(present)))))
