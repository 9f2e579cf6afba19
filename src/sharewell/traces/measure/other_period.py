"""Someone knows a student's habits from another time: hours, weekdays and mix of verbs of the first half of a term.

Tournier and de Montjoye (2022) find people in later data by profiles of earlier data; here the first half of the
original is compared with the second half of the release.
"""

from dataclasses import dataclass, replace

import numpy as np

from sharewell.plan.windows import DAY, MONDAY, Window
from sharewell.traces.arrays import Array
from sharewell.traces.log import Log
from sharewell.traces.measure.asking import Answer, Asking, BestScore, Part, as_near
from sharewell.traces.measure.attempts import Attempts
from sharewell.traces.measure.fitting import summed
from sharewell.traces.measure.sides import Points

BLOCK = 256
CLOSE = 1e-9  # distances that differ by less are the same
LEVEL = 0.2  # weight of how much someone does beside when and what


@dataclass(frozen=True, kw_only=True)
class Nearest(BestScore):
    """The profiles of all targets; scores are distances below zero, and `best` the best over all students, if known."""

    side: str
    names: Array
    profiles: Array
    best: Array | None = None

    def asked(self, part: Part) -> Answer:
        after, still = _profiles(part.logs[self.side], later=True)
        others = np.flatnonzero(still)
        after, norms = after[others], (after[others] ** 2).sum(axis=1)

        def scores(block: slice) -> Array:
            return np.asarray(2 * self.profiles[block] @ after.T - norms)

        return as_near(scores, others, part.place(self.names), best=self.best, block=BLOCK, close=CLOSE)


def other_period(points: Points, attempts: Attempts) -> Asking:
    """Nearest profiles by Hellinger distance; nothing where nobody was active in more than one window.

    Asked twice: who is as near as the nearest, but for errors of rounding, is known once the nearest is.
    """
    before, there = _profiles(points.known, later=False)
    _, still = _profiles(points.released, later=True)
    looked_at = attempts.sampled(points.present, points.among)
    targets = np.intersect1d(looked_at, np.flatnonzero(there & still))
    if not len(targets):
        return None
    question = Nearest(side=points.side, names=points.names(targets), profiles=before[targets])
    best, _, _ = yield question
    _, size, own = yield replace(question, best=best)
    everybody = len(looked_at) == points.among
    return summed(points.known.students, targets, size, own >= best - CLOSE, certain=everybody)


def _profiles(log: Log, *, later: bool) -> tuple[Array, Array]:
    """One row per student: square roots of shares by hour, weekday and combination, and the level of activity.

    A student's time is halved at the window in which half of their events are over.
    """
    windows, rows = np.divmod(log.keys[log.points], log.combinations_count)
    ends = np.cumsum(log.events)
    begin = np.concatenate([[0], ends])[log.starts]
    over = (ends - begin[:-1][log.owners]) * 2 > np.diff(begin)[log.owners] + log.events
    half = over if later else ~over
    owners, events = log.owners[half], log.events[half]
    parts = [_shares(owners, codes[half], events, size, log.students) for codes, size in _habits(log, windows, rows)]
    total = np.bincount(owners, weights=events, minlength=log.students)
    return np.hstack([*parts, LEVEL * np.log1p(total)[:, None]]), total > 0


def _habits(log: Log, windows: Array, rows: Array) -> list[tuple[Array, int]]:
    """What the resolution of the release still shows: hours if it is that fine, weekdays, and the values."""
    habits = [(rows, log.combinations_count)] if log.also else []
    seconds = _seconds(log.window)
    if seconds is None or seconds > DAY:
        return habits
    moments = windows * seconds + log.window.origin
    habits.append(((moments - MONDAY) // DAY % 7, 7))
    return [*habits, (moments % DAY // 3600, 24)] if seconds <= 3600 else habits


def _seconds(window: Window) -> int | None:
    return None if window.recurring else window.seconds


def _shares(owners: Array, codes: Array, events: Array, size: int, students: int) -> Array:
    counts = np.bincount(owners.astype(np.int64) * size + codes, weights=events, minlength=students * size)
    table = counts.reshape(students, size)
    return np.asarray(np.sqrt(table / np.maximum(table.sum(axis=1, keepdims=True), 1)))
