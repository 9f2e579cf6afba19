"""From key events to timings: how long from key to key, and how long each key is held.

A timing is one row: `student`, `session`, `week`, `kind` (latency, hold, trigraph), `keys`, `ms`. Latencies run from
press to press and are kept within 10–750 ms (Dowland and Furnell 2004): shorter ones are auto-completion or two keys
struck at once, longer ones are pauses and not rhythm.
"""

from typing import Any, TypeVar, Unpack, cast

import ibis
from ibis.expr.types import Table

from sharewell.data import engine
from sharewell.keystrokes.columns import Keys, as_named, canonical

Frame = TypeVar("Frame")
SHORTEST_MS, LONGEST_MS = 10.0, 750.0
FOREVER, EDGE_MS = 1e18, 1e-6
TO = "→"  # between the keys of a digraph: "a→b"


def timings(
    events: Frame,
    *,
    shortest_ms: float = SHORTEST_MS,
    longest_ms: float = LONGEST_MS,
    trigraphs: bool = False,
    **columns: Unpack[Keys],
) -> Frame:
    """Measure latencies of key events, and hold times where releases are known.

    Args:
        events: One row per key event: a pandas, polars or pyarrow frame, or a path.
        shortest_ms: Shorter times are left out: auto-completion, or two keys struck at once.
        longest_ms: Longer times are left out: pauses, not rhythm.
        trigraphs: Whether times over three keys are made as well.
        columns: The names of columns: `student`, `session`, `key` and `press`; `release` where key releases are known,
            `week` where sessions belong to weeks, and `unit` (ns, us, ms, s) where the clock does not tell it.

    Returns:
        One row per time (`student`, `session`, `week`, `kind`, `keys`, `ms`), as the same kind of frame.

    Example:
        >>> import pyarrow as pa
        >>> import sharewell as sw
        >>> events = pa.table({
        ...     "user": ["ann"] * 4, "task": [1] * 4, "key": list("abab"), "press": [0, 100, 250, 360],
        ...     "release": [70, 160, 330, 420],
        ... })
        >>> timed = sw.keystrokes.timings(events, student="user", session="task", key="key", press="press")
        >>> sorted(zip(timed["keys"].to_pylist(), timed["ms"].to_pylist()))
        [('a→b', 100.0), ('a→b', 110.0), ('b→a', 150.0)]
    """
    table = canonical(engine.table(events), as_named(columns))
    made = timing_table(table, shortest_ms=shortest_ms, longest_ms=longest_ms, trigraphs=trigraphs)
    return cast(Frame, engine.like(made, events))


def timing_table(
    events: Table,
    *,
    shortest_ms: float = SHORTEST_MS,
    longest_ms: float = LONGEST_MS,
    trigraphs: bool = False,
    sessions: bool = False,
) -> Table:
    """The timings of canonical events, as an expression.

    `sessions` adds what rhythm leaves out: pauses, longer than a latency may be, and each session's length per key.
    """
    stepped = with_neighbours(events)
    parts = [
        _named(stepped, "latency", stepped.before + TO + stepped.key, stepped.press - stepped.pressed_before),
        _named(stepped, "hold", stepped.key, stepped.release - stepped.press),
    ]
    if trigraphs:
        keys = stepped.before_that + TO + stepped.before + TO + stepped.key
        parts.append(_named(stepped, "trigraph", keys, stepped.press - stepped.pressed_before_that))
    if sessions:
        parts.append(_named(stepped, "pause", ibis.literal("any"), stepped.press - stepped.pressed_before))
        parts.append(_paces(events))
    every = ibis.union(*parts)
    longest = ibis.cases(
        (every.kind == "trigraph", 2 * longest_ms), (every.kind.isin(["pause", "length"]), FOREVER), else_=longest_ms
    )
    shortest = ibis.cases(
        (every.kind == "pause", longest_ms + EDGE_MS), (every.kind == "length", EDGE_MS), else_=shortest_ms
    )
    return every.filter(every.ms >= shortest, every.ms <= longest)


def _paces(events: Table) -> Table:
    """The length of every session of two keys or more, per key."""
    sessions = events.group_by("student", "session").agg(
        week=events.week.min(), length=events.press.max() - events.press.min(), steps=events.count() - 1
    )
    longer = sessions.filter(sessions.steps > 0)
    return _named(longer, "length", ibis.literal("any"), longer.length / longer.steps)


def with_neighbours(events: Table) -> Table:
    """Every event with the keys struck before it in the same session; equal times keep the order of the rows."""
    window = ibis.window(group_by=["student", "session"], order_by=["press", "row"])
    return events.mutate(
        before=events.key.lag(1).over(window),
        before_that=events.key.lag(2).over(window),
        pressed_before=events.press.lag(1).over(window),
        pressed_before_that=events.press.lag(2).over(window),
    )


def _named(table: Table, kind: str, keys: Any, ms: Any) -> Table:
    return table.select("student", "session", "week", kind=ibis.literal(kind), keys=keys, ms=ms)


def drop_rare(timings: Frame, *, least: int = 5) -> Frame:
    """Leave out features that few students have: rare pairs point at their typist.

    Args:
        timings: Times as `timings` makes them.
        least: How many students must have a feature for it to stay.

    Returns:
        The timings that stay, as the same kind of frame.

    Example:
        >>> import pyarrow as pa
        >>> import sharewell as sw
        >>> timed = pa.table({"student": ["ann", "bo", "bo"], "kind": ["hold"] * 3, "keys": ["a", "a", "q"],
        ...                   "ms": [80.0, 90.0, 70.0]})
        >>> sw.keystrokes.drop_rare(timed, least=2)["keys"].to_pylist()
        ['a', 'a']
    """
    table = engine.table(timings)
    common = table.group_by("kind", "keys").agg(typists=table.student.nunique())
    kept = table.semi_join(common.filter(common.typists >= least), ["kind", "keys"])
    return cast(Frame, engine.like(kept, timings))
