"""Someone knows points of a student's log: any, unusual ones, crowded ones, or one after the other."""

from collections.abc import Callable

import numpy as np

from sharewell.traces.arrays import Array
from sharewell.traces.attacks.draws import NO_POINT, attacker, draw
from sharewell.traces.attacks.matching import ANY, Facts, presence
from sharewell.traces.attacks.view import View
from sharewell.traces.log import Log

Know = Callable[[View, Array, int, int], Facts]


def drawn_points(log: Log, name: str, targets: Array, known: int, seed: int) -> Array:
    """Points of each target, a draw of its own for every attempt."""
    return draw(log, attacker(name), targets, known, seed=seed, repeats=np.arange(len(targets)))


def original_points(name: str) -> Know:
    """Points of the original, drawn as this attacker draws them."""
    return lambda view, targets, known, seed: presence(drawn_points(view.known, name, targets, known, seed))


def released_points(view: View, targets: Array, known: int, seed: int) -> Facts:
    """Points that the release itself holds: just what was not suppressed."""
    return presence(drawn_points(view.released, "random", targets, known, seed))


def presence_and_absence(view: View, targets: Array, known: int, seed: int) -> Facts:
    """Points with activity, and as many of the busiest points without."""
    there = drawn_points(view.known, "random", targets, known, seed)
    never = _absent_points(view.known, targets, known, np.random.default_rng(seed))
    drawn = np.hstack([there, never])
    weights = np.hstack([np.ones(there.shape, np.int64), np.full(never.shape, -1, np.int64)])
    return drawn, np.ones(drawn.shape, np.int64), np.full(drawn.shape, ANY), weights


def _absent_points(log: Log, targets: Array, count: int, generator: np.random.Generator) -> Array:
    """Of the busiest points, some at which each target never was; NO_POINT where there are too few."""
    busiest = np.argsort(-log.popularity, kind="stable")[: 8 * count].astype(np.int64)
    keys = log.owners.astype(np.int64) * len(log.keys) + log.points
    wanted = targets[:, None].astype(np.int64) * len(log.keys) + busiest
    place = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
    luck = np.where(keys[place] == wanted, np.inf, generator.random(wanted.shape))
    order = np.argsort(luck, axis=1)[:, :count]
    return np.where(np.isfinite(np.take_along_axis(luck, order, axis=1)), busiest[order], NO_POINT)
