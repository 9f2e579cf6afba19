"""What students click: sessions around lectures, rushes before deadlines, free study, and owls at night."""

from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from sharewell.demo.roster import Roster
from sharewell.demo.term import (
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

VERBS = ("opened", "viewed", "played", "paused", "answered", "submitted", "searched", "posted")
DEVICES = ("laptop", "phone", "tablet", "desktop")
RESOURCES = ("course page", "slides", "video", "exercise", "forum", "quiz", "grades")
_SESSIONS = 22.0  # per student and term, for a student of middling activity
_EVENTS = 7.0  # per session
_KINDS = ("lecture", "deadline", "free")
_FREE_HOURS = np.array(
    [1, 1, 0, 0, 0, 1, 2, 4, 7, 9, 10, 10, 8, 9, 10, 10, 9, 8, 7, 8, 9, 8, 5, 3], dtype=float
)
_NIGHT_HOURS = np.array(
    [9, 9, 8, 6, 3, 1, 0, 0, 0, 1, 1, 2, 3, 3, 3, 3, 3, 3, 4, 5, 6, 8, 9, 10], dtype=float
)
_FREE_DAYS = np.array([9, 9, 9, 9, 7, 4, 6], dtype=float)

# What happens in a session by its kind: weights over VERBS, and over RESOURCES.
_VERB_WEIGHTS = {
    "lecture": (2, 8, 4, 3, 2, 0.3, 0.5, 0.3),
    "deadline": (2, 3, 1, 0.5, 6, 4, 1, 1),
    "free": (2, 6, 4, 2, 3, 0.7, 1, 1),
}
_RESOURCE_WEIGHTS = {
    "lecture": (1, 8, 2, 0.5, 0.5, 2, 0.2),
    "deadline": (1, 2, 1, 9, 2, 1, 0.5),
    "free": (2, 3, 5, 4, 2, 1, 1),
}


@dataclass(frozen=True, kw_only=True)
class _Sessions:
    student: np.ndarray
    kind: np.ndarray
    start: np.ndarray  # seconds into the term
    length: np.ndarray  # events


def make_clicks(rng: np.random.Generator, roster: Roster) -> pa.Table:
    """All events, by student and time."""
    sessions = _draw_sessions(rng, roster)
    student = np.repeat(sessions.student, sessions.length)
    kind = np.repeat(sessions.kind, sessions.length)
    gaps = np.where(running_count(sessions.length) == 0, 0, rng.lognormal(3.6, 1.1, size=len(student)))
    seconds = np.repeat(sessions.start, sessions.length) + running_sum(gaps.astype(int) + 1, sessions.length)
    first = running_count(sessions.length) == 0
    verb = np.where(first, 0, _by_kind(rng, kind, _VERB_WEIGHTS))
    resource = np.where(first, 0, _by_kind(rng, kind, _RESOURCE_WEIGHTS))
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
    kind = rng.choice(len(_KINDS), size=len(student), p=[0.3, 0.3, 0.4])
    week = np.minimum(
        rng.integers(0, WEEKS, size=len(student)), rng.integers(0, WEEKS + 8, size=len(student))
    )
    lecture = np.array(LECTURES)[rng.integers(0, 2, size=len(student))]
    at_lecture = (
        lecture + rng.normal(300, 420, size=len(student)) + rng.random(len(student)) * LECTURE_LENGTH / 3
    )
    rush = DEADLINE - 600 - np.minimum(rng.exponential(9 * HOUR, size=len(student)), 4 * DAY)
    free = _free_moments(rng, traits.night_owl[student])
    start = week * WEEK + np.select([kind == 0, kind == 1], [at_lecture, rush], free)
    length = 1 + rng.geometric(1 / (_EVENTS - 1), size=len(student))
    return _Sessions(student=student, kind=kind, start=start.astype(int), length=length)


def _free_moments(rng: np.random.Generator, night: np.ndarray) -> np.ndarray:
    """Seconds into the week of a session that nobody asked for."""
    day = rng.choice(7, size=len(night), p=_FREE_DAYS / _FREE_DAYS.sum())
    by_day = rng.choice(24, size=len(night), p=_FREE_HOURS / _FREE_HOURS.sum())
    by_night = rng.choice(24, size=len(night), p=_NIGHT_HOURS / _NIGHT_HOURS.sum())
    return day * DAY + np.where(night, by_night, by_day) * HOUR + rng.random(len(night)) * HOUR


def _by_kind(rng: np.random.Generator, kind: np.ndarray, weights: dict[str, tuple[float, ...]]) -> np.ndarray:
    """One draw per event from the weights of its session's kind."""
    chance = rng.random(len(kind))
    drawn = np.zeros(len(kind), dtype=np.int64)
    for number, name in enumerate(_KINDS):
        edges = np.cumsum(weights[name]) / np.sum(weights[name])
        drawn[kind == number] = np.searchsorted(edges, chance[kind == number], side="right")
    return drawn


def _draw_devices(rng: np.random.Generator, student: np.ndarray, students: int) -> np.ndarray:
    """Most sessions happen on the student's usual device."""
    usual = rng.choice(len(DEVICES), size=students, p=[0.6, 0.22, 0.08, 0.1])
    other = rng.choice(len(DEVICES), size=len(student), p=[0.35, 0.45, 0.08, 0.12])
    return np.where(rng.random(len(student)) < 0.85, usual[student], other)


def _resource_names(resource: np.ndarray, seconds: np.ndarray) -> pa.Array:
    """Slides, videos and exercises belong to the week in which they are used."""
    week = np.clip(seconds // WEEK, 0, WEEKS - 1)
    names = [f"week {number + 1:02d} {name}" for number in range(WEEKS) for name in RESOURCES]
    return pa.array(names).take(pa.array(week * len(RESOURCES) + resource))
