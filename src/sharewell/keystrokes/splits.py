"""Which sessions an attacker knows, and which are to be recognised: several ways to part them."""

from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
from ibis.expr.types import Table

from sharewell.data import engine
from sharewell.errors import InputError
from sharewell.keystrokes import reducer
from sharewell.keystrokes.arrays import Array, Typing, session_starts
from sharewell.keystrokes.eventlog import Events
from sharewell.keystrokes.samples import Sample

Way = Literal["late", "odd and even", "drawn"]
WAYS: tuple[Way, ...] = get_args(Way)
REFERENCE_SHARE = (2, 3)  # of a student's sessions: what the attacker has seen before the late ones


@dataclass(frozen=True, kw_only=True)
class Halves:
    """Two samples of the same people: what the attacker knows, and what is to be recognised."""

    reference: Sample
    target: Sample
    whole: Sample | None = None  # of a release: what someone with a sample from elsewhere looks for people in


def targets(events: Events, seed: int) -> dict[Way, Array]:
    """Which sessions are the target, by every way of parting them."""
    starts = session_starts(events.typing.session)[:-1]
    student, begun, row, week = (one[starts] for one in (events.typing.student, events.start, events.row, events.week))
    late = week == week.max() if len(np.unique(week)) > 1 else _last_third(student, begun, row)
    chance = np.random.default_rng(seed).random(len(student))
    return {
        "late": late,
        "odd and even": _place(student, begun, row) % 2 == 1,
        "drawn": _place(student, chance, row) % 2 == 1,
    }


def halves(typing: Typing, students: Array, target: Array, *, whole: bool = False) -> Halves:
    """Typing reduced to the attacker's sample and the target; `target` says it of every session."""
    ready, rows = reducer.prepare(typing, students), target[typing.session]
    return Halves(
        reference=ready.sample(typing.latency, typing.hold, ~rows),
        target=ready.sample(typing.latency, typing.hold, rows),
        whole=ready.sample(typing.latency, typing.hold, np.ones(len(rows), dtype=bool)) if whole else None,
    )


def students_of(events: Table) -> int:
    count: int = engine.value(events.student.nunique())
    if count < 2:
        raise InputError("has fewer than two students: nobody can be hidden among others", column="student")
    return count


def _place(student: Array, first: Array, then: Array) -> Array:
    """The place of every session among those of its student."""
    order = np.lexsort((then, first, student))
    ordered = student[order]
    place = np.empty(len(student), dtype=np.int64)
    place[order] = np.arange(len(student)) - np.searchsorted(ordered, ordered)
    return place


def _last_third(student: Array, begun: Array, row: Array) -> Array:
    part, of = REFERENCE_SHARE
    return np.asarray(_place(student, begun, row) * of >= np.bincount(student)[student] * part)
