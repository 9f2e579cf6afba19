"""Rounding and bucketing (Leinonen 2016, equations 3–5), of averages and of single events. Halves round up.

Coarse single events look safe and are not: whoever averages many of them gets most of the rhythm back. They are here
to be measured and compared; what protects is in `rhythms`.
"""

from typing import Any, Literal, get_args

import ibis
import numpy as np
from ibis.expr.types import FloatingColumn, Table

from sharewell import engine
from sharewell.errors import InputError
from sharewell.keystrokes import rebuild
from sharewell.keystrokes.events import Columns
from sharewell.keystrokes.typing import Array

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
    student: str,
    session: str,
    press: str,
    release: str | None = None,
    unit: str | None = None,
    step_ms: float = 300,
    method: Method = "bucket",
) -> Any:
    """Single events on a grid of `step_ms` since the start of their session; order and session length hold.

    Every press moves to its grid line, except that none passes the session's last press, which stays.
    Hold times are coarsened by the same equation.
    """
    _check(step_ms, method)
    columns = Columns(student=student, session=session, key=None, press=press, release=release, unit=unit)
    loaded = rebuild.load(engine.table(events), columns)
    typing = loaded.typing
    since = rebuild.press_times(typing, typing.latency)
    last = _last(since, typing.session)
    grid = coarse(since, step_ms, method) - coarse(np.zeros(1), step_ms, method)
    moved = np.where(since == last, last, np.minimum(grid, last))
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


def _last(since: Array, session: Array) -> Array:
    ends = np.flatnonzero(np.diff(session, append=-1))
    return np.repeat(since[ends], np.diff(ends, prepend=-1))


def _check(step: float, method: str) -> None:
    if not step >= 0:
        raise InputError("step_ms must be zero or more milliseconds")
    if method not in get_args(Method):
        raise InputError(f"there is no method '{method}'; use one of {', '.join(get_args(Method))}")
