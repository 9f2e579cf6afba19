"""Someone knows a student's habits from another time: hours, weekdays and mix of verbs of the first half of a term.

Tournier and de Montjoye (2022) find people in later data by profiles of earlier data; here the first half of the
original is compared with the second half of the release.
"""

import numpy as np

from sharewell.plan.windows import DAY, MONDAY, Window
from sharewell.traces.arrays import Array
from sharewell.traces.log import Log
from sharewell.traces.measure.attempts import Attempts
from sharewell.traces.measure.fitting import summed
from sharewell.traces.measure.found import Found
from sharewell.traces.measure.sides import Points

BLOCK = 256
LEVEL = 0.2  # weight of how much someone does beside when and what


def other_period(points: Points, attempts: Attempts) -> Found | None:
    """Nearest profiles by Hellinger distance; nothing where nobody was active in more than one window."""
    before, there = _profiles(points.known, later=False)
    after, still = _profiles(points.released, later=True)
    targets = np.intersect1d(attempts.sampled(points.present), np.flatnonzero(there & still))
    if not len(targets):
        return None
    size, within = _nearest(before, after, still, targets)
    return summed(points.released.students, targets, size, within, certain=True)


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


def _nearest(before: Array, after: Array, there: Array, targets: Array) -> tuple[Array, Array]:
    """How many are as near as the nearest, and whether the target is among them."""
    others = np.flatnonzero(there)
    size, within = np.zeros(len(targets), np.int64), np.zeros(len(targets), np.bool_)
    norms = (after[others] ** 2).sum(axis=1)
    for first in range(0, len(targets), BLOCK):
        part = targets[first : first + BLOCK]
        distance = norms - 2 * before[part] @ after[others].T
        best = distance <= distance.min(axis=1, keepdims=True) + 1e-9
        size[first : first + BLOCK] = best.sum(axis=1)
        within[first : first + BLOCK] = (best & (others == part[:, None])).any(axis=1)
    return size, within
