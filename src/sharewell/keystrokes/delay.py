"""Random delays (Monaco and Tappert 2016): every event comes up to so many milliseconds later, in the same order."""

import hashlib
from typing import Any, Unpack

import numpy as np
from numba import njit

from sharewell.data import engine
from sharewell.data.keyed import Keyed, new_key
from sharewell.errors import InputError
from sharewell.keystrokes import rebuild
from sharewell.keystrokes.events import Columns, Times
from sharewell.keystrokes.typing import Array


def delay(
    events: Any,
    *,
    most_ms: float = 25,
    seed: int | None = None,
    **columns: Unpack[Times],
) -> Any:
    """Presses and releases put off by 0…`most_ms`, uniformly; an event waits for the one before it."""
    if not most_ms >= 0:
        raise InputError("most_ms must be zero or more milliseconds")
    loaded = rebuild.load(engine.table(events), Columns(key=None, **columns))
    key = new_key() if seed is None else hashlib.sha256(str(seed).encode()).digest()
    generator = Keyed(key, "keystrokes").generator("delay")
    typing = loaded.typing
    since = rebuild.press_times(typing, typing.latency)
    late = _in_order(since + generator.uniform(0, most_ms, len(since)), typing.session)
    let_go = np.maximum(since + typing.hold + generator.uniform(0, most_ms, len(since)), late)
    table = rebuild.with_times(loaded, loaded.start + late, loaded.start + let_go)
    return engine.like(table.order_by(rebuild.ROW).drop(rebuild.ROW), events)


@njit(cache=True)
def _in_order(times: Array, session: Array) -> Array:  # pragma: no cover — compiled
    result = times.copy()
    for event in range(1, len(times)):
        if session[event] == session[event - 1] and result[event] < result[event - 1]:
            result[event] = result[event - 1]
    return result
