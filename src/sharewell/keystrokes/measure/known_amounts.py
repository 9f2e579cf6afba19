"""Someone knows how much a student typed, or how long, in each session, and looks for the same amounts.

Sessions get new names in an order that only the key knows, so that amounts are compared in order of size; a column
such as the week may tell more, so that they are compared session by session as well. A student whose fifteen sessions
have so many keys each is alone with that: nothing else has to be known. The number of sessions is released as it is:
what that finds is measured beside the other attacks, and no limit applies to it.
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from scipy.spatial.distance import cdist

from sharewell.contract import Risk
from sharewell.keystrokes.arrays import Array, TypedEvents, session_lengths, session_starts
from sharewell.keystrokes.measure.measuring import Attackers, most_sought, told

NONE_SHARED = 1e9  # the distance of people who share no place


def known_amounts(
    original: TypedEvents, released: TypedEvents, attackers: Attackers, amounts: Sequence[str]
) -> list[Risk]:
    """The share of students found by the number of "keys" or the "time" of their sessions."""
    risks = []
    for of in amounts:
        known, seen = (_per_session(typing, of) for typing in (original, released))
        students = min(len(known), len(seen))
        own = np.arange(students)
        most = attackers.most or most_sought(students)
        if students > most:
            own = np.sort(np.random.default_rng(attackers.seed).choice(own, most, replace=False))
        for matched, one, other in (("session by session", known, seen), ("by size", _by_size(known), _by_size(seen))):
            found = told(-_mean_gaps(one, other[own]), own, "amounts", attackers, {"of": of, "matched": matched})
            risks += [replace(risk, setting={**risk.setting, "reference": "amounts"}) for risk in found]
    return risks


def _per_session(typing: TypedEvents, of: str) -> Array:
    """Logarithms of amounts, students × sessions in the order of the sessions' original names."""
    starts = session_starts(typing.session)
    amount = np.diff(starts) if of == "keys" else session_lengths(starts, typing.latency)
    owner = typing.student[starts[:-1]]
    place = np.arange(len(owner)) - np.searchsorted(owner, owner)
    result = np.full((int(typing.student.max()) + 1, int(place.max(initial=0)) + 1), np.nan)
    result[owner, place] = np.log(np.maximum(amount, 1.0))
    return result


def _by_size(amounts: Array) -> Array:
    """The largest first; students with fewer sessions have nothing at the end."""
    return -np.sort(-amounts, axis=1)


def _mean_gaps(known: Array, sought: Array) -> Array:
    """Mean gaps of every two people, over the places that both have."""
    places = [~np.isnan(one) for one in (known, sought)]
    amounts = [np.nan_to_num(one) for one in (known, sought)]
    has, present = (one.astype(float) for one in places)
    both = present @ has.T
    apart = cdist(amounts[1], amounts[0], "cityblock")  # with zero for what one of them lacks, which is taken off
    alone = np.abs(amounts[1]) @ (1 - has).T + (1 - present) @ np.abs(amounts[0]).T
    return np.where(both > 0, np.maximum(apart - alone, 0.0) / np.maximum(both, 1), NONE_SHARED)


def known_sessions(original: TypedEvents, released: TypedEvents, attackers: Attackers) -> list[Risk]:
    """The share of students found by the number of their sessions, ties in the order of luck."""
    known, seen = (_sessions(typing) for typing in (original, released))
    own = np.arange(min(len(known), len(seen)))
    most = attackers.most or most_sought(len(own))
    if len(own) > most:
        own = np.sort(np.random.default_rng(attackers.seed).choice(own, most, replace=False))
    scored = -np.abs(seen[own][:, None] - known[None, :]).astype(float)
    found = told(scored, own, "sessions", attackers)
    return [replace(risk, setting={**risk.setting, "held to the limit": "no"}) for risk in found]


def _sessions(typing: TypedEvents) -> Array:
    """How many sessions every student has."""
    return np.bincount(typing.student[session_starts(typing.session)[:-1]])
