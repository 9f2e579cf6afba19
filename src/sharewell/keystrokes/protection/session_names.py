"""New names for sessions: numbers within each student, in an order that only the key knows."""

from collections.abc import Iterable

import numpy as np
import pyarrow as pa

from sharewell.keystrokes.arrays import Array, session_starts
from sharewell.keystrokes.eventlog import Events


def free_stem(originals: Iterable[str], most: int) -> str:
    """What new names begin with, so that none of them is one of the names that were there before, of sessions or of
    students, where nobody has more than so many sessions."""
    stem, before = "s", set(originals)
    while any(f"{stem}{one}" in before for one in range(1, most + 1)):
        stem += "_"
    return stem


def renumbered(student: Array, chance: Array, stem: str) -> Array:
    """The new name of every session, given whose it is and a drawn number: s1, s2 and so on for each student."""
    order = np.lexsort((chance, student))
    ordered = student[order]
    number = np.empty(len(student), dtype=np.int64)
    number[order] = np.arange(len(student)) - np.searchsorted(ordered, ordered) + 1
    return np.array([f"{stem}{one}" for one in number], dtype=object)


def named_sessions(events: Events, names: Array) -> pa.Table:
    """Which session became which, for the private folder."""
    owner = events.students[events.typing.student[session_starts(events.typing.session)[:-1]]]
    told = {"student": owner, "session": events.sessions, "released_as": names}
    return pa.table({name: pa.array([str(one) for one in values], pa.string()) for name, values in told.items()})
