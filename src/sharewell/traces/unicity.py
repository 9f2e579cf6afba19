"""Unicity: how few known points single a student out.

Ito, Hsu and Ogata, "Too Detailed to Share?", algorithm 1, after de Montjoye et al. 2013. Points are drawn from distinct
(student, point) pairs; a student with fewer points than the attacker wants gives away all of them.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from sharewell.results import Risk
from sharewell.stats.intervals import bootstrap_share
from sharewell.traces.attackers import Attacker, draw
from sharewell.traces.log import Log
from sharewell.traces.matching import company


@dataclass(frozen=True, kw_only=True)
class Alone:
    """How often each student was singled out: `hits[position of known, student]` of `tries[student]` draws."""

    known: tuple[int, ...]
    hits: np.ndarray
    tries: np.ndarray

    def totals(self, position: int) -> tuple[int, int]:
        return int(self.hits[position].sum()), int(self.tries.sum())

    def chances(self, position: int) -> np.ndarray:
        """The chance of each student who was tried to be singled out."""
        tried = self.tries > 0
        return self.hits[position, tried] / self.tries[tried]


def measure(
    log: Log,
    who: Attacker,
    *,
    known: Sequence[int],
    repeats: int = 10,
    sample: int | None = None,
    seed: int = 0,
) -> Alone:
    """Algorithm 1 for all numbers of known points at once, over every student or a fresh sample in each repeat."""
    present = np.flatnonzero(log.lengths)
    hits, tries = np.zeros((len(known), log.students), np.int32), np.zeros(log.students, np.int32)
    for repeat in range(repeats):
        targets = sampled(present, sample, seed, repeat)
        tries[targets] += 1
        for position, alone in enumerate(_alone(log, who, targets, known, seed, repeat)):
            hits[position, targets] += alone
    return Alone(known=tuple(known), hits=hits, tries=tries)


def sampled(present: np.ndarray, sample: int | None, seed: int, repeat: int) -> np.ndarray:
    if sample is None or sample >= len(present):
        return present
    generator = np.random.default_rng([seed, repeat])
    return np.sort(generator.choice(present, sample, replace=False))


def _alone(
    log: Log, who: Attacker, targets: np.ndarray, known: Sequence[int], seed: int, repeat: int
) -> list[np.ndarray]:
    """For each number of known points: which targets nobody else shares them with."""
    if not who.nested:
        return [_fewer(log, draw(log, who, targets, k, seed=seed, repeat=repeat), targets, [k])[0] for k in known]
    return _fewer(log, draw(log, who, targets, max(known), seed=seed, repeat=repeat), targets, known)


def _fewer(log: Log, drawn: np.ndarray, targets: np.ndarray, known: Sequence[int]) -> list[np.ndarray]:
    deepest = company(log.shared, log.holders, targets, drawn)
    return [deepest < np.minimum(k, log.lengths[targets]) for k in known]


def as_risks(log: Log, alone: Alone, who: Attacker, *, name: str = "unicity", seed: int, repeats: int) -> list[Risk]:
    """One risk per number of known points, with its interval and the spread over students."""
    risks = []
    for position, known in enumerate(alone.known):
        hits, tries = alone.totals(position)
        low, high = bootstrap_share(hits, tries, seed=seed)
        short = int((log.lengths[alone.tries > 0] < known).sum())
        chances = alone.chances(position)
        risks.append(
            Risk(
                name=name,
                attacker=who.name,
                value=hits / tries,
                low=low,
                high=high,
                chance=1 / log.students,
                n=int((alone.tries > 0).sum()),
                seed=seed,
                setting={
                    "known": known,
                    "window": log.window.label,
                    "also": list(log.also),
                    "repeats": repeats,
                    "fewer_points": short,
                    "always_alone": float((chances == 1).mean()),
                    "never_alone": float((chances == 0).mean()),
                },
                story=who.story.format(known=known),
            )
        )
    return risks
