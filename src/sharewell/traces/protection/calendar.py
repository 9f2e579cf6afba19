"""The calendar of a course: what is done on each day, from periods, weekdays and, in large courses, single days."""

from dataclasses import dataclass

import numpy as np

from sharewell.traces.arrays import Array
from sharewell.traces.course_log import CourseLog
from sharewell.traces.protection.learnt_numbers import Learning, counted, harder
from sharewell.traces.protection.student_types import Students

WEEK, MONDAY_OFFSET = 7, 3  # day 0 of 1970 was a Thursday: (day + 3) // 7 counts weeks from Mondays
ROUNDS, HALVINGS = 8, 60
LEAST_STAYING = 0.05  # of the mean: what is expected of a day within nobody's time
HARDEST = 1.5  # times the noise that is asked for: totals that need more are not learnt one by one
FASTEST = 5.0  # sessions a day, times what is usual


@dataclass(frozen=True, kw_only=True)
class Calendar:
    """For each day from `first` on: how many are active, and by how much more they do than on other days.

    Days, weeks and weekdays that few shared are no exception: whether they were some would tell of them whether they
    were in.
    """

    first: int
    active: Array
    busy: Array

    @property
    def open(self) -> Array:
        return np.flatnonzero(self.active > 0)


def fit_calendar(log: CourseLog, learning: Learning, who: Students) -> Calendar:
    """Events by periods and weekdays first; single days only in a course so large that they need no more noise.

    `who` are invented students of the course: when they begin and stop lets expect how busy periods are, and weeks
    within them.
    """
    first, last = _range(log, learning)
    inside = (log.day >= first) & (log.day <= last)
    student, day, days = log.student[inside], log.day[inside] - first, np.arange(last - first + 1)
    period, weekday = _periods(days + first, log.students), (days + first + MONDAY_OFFSET) % WEEK
    staying = _staying(who, first, days.size, who.days)
    in_period = np.bincount(period, weights=staying)
    by_period = learning.totals(
        counted(student, period[day], log.students, in_period.size), expected=in_period, there=in_period > 0
    )
    by_weekday = learning.totals(counted(student, weekday[day], log.students, WEEK), there=np.ones(WEEK, np.bool_))
    usual = staying * by_weekday[weekday]
    expected = by_period[period] * usual / np.maximum(np.bincount(period, weights=usual)[period], 1e-12)
    if harder(days.size, log.students) <= HARDEST:
        table = counted(student, day, log.students, days.size)
        expected = learning.totals(table, expected=expected, there=expected > 0)
    return _attended(expected, first, who)


def _periods(days: Array, students: int) -> Array:
    """Weeks, or as many weeks together as leaves so few periods that noise leaves something of each."""
    week = (days + MONDAY_OFFSET) // WEEK
    week, together = week - week[0], 1
    while harder(int(week[-1]) // together + 1, students) > HARDEST:
        together *= 2
    return np.asarray(week // together)


def _range(log: CourseLog, learning: Learning) -> tuple[int, int]:
    """From the day by which several students had begun to the one on which several were still there."""
    begun, ended = np.sort(log.day[log.starts[:-1]]), np.sort(log.day[log.starts[1:] - 1])
    first = int(begun[min(learning.several(), log.students) - 1])
    last = int(ended[-min(learning.several(), log.students)])
    return min(first, last), max(first, last)


def _attended(done: Array, first: int, who: Students) -> Calendar:
    """How many are active on days on which so much is done, and what each of them does.

    Of students who begin sessions at a rate λ, 1 − exp(−λ) are active on a day and do λ / (1 − exp(−λ)) each. The rate
    goes with what is done; its scale is the one under which students are active on as many days as they should be.
    """
    here = _staying(who, first, done.size, who.last - who.first + 1)
    rate = done / here
    rate = np.minimum(rate / max(float(done @ rate / done.sum()), 1e-12), FASTEST)
    low, high = 0.0, 1e3
    for _ in range(HALVINGS):
        scale = (low + high) / 2
        low, high = (scale, high) if -here @ np.expm1(-scale * rate) < who.days.sum() else (low, scale)
    pace = np.maximum(high * rate, 1e-6)
    return Calendar(first=first, active=-here * np.expm1(-pace), busy=pace / -np.expm1(-pace))


def _staying(who: Students, first: int, days: int, many: Array) -> Array:
    """So many days of every student, spread evenly over their time, together on each day; never nothing."""
    rate = many / (who.last - who.first + 1)
    change = np.zeros(days + 1)
    np.add.at(change, np.clip(who.first - first, 0, days), rate)
    np.add.at(change, np.clip(who.last - first + 1, 0, days), -rate)
    found = np.maximum(np.cumsum(change)[:-1], 0.0)
    return np.asarray(found + LEAST_STAYING * found.mean())


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
