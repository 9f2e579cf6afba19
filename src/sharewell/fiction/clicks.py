"""What students click: sessions around lectures, rushes before deadlines, free study, and owls at night."""

from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from sharewell.fiction.roster import Roster
from sharewell.fiction.term import (
    DAY,
    DEADLINE,
    HOUR,
    LECTURE_LENGTH,
    LECTURES,
    START,
    WEEK,
    WEEKS,
    running_count,
    running_sum,
)
from sharewell.stats.arrays import Array

VERBS = ("opened", "viewed", "played", "paused", "answered", "submitted", "searched", "posted")
DEVICES = ("laptop", "phone", "tablet", "desktop")
RESOURCES = ("course page", "slides", "video", "exercise", "forum", "quiz", "grades")
_SESSIONS = 22.0  # per student and term, for a student of middling activity
_EVENTS = 7.0  # per session
_KIND_SHARES = (0.3, 0.3, 0.4)  # sessions at lectures, before deadlines, at free will
_FREE_HOURS = np.array([1, 1, 0, 0, 0, 1, 2, 4, 7, 9, 10, 10, 8, 9, 10, 10, 9, 8, 7, 8, 9, 8, 5, 3], dtype=float)
_NIGHT_HOURS = np.array([9, 9, 8, 6, 3, 1, 0, 0, 0, 1, 1, 2, 3, 3, 3, 3, 3, 3, 4, 5, 6, 8, 9, 10], dtype=float)
_FREE_DAYS = np.array([9, 9, 9, 9, 7, 4, 6], dtype=float)

_RESOURCES_BY_KIND = np.array(  # weights over RESOURCES by the kind of session
    [(1, 8, 2, 0.5, 0.5, 2, 0.2), (1, 2, 1, 9, 2, 1, 0.5), (2, 3, 5, 4, 2, 1, 1)]
)
_VERBS_BY_RESOURCE = np.array(  # weights over VERBS by the resource they are done to
    [
        (5, 3, 0, 0, 0, 0, 2, 0),
        (2, 8, 0, 0, 0, 0, 1, 0),
        (1, 1, 6, 4, 0, 0, 0, 0),
        (1, 2, 0, 0, 6, 4, 0, 0),
        (1, 6, 0, 0, 0, 0, 2, 2),
        (1, 1, 0, 0, 7, 1, 0, 0),
        (1, 5, 0, 0, 0, 0, 0, 0),
    ]
)


@dataclass(frozen=True, kw_only=True)
class _Sessions:
    student: Array
    kind: Array
    start: Array  # seconds into the term
    length: Array  # events


def make_clicks(rng: np.random.Generator, roster: Roster) -> pa.Table:
    """All events, by student and time."""
    sessions = _draw_sessions(rng, roster)
    student = np.repeat(sessions.student, sessions.length)
    kind = np.repeat(sessions.kind, sessions.length)
    gaps = np.where(running_count(sessions.length) == 0, 0, rng.lognormal(3.6, 1.1, size=len(student)))
    seconds = np.repeat(sessions.start, sessions.length) + running_sum(gaps.astype(int) + 1, sessions.length)
    first = running_count(sessions.length) == 0
    resource = np.where(first, 0, _draw_by(rng, kind, _RESOURCES_BY_KIND))
    verb = np.where(first, 0, _draw_by(rng, resource, _VERBS_BY_RESOURCE))
    device = np.repeat(_draw_devices(rng, sessions.student, len(roster.people)), sessions.length)
    order = np.lexsort((seconds, student))
    return pa.table(
        {
            "student_id": roster.ids.take(pa.array(student[order])),
            "time": pa.array(START + seconds[order].astype("timedelta64[s]"), type=pa.timestamp("s")),
            "verb": pa.array(VERBS).take(pa.array(verb[order])),
            "device": pa.array(DEVICES).take(pa.array(device[order])),
            "resource": _resource_names(resource, seconds).take(pa.array(order)),
        }
    )


def _draw_sessions(rng: np.random.Generator, roster: Roster) -> _Sessions:
    traits = roster.traits
    counts = 2 + rng.poisson(_SESSIONS * np.exp(0.3 * traits.activity))
    student = np.repeat(np.arange(len(counts)), counts)
    kind = rng.choice(3, size=len(student), p=_KIND_SHARES)
    week = np.minimum(rng.integers(0, WEEKS, size=len(student)), rng.integers(0, WEEKS + 8, size=len(student)))
    lecture = np.array(LECTURES)[rng.integers(0, 2, size=len(student))]
    at_lecture = lecture + rng.normal(300, 420, size=len(student)) + rng.random(len(student)) * LECTURE_LENGTH / 3
    rush = DEADLINE - 600 - np.minimum(rng.exponential(9 * HOUR, size=len(student)), 4 * DAY)
    free = _free_moments(rng, traits.night_owl[student])
    start = week * WEEK + np.select([kind == 0, kind == 1], [at_lecture, rush], free)
    length = 1 + rng.geometric(1 / (_EVENTS - 1), size=len(student))
    return _Sessions(student=student, kind=kind, start=start.astype(int), length=length)


def _free_moments(rng: np.random.Generator, night: Array) -> Array:
    """Seconds into the week of a session that nobody asked for."""
    day = rng.choice(7, size=len(night), p=_FREE_DAYS / _FREE_DAYS.sum())
    by_day = rng.choice(24, size=len(night), p=_FREE_HOURS / _FREE_HOURS.sum())
    by_night = rng.choice(24, size=len(night), p=_NIGHT_HOURS / _NIGHT_HOURS.sum())
    moment: Array = day * DAY + np.where(night, by_night, by_day) * HOUR + rng.random(len(night)) * HOUR
    return moment


def _draw_by(rng: np.random.Generator, group: Array, weights: Array) -> Array:
    """One draw per entry from its group's row of weights."""
    chance = rng.random(len(group))
    edges = np.cumsum(weights, axis=1) / weights.sum(axis=1, keepdims=True)
    drawn = np.zeros(len(group), dtype=np.int64)
    for number, row in enumerate(edges):
        chosen = group == number
        drawn[chosen] = np.searchsorted(row, chance[chosen], side="right")
    return drawn


def _draw_devices(rng: np.random.Generator, student: Array, students: int) -> Array:
    """Most sessions happen on the student's usual device."""
    usual = rng.choice(len(DEVICES), size=students, p=[0.6, 0.22, 0.08, 0.1])
    other = rng.choice(len(DEVICES), size=len(student), p=[0.35, 0.45, 0.08, 0.12])
    return np.where(rng.random(len(student)) < 0.85, usual[student], other)


def _resource_names(resource: Array, seconds: Array) -> pa.Array:
    """Slides, videos and exercises belong to the week in which they are used."""
    week = np.clip(seconds // WEEK, 0, WEEKS - 1)
    names = [f"week {number + 1:02d} {name}" for number in range(WEEKS) for name in RESOURCES]
    return pa.array(names).take(pa.array(week * len(RESOURCES) + resource))
