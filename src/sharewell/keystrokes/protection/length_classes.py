"""How long sessions last: kept relative to each other, because a length in milliseconds points at its typist.

A student's lengths are all multiplied by one number, which moves the student's pace (length per key, pauses
included) to the pace of the group, or of everyone where the limit asks for that, and they are put into classes: from
one power of two to the next, 1.024 s, 2.048 s, 4.096 s and so on. So someone who worked long on one task and
shortly on another still does, while neither the pace nor the milliseconds give anybody away. Drawn times that add up to
another class are fitted to the nearest edge of the right one: where time is missing the longest gap takes it, where
there is too much the longest gaps are cut.
"""

import numpy as np

from sharewell.keystrokes.arrays import Array, TypedEvents, session_lengths, session_starts

FACTOR = 2  # from class to class
EDGES = float(FACTOR) ** np.arange(52)  # ms


def held(typing: TypedEvents, drawn: Array, slower: Array, everyone: float) -> Array:
    """Drawn latencies with every session as long as it was, up to its class, one factor per student and its new speed.

    The factor moves a student's pace to that of `everyone` (see `log_pace`); `slower` is the new log speed of each
    session.
    """
    starts = session_starts(typing.session)
    steps, student = np.diff(starts) - 1, typing.student[starts[:-1]]
    before = session_lengths(starts, typing.latency)
    moved = everyone - _log_paces(student, before, steps)[student] + slower
    return _fitted(drawn, starts, *bounds(np.where(before >= 1, before * np.exp(moved), 0.0)))


def log_pace(session: Array, drawn: Array) -> float:
    """Of everyone's drawn times."""
    starts = session_starts(session)
    steps = np.diff(starts) - 1
    return float(_log_paces(np.zeros_like(steps), session_lengths(starts, drawn), steps)[0])


def bounds(length: Array) -> tuple[Array, Array]:
    """The least and the greatest whole length of the same class; what is under 1 ms stays at nothing."""
    place = np.searchsorted(EDGES[:-1], length, side="right")
    return np.where(place > 0, EDGES[place - 1], 0.0), EDGES[place] - 1


def _log_paces(whose: Array, length: Array, steps: Array) -> Array:
    """The mean over the sessions of each student or group of the logarithm of length per key."""
    moving = (length >= 1) & (steps > 0)
    size = int(whose.max()) + 1
    logs = np.bincount(whose[moving], np.log(length[moving] / steps[moving]), size)
    return np.asarray(logs / np.maximum(np.bincount(whose[moving], minlength=size), 1))


def _fitted(latency: Array, starts: Array, least: Array, most: Array) -> Array:
    """Latencies of every session with the least change that brings its length between the two."""
    result, sizes = latency.copy(), np.diff(starts)
    total = session_lengths(starts, latency)
    for short in np.flatnonzero((total < least) & (sizes > 1)):
        gaps = result[starts[short] : starts[short + 1] - 1]  # the last event has no next
        gaps[np.argmax(gaps)] += least[short] - total[short]
    long = (total > most) & (sizes > 1)
    within = np.repeat(long, sizes) & ~np.isnan(latency)
    session = np.repeat(np.arange(len(sizes)), sizes)[within]
    result[within] = np.minimum(result[within], _caps(result[within], session, most)[session])
    return result


def _caps(gaps: Array, session: Array, whole: Array) -> Array:
    """What no gap of a session may exceed for all of them to fill the whole; `session` is sorted."""
    ascending, sizes = gaps[np.lexsort((gaps, session))], np.bincount(session, minlength=len(whole))
    ends = np.cumsum(sizes)
    place = np.arange(len(gaps)) - (ends - sizes)[session]
    total = np.cumsum(ascending) - ascending
    before = total - np.repeat(total[(ends - sizes)[sizes > 0]], sizes[sizes > 0])
    left = sizes[session] - place
    caps = np.full(len(whole), np.inf)
    reached = np.flatnonzero(before + ascending * left >= whole[session])[::-1]  # the first of each is written last
    caps[session[reached]] = ((whole[session] - before) / left)[reached]
    return caps
