"""Someone knows points of a student's log: 4, 8 or 16 of them, unusual ones, crowded ones, or one after the other."""

from dataclasses import replace

import numpy as np

from sharewell.traces.arrays import Array
from sharewell.traces.log import Log
from sharewell.traces.measure.asking import Asking
from sharewell.traces.measure.attackers import NOBODY, Attacker, draw
from sharewell.traces.measure.attempts import Attempts
from sharewell.traces.measure.fitting import ANY, Facts, best_fits
from sharewell.traces.measure.sides import Points


def known_points(points: Points, who: Attacker, attempts: Attempts, known: int) -> Asking:
    """Points of the original, matched to the release as well as possible."""
    targets, repeats = attempts.of(points.present, points.among)
    drawn = draw(points.known, who, targets, known, seed=attempts.seed, repeats=repeats)
    return best_fits(points, presence(targets, drawn))


def presence(targets: Array, drawn: Array) -> Facts:
    """That someone was there, however often."""
    return Facts(
        targets=targets,
        points=drawn,
        least=np.ones(drawn.shape, np.int64),
        most=np.full(drawn.shape, ANY),
        weights=np.ones(drawn.shape, np.int16),
    )


def released_points(points: Points, who: Attacker, attempts: Attempts, known: int) -> Asking:
    """Points that the release itself holds: someone who knows just what was not suppressed."""
    return known_points(replace(points, known=points.released), who, attempts, known)


def absent_points(log: Log, targets: Array, count: int, generator: np.random.Generator) -> Array:
    """Of the busiest windows, some in which each target was never there; NOBODY where there are too few."""
    busiest = np.argsort(-log.popularity, kind="stable")[: 8 * count].astype(np.int64)
    keys = log.owners.astype(np.int64) * len(log.keys) + log.points
    wanted = targets[:, None].astype(np.int64) * len(log.keys) + busiest
    place = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
    luck = np.where(keys[place] == wanted, np.inf, generator.random(wanted.shape))
    order = np.argsort(luck, axis=1)[:, :count]
    chosen = busiest[order]
    return np.where(np.isfinite(np.take_along_axis(luck, order, axis=1)), chosen, NOBODY)
