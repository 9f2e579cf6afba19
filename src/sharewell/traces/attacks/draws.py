"""Draw the points of a student that an attacker knows."""

from dataclasses import dataclass

import numpy as np

from sharewell.errors import InputError
from sharewell.stats.compiled import njit
from sharewell.stats.sampling import draw_distinct, draw_weighted, stream, uniform
from sharewell.traces.arrays import Array
from sharewell.traces.log import Log

NO_POINT = -1  # fills the places of points that a student does not have


@dataclass(frozen=True, kw_only=True)
class Attacker:
    """`exponent` weighs a point by how many students share it; None where points are not drawn one by one."""

    name: str
    story: str
    exponent: float | None = None

    @property
    def nested(self) -> bool:
        """Whether the first k points of a longer draw are a draw of k points."""
        return self.exponent is not None


ATTACKERS = {
    attacker.name: attacker
    for attacker in (
        Attacker(
            name="random",
            story="Someone happens to know {known} moments at which a student was active.",
            exponent=0.0,
        ),
        Attacker(
            name="rare",
            story="Someone noticed {known} unusual moments: those that few others share come to be known first.",
            exponent=-1.0,
        ),
        Attacker(
            name="classmate",
            story="A classmate who knows lecture and deadline times: {known} moments at which many were active.",
            exponent=1.0,
        ),
        Attacker(
            name="consecutive",
            story="Someone looked over a student's shoulder for a while: {known} points that follow one another.",
        ),
        Attacker(
            name="worst",
            story="Someone knows precisely those {known} points of a student that give the most away.",
        ),
    )
}


def attacker(name: str) -> Attacker:
    if name not in ATTACKERS:
        raise InputError(f"'{name}' is not an attacker: choose from {', '.join(ATTACKERS)}")
    return ATTACKERS[name]


def draw(log: Log, who: Attacker, targets: Array, known: int, *, seed: int, repeats: Array) -> Array:
    """Draw `known` points of each target, one row each, in the order in which they came to be known.

    `repeats` numbers the draws of a target: each (seed, target, repeat) has randomness of its own. The first k of a row
    are a draw of k points for the attackers that weigh points, so that one draw serves every smaller number. A student
    with fewer points gives all of them away.
    """
    if who.name == "consecutive":
        return _consecutive(log.starts, log.points, targets, known, seed, repeats)
    if who.exponent is None:
        raise ValueError(f"the points of the attacker '{who.name}' are searched for, not drawn")
    if who.exponent == 0.0:
        return _random(log.starts, log.points, targets, known, seed, repeats)
    weights = np.maximum(log.popularity, 1).astype(np.float64) ** who.exponent
    return _weighted(log.starts, log.points, weights, targets, known, seed, repeats)


@njit(cache=True)
def _random(starts: Array, points: Array, targets: Array, known: int, seed: int, repeats: Array) -> Array:
    drawn = np.full((targets.size, known), NO_POINT, np.int32)
    for i in range(targets.size):
        first, size = starts[targets[i]], starts[targets[i] + 1] - starts[targets[i]]
        picks = np.empty(known, np.int64)
        count = min(known, size)
        draw_distinct(stream(seed, targets[i], repeats[i]), size, picks, count)
        for j in range(count):
            drawn[i, j] = points[first + picks[j]]
    return drawn


@njit(cache=True)
def _weighted(
    starts: Array, points: Array, weights: Array, targets: Array, known: int, seed: int, repeats: Array
) -> Array:
    drawn = np.full((targets.size, known), NO_POINT, np.int32)
    for i in range(targets.size):
        own = points[starts[targets[i]] : starts[targets[i] + 1]]
        picks = np.empty(known, np.int64)
        count = min(known, own.size)
        draw_weighted(stream(seed, targets[i], repeats[i]), weights[own], picks, count)
        for j in range(count):
            drawn[i, j] = own[picks[j]]
    return drawn


@njit(cache=True)
def _consecutive(starts: Array, points: Array, targets: Array, known: int, seed: int, repeats: Array) -> Array:
    drawn = np.full((targets.size, known), NO_POINT, np.int32)
    for i in range(targets.size):
        own = points[starts[targets[i]] : starts[targets[i] + 1]]
        count = min(known, own.size)
        begin = int(uniform(stream(seed, targets[i], repeats[i])) * (own.size - count + 1))
        for j in range(count):
            drawn[i, j] = own[begin + j]
    return drawn
