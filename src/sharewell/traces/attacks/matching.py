"""Score candidates by the known facts that the release confirms.

A fact is a point with the range that its number of events lies in. It counts for a candidate (weight 1: the student was
there, so often) or against (weight −1: the student was never there).
"""

from typing import TypeAlias

import numpy as np

from sharewell.traces.arrays import Array
from sharewell.traces.attacks.draws import NO_POINT
from sharewell.traces.attacks.view import View
from sharewell.traces.log import Log

ANY = np.iinfo(np.int64).max
Facts: TypeAlias = tuple[Array, Array, Array, Array]  # points, least and most events, weights: one row per attempt


def presence(drawn: Array) -> Facts:
    """That a student was there, however often."""
    ones = np.ones(drawn.shape, np.int64)
    return drawn, ones, np.full(drawn.shape, ANY), ones


def confirmed(view: View, facts: Facts) -> Array:
    """The weights of the facts that the release confirms, one row per attempt and one column per student there."""
    log = view.released
    points, least, most, weights = (part.ravel() for part in facts)
    attempt = np.repeat(np.arange(len(facts[0])), facts[0].shape[1])
    real = points != NO_POINT
    points, least, most, weights, attempt = (part[real] for part in (points, least, most, weights, attempt))
    many = log.shared[points + 1] - log.shared[points]
    fact = np.repeat(np.arange(len(points)), many)
    place = np.arange(len(fact)) - np.repeat(np.cumsum(many) - many, many) + log.shared[points][fact]
    fits = (log.events_by_point[place] >= least[fact]) & (log.events_by_point[place] <= most[fact])
    cells = attempt[fact[fits]] * log.students + log.holders[place[fits]]
    scores = np.bincount(cells, weights=weights[fact[fits]], minlength=len(facts[0]) * log.students)
    return scores.reshape(len(facts[0]), log.students)[:, view.present]


def events_at(log: Log, targets: Array, points: Array) -> Array:
    """How many events each target has at each of their points; 0 where there is no point."""
    keys = log.owners.astype(np.int64) * len(log.keys) + log.points
    wanted = targets[:, None].astype(np.int64) * len(log.keys) + np.maximum(points, 0)
    place = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
    return np.where((keys[place] == wanted) & (points != NO_POINT), log.events[place], 0).astype(np.int64)
