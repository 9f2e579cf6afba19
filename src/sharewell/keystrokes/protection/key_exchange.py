"""Sessions take their keys from sessions of other students: what was typed stays, who typed it does not.

Which keys someone uses, how often they correct themselves and what they write mark a person as times do. A session that
is exchanged gets the keys of another student's session of about the same size, from its beginning, and of a further one
where that is too short. Where even the sizes of sessions find too many, whole sessions change places, whatever their
size. Times are drawn for the new keys afterwards.
"""

from typing import NamedTuple

import numpy as np

from sharewell.keystrokes.arrays import Array, session_starts
from sharewell.stats.compiled import njit

NEAR = 25  # sessions next in size on either side among which donors are drawn, or a twentieth of all
TRIES = 24


class Sessions(NamedTuple):
    """Whose each session is, where its events begin, and how many it has."""

    owner: Array
    starts: Array
    sizes: Array


def sessions_of(student: Array, session: Array) -> Sessions:
    starts = session_starts(session)
    return Sessions(student[starts[:-1]], starts[:-1], np.diff(starts))


def whole_sessions(student: Array, session: Array, chance: Array) -> tuple[Array, Array]:
    """All sessions change places: for every new event its session, and the event that gives it its key.

    `chance` has a number in [0, 1) for each session. Who would get an own session back takes the next one instead.
    """
    starts = session_starts(session)
    owner, giver = student[starts[:-1]], np.argsort(chance, kind="stable")
    for place in np.flatnonzero(owner[giver] == owner):
        others = np.flatnonzero((owner != owner[place]) & (owner[giver] != owner[place]))
        if len(others) and owner[giver[place]] == owner[place]:  # an earlier swap may have moved it already
            other = others[int(chance[place] * len(others))]
            giver[[place, other]] = giver[[other, place]]
    sizes = np.diff(starts)[giver]
    within = np.arange(sizes.sum()) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    return np.repeat(np.arange(len(owner)), sizes), starts[np.repeat(giver, sizes)] + within


def same_sizes(student: Array, session: Array, chosen: Array, chance: Array) -> Array:
    """Which event gives each event its key.

    `chosen` says which sessions take their keys from others; `chance` has a row of numbers in [0, 1) for each.
    """
    own = sessions_of(student, session)
    order = np.argsort(own.sizes, kind="stable")
    place = np.empty(len(order), dtype=np.int64)
    place[order] = np.arange(len(order))
    return _filled(own, own, order, place, chosen, chance)


def same_sizes_elsewhere(own: Sessions, givers: Sessions, chosen: Array, chance: Array) -> Array:
    """The same where sessions of others, not among these, give their keys; those who are both have one number."""
    order = np.argsort(givers.sizes, kind="stable")
    place = np.searchsorted(givers.sizes[order], own.sizes)
    return _filled(own, givers, order, place, chosen, chance)


def any_size_elsewhere(own: Sessions, givers: Sessions, chance: Array) -> tuple[Array, Array]:
    """Every session takes the place of one that is drawn from those of others: for every new event its session, and
    the event that gives it its key. `chance` has a number in [0, 1) for each session."""
    giver = (chance * len(givers.owner)).astype(np.int64)
    while (same := givers.owner[giver] == own.owner).any():
        giver[same] = (giver[same] + 1) % len(givers.owner)
    sizes = givers.sizes[giver]
    within = np.arange(sizes.sum()) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    return np.repeat(np.arange(len(giver)), sizes), givers.starts[np.repeat(giver, sizes)] + within


@njit(cache=True)
def _filled(
    own: Sessions, givers: Sessions, order: Array, place: Array, chosen: Array, chance: Array
) -> Array:  # pragma: no cover — compiled
    result = np.empty(own.sizes.sum(), dtype=np.int64)
    at, reach = 0, max(NEAR, len(order) // 20)
    for session in range(len(own.sizes)):
        end = at + own.sizes[session]
        if not chosen[session]:
            result[at:end] = np.arange(own.starts[session], own.starts[session] + own.sizes[session])
            at = end
        low, high = max(0, place[session] - reach), min(len(order), place[session] + reach + 1)
        attempt, donor = 0, -1
        while at < end:
            if attempt < chance.shape[1]:
                drawn = order[low + int(chance[session, attempt] * (high - low))]
                attempt += 1
                if givers.owner[drawn] == own.owner[session] and attempt < chance.shape[1]:
                    continue
                donor = drawn
            size = min(givers.sizes[donor], end - at)
            result[at : at + size] = np.arange(givers.starts[donor], givers.starts[donor] + size)
            at += size
    return result
