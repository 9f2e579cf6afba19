"""What a log tells in totals: everything that can be counted of it, cell by cell and student by student.

Each group of cells is one way to count: events per week, day, hour, verb; steps; sessions and their sizes; gaps; how
much a student did in all; when they began and stopped. A recipient can add up every one of them, so that every one of
them is a measurement of who was in.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from sharewell.traces.arrays import Array
from sharewell.traces.course_log import DAY, HOUR, CourseLog

WEEK, MONDAY_OFFSET = 7, 3
GROWTH = 1.25  # totals of a student are counted in classes that grow by a quarter
WIDE = 1 << 20  # room for the second part of a code of two parts
CALENDAR = ("weeks", "days", "weekdays", "active days")
VERBS = ("verbs", "steps", "verbs by week")
HABITS = ("hours", "sessions", "session lengths", "gaps", "numbers")
TOTALS = ("events in all", "days in all", "sessions in all", "first week", "last week", "outcome and activity")
POINTS = ("day and hour", "minutes", "steps", "three in a row")


@dataclass(frozen=True, kw_only=True)
class ProfileCells:
    """One entry per thing that is counted: whose it is, and its cell."""

    student: Array
    code: Array


def cells(log: CourseLog, group: str) -> ProfileCells:
    return GROUPS[group](log)


def _events(code: Callable[[CourseLog], Array]) -> Callable[[CourseLog], ProfileCells]:
    return lambda log: ProfileCells(student=log.student, code=code(log))


def _students(code: Callable[[CourseLog], Array]) -> Callable[[CourseLog], ProfileCells]:
    return lambda log: ProfileCells(student=np.arange(log.students), code=code(log))


def _week(day: Array) -> Array:
    return np.asarray((day + MONDAY_OFFSET) // WEEK)


def _hour(log: CourseLog) -> Array:
    """Hours of working days and of weekends."""
    weekend = (log.day + MONDAY_OFFSET) % WEEK >= 5
    return np.asarray(log.second % DAY // HOUR + 24 * weekend)


def _active_days(log: CourseLog) -> ProfileCells:
    first = int(log.day.min(initial=0))
    pairs = np.unique(log.student * WIDE + log.day - first)
    return ProfileCells(student=pairs // WIDE, code=pairs % WIDE + first)


def _steps(log: CourseLog) -> ProfileCells:
    place = np.flatnonzero(~log.first)
    return ProfileCells(student=log.student[place], code=log.token[place - 1] * WIDE + log.token[place])


def _threes(log: CourseLog) -> ProfileCells:
    place = np.flatnonzero(~log.first & ~np.roll(log.first, 1))
    place = place[place >= 2]
    code = (log.token[place - 2] * WIDE + log.token[place - 1]) * WIDE + log.token[place]
    return ProfileCells(student=log.student[place], code=code)


def _sessions(log: CourseLog) -> ProfileCells:
    size = np.bincount(np.cumsum(log.begins) - 1)
    return ProfileCells(student=log.student[log.begins], code=_class(size))


def _session_lengths(log: CourseLog) -> ProfileCells:
    session = np.cumsum(log.begins) - 1
    length = np.bincount(session, weights=np.where(log.begins, 0, log.gap))
    return ProfileCells(student=log.student[log.begins], code=_class(length // 60 + 1))


def _gaps(log: CourseLog) -> ProfileCells:
    later = ~log.first
    return ProfileCells(student=log.student[later], code=np.floor(np.log2(log.gap[later] + 1.0)).astype(np.int64))


def _numbers(log: CourseLog) -> ProfileCells:
    """Numbers by classes that double, column by column."""
    student, code = [], []
    for place, values in enumerate(log.numbers.values()):
        known = np.isfinite(values)
        student.append(log.student[known])
        code.append(place * WIDE + np.floor(np.log2(np.maximum(values[known], 0) * 100 + 1)).astype(np.int64))
    nothing = np.empty(0, np.int64)
    return ProfileCells(student=np.concatenate([nothing, *student]), code=np.concatenate([nothing, *code]))


def _class(values: Array) -> Array:
    found: Array = np.floor(np.log(np.maximum(values, 1)) / np.log(GROWTH)).astype(np.int64)
    return found


def _days_in_all(log: CourseLog) -> Array:
    return _class(np.bincount(_active_days(log).student, minlength=log.students))


def _sessions_in_all(log: CourseLog) -> Array:
    return _class(np.bincount(log.student[log.begins], minlength=log.students))


GROUPS: Mapping[str, Callable[[CourseLog], ProfileCells]] = {
    "weeks": _events(lambda log: _week(log.day)),
    "days": _events(lambda log: log.day),
    "weekdays": _events(lambda log: (log.day + MONDAY_OFFSET) % WEEK),
    "active days": _active_days,
    "hours": _events(_hour),
    "verbs": _events(lambda log: log.token),
    "steps": _steps,
    "verbs by week": _events(lambda log: _week(log.day) * WIDE + log.token),
    "sessions": _sessions,
    "session lengths": _session_lengths,
    "gaps": _gaps,
    "numbers": _numbers,
    "events in all": _students(lambda log: _class(log.lengths)),
    "days in all": _students(_days_in_all),
    "sessions in all": _students(_sessions_in_all),
    "first week": _students(lambda log: _week(log.day[log.starts[:-1]])),
    "last week": _students(lambda log: _week(log.day[log.starts[1:] - 1])),
    "outcome and activity": _students(lambda log: log.stratum * WIDE + _class(log.lengths) // 3),
    "day and hour": _events(lambda log: log.second // HOUR),
    "minutes": _events(lambda log: log.second // 60),
    "three in a row": _threes,
}
