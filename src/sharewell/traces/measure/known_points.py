"""Unicity: how few known points single a student out.

Ito, Hsu and Ogata, "Too Detailed to Share?", algorithm 1, after de Montjoye et al. 2013. Points are drawn from distinct
(student, point) pairs; a student with fewer points than the attacker wants gives away all of them.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from sharewell.contract import Measure, Risk
from sharewell.errors import InputError
from sharewell.stats.intervals import bootstrap_share
from sharewell.traces.arrays import Array
from sharewell.traces.attacks.draws import Attacker, draw
from sharewell.traces.kind import UNICITY
from sharewell.traces.log import Log
from sharewell.traces.measure import every_choice
from sharewell.traces.measure.candidates import company

BLOCK = 500_000  # attacks at a time
FEWEST = 5  # students whose number may be said


@dataclass(frozen=True, kw_only=True)
class Alone:
    """How often each student was singled out: `hits[position of known, student]` of `tries[student]` draws.

    `certain` says that nothing was drawn: every choice was counted or searched. `open` students were not settled by the
    search for the worst case, and count as singled out.
    """

    known: tuple[int, ...]
    hits: Array
    tries: Array
    certain: bool = False
    open: tuple[int, ...] = ()

    def value(self, position: int = 0) -> float:
        return float(self.hits[position].sum() / self.tries.sum())

    def interval(self, position: int = 0, *, seed: int) -> tuple[float, float]:
        if self.certain:
            unsettled = self.open[position] / self.tries.sum() if self.open else 0.0
            return self.value(position) - unsettled, self.value(position)
        return bootstrap_share(int(self.hits[position].sum()), int(self.tries.sum()), seed=seed)

    def chances(self, position: int = 0) -> Array:
        """The chance of each student who was tried to be singled out."""
        tried = self.tries > 0
        return np.asarray(self.hits[position, tried] / self.tries[tried])


def singled_out(
    log: Log,
    who: Attacker,
    *,
    known: Sequence[int],
    repeats: int = 10,
    sample: int | None = None,
    seed: int = 0,
    count_all: bool = False,
    by_events: bool = False,
) -> Alone:
    """Algorithm 1 for all numbers of known points at once, over every student or a fresh sample in each repeat.

    `count_all` counts every choice of points instead of drawing some; the worst case is always searched for.
    `by_events` draws events as printed: a point where a student did much is drawn more often, and twice.
    """
    if who.name == "worst":
        return _worst(log, known)
    if count_all:
        return _counted(log, who, known)
    present = np.flatnonzero(log.lengths)
    hits, tries = np.zeros((len(known), log.students), np.int64), np.zeros(log.students, np.int64)
    for targets, numbers in attempts(present, repeats=repeats, sample=sample, seed=seed):
        tries += np.bincount(targets, minlength=log.students)
        rng = np.random.default_rng([seed, int(numbers[0])])
        found = (
            _alone_by_events(log, targets, known, rng) if by_events else _alone(log, who, targets, known, seed, numbers)
        )
        for position, alone in enumerate(found):
            hits[position] += np.bincount(targets[alone], minlength=log.students)
    return Alone(known=tuple(known), hits=hits, tries=tries)


def attempts(present: Array, *, repeats: int, sample: int | None, seed: int) -> Iterator[tuple[Array, Array]]:
    """The targets of all repeats with the number of their repeat, in blocks: everyone, or a fresh sample each time."""
    block = max(1, BLOCK // max(1, len(present)))
    for first in range(0, repeats, block):
        numbers = range(first, min(first + block, repeats))
        targets = [_sampled(present, sample, seed, repeat) for repeat in numbers]
        yield np.concatenate(targets), np.repeat(numbers, [len(part) for part in targets])


def _sampled(present: Array, sample: int | None, seed: int, repeat: int) -> Array:
    if sample is None or sample >= len(present):
        return present
    chosen = np.random.default_rng([seed, repeat]).choice(len(present), sample, replace=False)
    return np.asarray(present[np.sort(chosen)])


def _alone(log: Log, who: Attacker, targets: Array, known: Sequence[int], seed: int, repeats: Array) -> list[Array]:
    """For each number of known points: which targets nobody else shares them with."""
    if not who.nested:
        return [_fewer(log, draw(log, who, targets, k, seed=seed, repeats=repeats), targets, [k])[0] for k in known]
    return _fewer(log, draw(log, who, targets, max(known), seed=seed, repeats=repeats), targets, known)


def _fewer(log: Log, drawn: Array, targets: Array, known: Sequence[int]) -> list[Array]:
    deepest = company(log.shared, log.holders, targets, drawn)
    return [deepest < np.minimum(k, log.lengths[targets]) for k in known]


def _alone_by_events(log: Log, targets: Array, known: Sequence[int], rng: np.random.Generator) -> Iterator[Array]:
    """For each number of known events: which targets nobody else shares all of their points with."""
    reached = np.concatenate([[0], np.cumsum(log.events, dtype=np.int64)])
    for k in known:
        drawn = np.full((targets.size, k), -1, np.int32)
        for row, target in enumerate(targets):
            first, last = reached[log.starts[target]], reached[log.starts[target + 1]]
            picks = first + rng.choice(int(last - first), min(k, int(last - first)), replace=False)
            points = np.unique(log.points[np.searchsorted(reached, picks, side="right") - 1])
            drawn[row, : points.size] = points
        yield company(log.shared, log.holders, targets, drawn) < (drawn >= 0).sum(axis=1)


def _counted(log: Log, who: Attacker, known: Sequence[int]) -> Alone:
    if who.name != "random":
        raise InputError("only the attacker 'random' can be counted out; draw the points of the others")
    present = (log.lengths > 0).astype(np.int32)
    hits = np.zeros((len(known), log.students))
    for position, k in enumerate(known):
        hits[position, present > 0] = every_choice.chances(log, k)
    return Alone(known=tuple(known), hits=hits, tries=present, certain=True)


def _worst(log: Log, known: Sequence[int]) -> Alone:
    verdicts = np.array([every_choice.worst_case(log, k) for k in known])
    present = (log.lengths > 0).astype(np.int32)
    still_open = tuple(int(row.sum()) for row in verdicts < 0)
    return Alone(known=tuple(known), hits=(verdicts != 0).astype(float), tries=present, certain=True, open=still_open)


def as_risks(log: Log, alone: Alone, who: Attacker, *, measure: Measure = UNICITY, seed: int = 0) -> list[Risk]:
    """One risk per number of known points, with its interval; `log` numbers the students as `alone` does."""
    tried = alone.tries > 0
    also = {"also": ", ".join(log.also)} if log.also else {}
    risks = []
    for position, known in enumerate(alone.known):
        low, high = alone.interval(position, seed=seed)
        story, few = who.story.format(known=known), int((log.lengths[tried] < known).sum())
        if few >= FEWEST:
            story += f" {few:,} students have fewer points and give away all of them."
        risks.append(
            Risk(
                measure=measure, attacker=who.name, value=alone.value(position), low=low, high=high,
                chance=1 / log.students, n=int(tried.sum()), seed=None if alone.certain else seed, story=story,
                setting={"known": known, "window": log.window.label, **also},
            )
        )  # fmt: skip
    return risks
