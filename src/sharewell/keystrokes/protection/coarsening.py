"""Rounding and bucketing (Leinonen 2016, equations 3–5), of averages and of single events. Halves round up.

Coarse single events look safe and are not: whoever averages many of them gets most of the rhythm back. They are here
to be measured and compared; what protects is in `rhythm_draws`.
"""

from typing import Literal, TypeVar, Unpack, cast, get_args

import numpy as np

from sharewell.data import engine
from sharewell.errors import InputError
from sharewell.keystrokes import eventlog
from sharewell.keystrokes.arrays import Array, TypedEvents
from sharewell.keystrokes.columns import KeyColumns, TimeColumns

Frame = TypeVar("Frame")
Method = Literal["round", "bucket"]


def coarse(values: Array, step: float, method: Method) -> Array:
    """Averages coarsened; a step of zero leaves them as they are."""
    if step == 0:
        return values
    if method == "round":
        return np.asarray(step * np.floor(values / step + 0.5))  # equation 3
    return np.asarray(step * np.floor((values + step / 2) / step + 0.5))  # equations 4 and 5


def coarsen(
    events: Frame,
    *,
    step_ms: float = 300,
    method: Method = "bucket",
    **columns: Unpack[TimeColumns],
) -> Frame:
    """Coarsen every latency and hold time of single events, and rebuild times.

    The order of events holds. So does the length of each session: coarse latencies are stretched or shrunk together,
    by one factor per session, until they fill it.

    Args:
        events: One row per key event: a pandas, polars or pyarrow frame, or a path.
        step_ms: The width in milliseconds; zero leaves the times as they are.
        method: "bucket" (the thesis's equations 4 and 5) or "round" (equation 3).
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
        >>> coarse = sw.keystrokes.coarsen(events, step_ms=100, student="user", session="task", press="press")
        >>> coarse["press"].to_pylist()
        [0, 120, 240, 360]
    """
    _check(step_ms, method)
    loaded = eventlog.load(engine.table(events), KeyColumns(key=None, **columns))
    typing = loaded.typing
    moved = _fitted(eventlog.press_times(typing, typing.latency), coarse(typing.latency, step_ms, method), typing)
    press_ms = loaded.start + moved
    table = eventlog.with_times(loaded, press_ms, press_ms + coarse(typing.hold, step_ms, method))
    return cast(Frame, engine.like(eventlog.in_order(table, loaded), events))


def _fitted(since: Array, latency: Array, typing: TypedEvents) -> Array:
    """Times since the session's start from coarse latencies, fitted to the session's length.

    Where every latency of a session became zero its events are spread evenly.
    """
    rebuilt = eventlog.press_times(typing, latency)
    even = eventlog.press_times(typing, np.where(np.isnan(latency), np.nan, 1.0))
    ends = np.flatnonzero(np.diff(typing.session, append=-1))
    events = np.diff(ends, prepend=-1)
    length, coarse_length = np.repeat(since[ends], events), np.repeat(rebuilt[ends], events)
    spread = np.where(coarse_length > 0, rebuilt, even)
    whole = np.repeat(np.where(rebuilt[ends] > 0, rebuilt[ends], even[ends]), events)
    return np.where(whole > 0, spread * (length / np.maximum(whole, 1e-9)), 0.0)


def _check(step: float, method: str) -> None:
    if not step >= 0:
        raise InputError("step_ms must be zero or more milliseconds")
    if method not in get_args(Method):
        raise InputError(f"there is no method '{method}'; use one of {', '.join(get_args(Method))}")
