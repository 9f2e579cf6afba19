"""Which sessions an attacker knows, and which are to be recognised: several ways to part them."""

from dataclasses import dataclass
from functools import cached_property
from typing import Literal, get_args

import numpy as np

from sharewell.keystrokes.arrays import Array, TypedEvents, session_starts
from sharewell.keystrokes.eventlog import Events
from sharewell.keystrokes.reducer import split_samples
from sharewell.keystrokes.samples import TypingSample, merged

Way = Literal["late", "odd and even", "drawn"]
WAYS: tuple[Way, ...] = get_args(Way)
REFERENCE_SHARE = (2, 3)  # of a student's sessions: what the attacker has seen before the late ones


@dataclass(frozen=True, kw_only=True)
class SampleHalves:
    """Two samples of the same people: what the attacker knows, and what is to be recognised."""

    reference: TypingSample
    target: TypingSample

    @cached_property
    def whole(self) -> TypingSample:
        """Both: what someone with a sample from elsewhere looks for people in."""
        return merged([self.reference, self.target])


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


def halves(typing: TypedEvents, students: Array, target: Array) -> SampleHalves:
    """Typing reduced to the attacker's sample and the target; `target` says it of every session."""
    early, late = split_samples(typing, students, target)
    return SampleHalves(reference=early, target=late)


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
