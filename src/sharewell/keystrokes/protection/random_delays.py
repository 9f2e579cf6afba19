"""Random delays (Monaco and Tappert 2016): every event comes up to so many milliseconds later, in the same order."""

import hashlib
from typing import TypeVar, Unpack, cast

import numpy as np

from sharewell.data import engine
from sharewell.data.keyed import Keyed, new_key
from sharewell.errors import InputError
from sharewell.keystrokes import eventlog
from sharewell.keystrokes.arrays import Array
from sharewell.keystrokes.columns import KeyColumns, TimeColumns

Frame = TypeVar("Frame")


def delay(
    events: Frame,
    *,
    most_ms: float = 25,
    seed: int | None = None,
    **columns: Unpack[TimeColumns],
) -> Frame:
    """Delay presses and releases by up to `most_ms`, uniformly, in their order.

    Args:
        events: One row per key event: a pandas, polars or pyarrow frame, or a path.
        most_ms: The longest delay in milliseconds.
        seed: Makes the draws repeatable; anyone who knows it can undo them. Without a seed they are secret.
        columns: The names of columns: `student`, `session` and `press`; `release` where key releases are known, and
            `unit` (ns, us, ms, s) where the clock does not tell it.

    Returns:
        The events with new times, as the same kind of frame.

    Example:
        >>> import pyarrow as pa
        >>> import sharewell as sw
        >>> events = pa.table({
        ...     "user": ["ann"] * 4, "task": [1] * 4, "key": list("abab"), "press": [0, 100, 250, 360],
        ...     "release": [70, 160, 330, 420],
        ... })
        >>> late = sw.keystrokes.delay(events, most_ms=20, seed=1, student="user", session="task", press="press")
        >>> [0 <= new - old <= 20 for new, old in zip(late["press"].to_pylist(), events["press"].to_pylist())]
        [True, True, True, True]
    """
    if not most_ms >= 0:
        raise InputError("most_ms must be zero or more milliseconds")
    loaded = eventlog.load(engine.table(events), KeyColumns(key=None, **columns))
    key = new_key() if seed is None else hashlib.sha256(str(seed).encode()).digest()
    generator = Keyed(key, "keystrokes").generator("delay")
    typing = loaded.typing
    since = eventlog.press_times(typing, typing.latency)
    late = _in_order(since + generator.uniform(0, most_ms, len(since)), typing.session)
    let_go = np.maximum(since + typing.hold + generator.uniform(0, most_ms, len(since)), late)
    table = eventlog.with_times(loaded, loaded.start + late, loaded.start + let_go)
    return cast(Frame, engine.like(eventlog.in_order(table, loaded), events))


def _in_order(times: Array, session: Array) -> Array:
    """The largest time so far within each session, by ranks: they can be told apart by session without rounding."""
    ascending, rank = np.unique(times, return_inverse=True)
    so_far = np.maximum.accumulate(session * len(ascending) + rank)
    return np.asarray(ascending[so_far - session * len(ascending)])
