"""The calendar of a course: how many are active on each day, from weeks, weekdays and the days that stand out."""

from dataclasses import dataclass

import numpy as np

from sharewell.traces.arrays import Array
from sharewell.traces.course_log import CourseLog
from sharewell.traces.protection.learnt_numbers import Learning, counted

WEEK, MONDAY_OFFSET = 7, 3  # day 0 of 1970 was a Thursday: (day + 3) // 7 counts weeks from Mondays
ROUNDS = 8


@dataclass(frozen=True, kw_only=True)
class Calendar:
    """Students active on each day from `first` on; zero in weeks and on weekdays that too few shared.

    A single day that few shared is no exception: whether it was one would tell of them whether they were in.
    """

    first: int
    active: Array

    @property
    def open(self) -> Array:
        return np.flatnonzero(self.active > 0)


def fit_calendar(log: CourseLog, learning: Learning) -> Calendar:
    """Weeks and weekdays first; a day stands out where it does so by more than its noise."""
    first, last = int(log.day.min()), int(log.day.max())
    pairs = np.unique(log.student.astype(np.int64) * (last - first + 1) + log.day - first)
    student, day = np.divmod(pairs, last - first + 1)
    days = np.arange(last - first + 1)
    week = (days + first + MONDAY_OFFSET) // WEEK
    week, weekday = week - week[0], (days + first + MONDAY_OFFSET) % WEEK
    by_week = learning.totals(counted(student, week[day], log.students, int(week[-1]) + 1))
    by_weekday = learning.totals(counted(student, weekday[day], log.students, WEEK))
    there = np.bincount(week, weights=by_weekday[weekday])
    expected = by_week[week] * by_weekday[weekday] / np.maximum(there[week], 1e-12)
    table = counted(student, day, log.students, days.size)
    active = learning.totals(table, expected=expected, there=expected > 0)
    return Calendar(first=first, active=active)


def day_weights(calendar: Calendar, first: Array, last: Array, days: Array) -> Array:
    """How likely each day is for somebody whose time covers it, so that all together are as active as they should be.

    `first`, `last` and `days` (how many) are those of a sample of invented students; proportional fitting.
    """
    open_days = calendar.open
    covers = (first[:, None] <= open_days) & (last[:, None] >= open_days)
    goal = calendar.active[open_days] / calendar.active[open_days].sum() * days.sum()
    weights = np.ones(open_days.size)
    for _ in range(ROUNDS):
        chances = covers * weights
        chances *= (days / np.maximum(chances.sum(axis=1), 1e-12))[:, None]
        expected = np.minimum(chances, 1.0).sum(axis=0)
        weights = np.clip(weights * goal / np.maximum(expected, 1e-9), 1e-6, 1e6)
        weights /= weights.mean()
    found = np.zeros(calendar.active.size)
    found[open_days] = weights
    return found
