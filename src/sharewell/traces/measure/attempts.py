"""Whom an attack is tried on, how often, and from which seed its draws come."""

from dataclasses import dataclass

import numpy as np

from sharewell.traces.arrays import Array

TRIES = 6_000  # attempts of one attacker: a share is known to about one percent
MOST_REPEATS = 100
EVERYONE = 3_000  # students up to whom each is attacked
SAMPLE = 600  # students of a larger log, each attacked once: a share is known to about two percent


@dataclass(frozen=True, kw_only=True)
class Attempts:
    """`tries` over all students, from `seed`. Search and gate use different seeds: one chooses, the other judges."""

    seed: int
    tries: int = TRIES

    def of(self, present: Array, among: int) -> tuple[Array, Array]:
        """The targets of all attempts and the number of each attempt on its target; `among` so many students."""
        chosen = self.sampled(present, among)
        most = MOST_REPEATS if len(chosen) == among else 1
        repeats = min(most, max(1, self.tries // max(1, len(chosen))))
        return np.tile(chosen, repeats), np.repeat(np.arange(repeats), len(chosen))

    def sampled(self, present: Array, among: int) -> Array:
        """Every student of the release, or a sample of a large one; fewer than there are have been sampled before."""
        return present if len(present) < among else present[self.ranks(among)]

    def ranks(self, among: int) -> Array:
        """Which students of a release are attacked, by their place among those who are in it."""
        if among <= EVERYONE:
            return np.arange(among)
        return np.sort(np.random.default_rng(self.seed).choice(among, SAMPLE, replace=False))
