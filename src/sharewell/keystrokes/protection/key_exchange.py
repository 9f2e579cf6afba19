"""Sessions take their keys from sessions of other students: what was typed stays, who typed it does not.

Which keys someone uses, how often they correct themselves and what they write mark a person as times do. A session that
is exchanged gets the keys of another student's session of about the same size, from its beginning, and of a further one
where that is too short. Times are drawn for the new keys afterwards.
"""

import numpy as np
from numba import njit

from sharewell.keystrokes.arrays import Array, session_starts

NEAR = 25  # sessions next in size on either side among which donors are drawn, or a twentieth of all
TRIES = 24


def exchanged(student: Array, session: Array, needed: Array, chosen: Array, chance: Array) -> Array:
    """Whose event gives each of the first `needed[s]` events of every session its key, session after session.

    `chosen` says which sessions take their keys from others; `chance` has a row of numbers in [0, 1) for each.
    """
    starts = session_starts(session)
    sizes = np.diff(starts)
    order = np.argsort(sizes, kind="stable")
    place = np.empty(len(order), dtype=np.int64)
    place[order] = np.arange(len(order))
    reach = max(NEAR, len(order) // 20)
    owner = student[starts[:-1]]
    return _filled(starts, needed, chosen, chance, order, place, owner, reach)


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
