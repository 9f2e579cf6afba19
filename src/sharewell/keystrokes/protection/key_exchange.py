"""Sessions take their keys from sessions of other students: what was typed stays, who typed it does not.

Which keys someone uses, how often they correct themselves and what they write mark a person as times do. A session that
is exchanged gets the keys of another student's session of about the same size, from its beginning, and of a further one
where that is too short. Where even the sizes of sessions find too many, whole sessions change places, whatever their
size. Times are drawn for the new keys afterwards.
"""

import numpy as np
from numba import njit

from sharewell.keystrokes.arrays import Array, session_starts

NEAR = 25  # sessions next in size on either side among which donors are drawn, or a twentieth of all
TRIES = 24


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
    starts = session_starts(session)
    sizes = np.diff(starts)
    order = np.argsort(sizes, kind="stable")
    place = np.empty(len(order), dtype=np.int64)
    place[order] = np.arange(len(order))
    reach = max(NEAR, len(order) // 20)
    owner = student[starts[:-1]]
    return _filled(starts, sizes, chosen, chance, order, place, owner, reach)


@njit(cache=True)
def _filled(
    starts: Array, needed: Array, chosen: Array, chance: Array, order: Array, place: Array, owner: Array, reach: int
) -> Array:  # pragma: no cover — compiled
    result = np.empty(needed.sum(), dtype=np.int64)
    at = 0
    for session in range(len(needed)):
        end = at + needed[session]
        if not chosen[session]:
            result[at:end] = np.arange(starts[session], starts[session] + needed[session])
            at = end
        low, high = max(0, place[session] - reach), min(len(order), place[session] + reach + 1)
        attempt, donor = 0, -1
        while at < end:
            if attempt < chance.shape[1]:
                drawn = order[low + int(chance[session, attempt] * (high - low))]
                attempt += 1
                if owner[drawn] == owner[session] and attempt < chance.shape[1]:
                    continue
                donor = drawn
            size = min(starts[donor + 1] - starts[donor], end - at)
            result[at : at + size] = np.arange(starts[donor], starts[donor] + size)
            at += size
    return result
