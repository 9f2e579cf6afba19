"""Give sessions the keys of other students' sessions: what was typed stays.

Which keys someone uses, how often they correct themselves and what they write mark a person as times do. A session that
is exchanged gets the keys of another student's session of about the same size, from its beginning, and of a further one
where that is too short. Where even the sizes of sessions find too many, whole sessions change places, whatever their
size. Times are drawn for the new keys afterwards.
"""

from typing import NamedTuple

import numpy as np

from sharewell.keystrokes.arrays import Array, session_starts

NEAR = 25  # sessions next in size on either side among which donors are drawn, or a twentieth of all
TRIES = 24


class SessionSpans(NamedTuple):
    """Whose each session is, where its events begin, and how many it has."""

    owner: Array
    starts: Array
    sizes: Array


def sessions_of(student: Array, session: Array) -> SessionSpans:
    starts = session_starts(session)
    return SessionSpans(student[starts[:-1]], starts[:-1], np.diff(starts))


def whole_sessions(student: Array, session: Array, chance: Array) -> tuple[Array, Array]:
    """All sessions change places: for every new event its session, and the event that gives it its key.

    `chance` has a number in [0, 1) for each session, and each gets the keys of the one that follows by it: when others
    come or leave, few sessions get other keys. Who would get an own session back takes the next one instead.
    """
    starts = session_starts(session)
    owner, order = student[starts[:-1]], np.argsort(chance, kind="stable")
    giver = np.empty(len(order), dtype=np.int64)
    giver[order] = np.roll(order, -1)
    for place in np.flatnonzero(owner[giver] == owner):
        others = np.flatnonzero((owner != owner[place]) & (owner[giver] != owner[place]))
        if len(others) and owner[giver[place]] == owner[place]:  # an earlier swap may have moved it already
            other = others[((chance[others] - chance[place]) % 1.0).argmin()]
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
    return _filled(own, order, place, chosen, chance)


def _filled(own: SessionSpans, order: Array, place: Array, chosen: Array, chance: Array) -> Array:
    """Donors for all sessions at once, one round after the other until each session is as long as it was."""
    reach, rounds = max(NEAR, len(order) // 20), chance.shape[1]
    low, high = np.maximum(0, place - reach), np.minimum(len(order), place + reach + 1)
    kept = np.flatnonzero(~chosen)
    taken = [(kept, own.starts[kept], own.sizes[kept])]
    open_, at, attempt = np.flatnonzero(chosen & (own.sizes > 0)), np.zeros(len(own.sizes), dtype=np.int64), 0
    while len(open_):
        number = chance[open_, min(attempt, rounds - 1)]
        donor = order[low[open_] + (number * (high - low)[open_]).astype(np.int64)]
        attempt += 1
        if attempt < rounds:  # nobody gives to themselves, unless nobody else was drawn
            others = own.owner[donor] != own.owner[open_]
            open_now, donor = open_[others], donor[others]
        else:
            open_now = open_
        size = np.minimum(own.sizes[donor], own.sizes[open_now] - at[open_now])
        taken.append((open_now, own.starts[donor], size))
        at[open_now] += size
        open_ = open_[at[open_] < own.sizes[open_]]
    session, first, size = (np.concatenate(parts) for parts in zip(*taken, strict=True))
    by_session = np.argsort(session, kind="stable")
    first, size = first[by_session], size[by_session]
    within = np.arange(size.sum()) - np.repeat(np.cumsum(size) - size, size)
    return np.asarray(np.repeat(first, size) + within)
