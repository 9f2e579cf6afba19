"""Someone knows a student's habits from another time: hours, weekdays and mix of verbs of the first half of a term.

Tournier and de Montjoye (2022) find people in later data by profiles of earlier data; here the first half of the
original is compared with the second half of the release.
"""

import numpy as np

from sharewell.plan.windows import DAY, MONDAY, Window
from sharewell.traces.arrays import Array
from sharewell.traces.attacks.view import View
from sharewell.traces.log import Log

LEVEL = 0.2  # weight of how much someone does beside when and what


def know(view: View, targets: Array, known: int, seed: int) -> tuple[Array] | None:
    """The profile of each target in the first half; None where nobody was active in more than one window."""
    before, there = _profiles(view.known, later=False)
    _, still = _profiles(view.released, later=True)
    return (before[targets],) if (there & still).any() else None


def score(view: View, knowledge: tuple[Array]) -> Array:
    """Squared Hellinger distances below zero; a candidate without a second half comes last."""
    after, still = view.once(_released)
    return np.where(still, 2 * knowledge[0] @ after.T - (after**2).sum(axis=1), -np.inf)


def _released(view: View) -> tuple[Array, Array]:
    profiles, still = _profiles(view.released, later=True)
    return profiles[view.present], still[view.present]


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
