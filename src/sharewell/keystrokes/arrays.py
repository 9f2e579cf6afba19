"""Typing as arrays: what kernels and draws work on."""

from dataclasses import dataclass
from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]


@dataclass(frozen=True, kw_only=True)
class TypedEvents:
    """Events of several typists, sorted by student, session and time. The last event of a session has no next."""

    student: Array  # codes 0…
    session: Array  # codes 0…, no two students share one
    key: Array
    latency: Array  # to the next event of the session, NaN for its last
    hold: Array  # NaN where the release is not known
    keys: Array  # the name of each key code
    kinds: Array  # the kind of each key code

    @property
    def next_key(self) -> Array:
        """The next key's code, one beyond the last code at the end of a session."""
        following = np.append(self.key[1:], len(self.kinds))
        return np.where(np.isnan(self.latency), len(self.kinds), following)


MOST_TABLE = 50_000_000  # codes up to here are numbered by a table, larger ones by sorting


def numbered(codes: Array) -> tuple[Array, Array]:
    """The distinct codes in order, and each code's place among them."""
    largest = int(codes.max(initial=0))
    if largest >= MOST_TABLE:
        names, place = np.unique(codes, return_inverse=True)
        return names, place.astype(np.int64)
    there = np.zeros(largest + 1, dtype=bool)
    there[codes] = True
    return np.flatnonzero(there), (np.cumsum(there) - 1)[codes]


def session_starts(session: Array) -> Array:
    """Where each session's events begin, and the end."""
    return np.append(np.flatnonzero(np.diff(session, prepend=-1)), len(session))


def session_lengths(starts: Array, latency: Array) -> Array:
    """From the first press to the last, in ms."""
    return np.add.reduceat(np.where(np.isnan(latency), 0.0, latency), starts[:-1])
