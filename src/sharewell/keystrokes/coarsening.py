"""Rounding and bucketing (Leinonen 2016, equations 3–5), of averages and of single events. Halves round up.

Coarse single events look safe and are not: whoever averages many of them gets most of the rhythm back. They are here
to be measured and compared; what protects is in `rhythms`.
"""

from typing import Any, Literal, Unpack, get_args

import ibis
import numpy as np
from ibis.expr.types import FloatingColumn, Table

from sharewell.data import engine
from sharewell.errors import InputError
from sharewell.keystrokes import rebuild
from sharewell.keystrokes.events import Columns, Times
from sharewell.keystrokes.typing import Array, Typing

Method = Literal["round", "bucket"]


def coarse(values: Array, step: float, method: Method) -> Array:
    """Averages coarsened; a step of zero leaves them as they are."""
    if step == 0:
        return values
    if method == "round":
        return step * np.floor(values / step + 0.5)  # equation 3
    return step * np.floor((values + step / 2) / step + 0.5)  # equations 4 and 5


def coarsen(
    events: Any,
    *,
    step_ms: float = 300,
    method: Method = "bucket",
    **columns: Unpack[Times],
) -> Any:
    """Single events with every latency and hold time coarsened, and times rebuilt from them.

    The order of events holds. So does the length of each session: coarse latencies are stretched or shrunk together,
    by one factor per session, until they fill it.
    """
    _check(step_ms, method)
    loaded = rebuild.load(engine.table(events), Columns(key=None, **columns))
    typing = loaded.typing
    moved = _fitted(rebuild.press_times(typing, typing.latency), coarse(typing.latency, step_ms, method), typing)
    press_ms = loaded.start + moved
    table = rebuild.with_times(loaded, press_ms, press_ms + coarse(typing.hold, step_ms, method))
    return engine.like(table.order_by(rebuild.ROW).drop(rebuild.ROW), events)


def drop_rare(timings: Any, *, least: int = 5) -> Any:
    """Timings without the features that fewer than `least` students have: a rare pair of keys points at its typist."""
    table = engine.table(timings)
    common = table.group_by("kind", "keys").agg(typists=table.student.nunique())
    return engine.like(table.semi_join(common.filter(common.typists >= least), ["kind", "keys"]), timings)


def coarse_timings(timings: Table, step: float, method: Method) -> Table:
    """Single timings coarsened, as an expression."""
    ms: FloatingColumn = timings.ms
    shift = step / 2 if method == "bucket" else 0.0
    return timings.mutate(ms=ibis.literal(float(step)) * ((ms + shift) / step + 0.5).floor())


def _fitted(since: Array, latency: Array, typing: Typing) -> Array:
    """Times since the session's start from coarse latencies, fitted to the session's length.

    Where every latency of a session became zero its events are spread evenly.
    """
    rebuilt = rebuild.press_times(typing, latency)
    even = rebuild.press_times(typing, np.where(np.isnan(latency), np.nan, 1.0))
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
