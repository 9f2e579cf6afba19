"""Protections for a table of events: each alone, or the best combination searched for.

A frame comes in, the same kind of frame goes out. Whatever is drawn at random to protect comes from `key`: give one
when the result leaves the house. From a seed alone anyone who knows it can draw the same again.
"""

import hashlib
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar, cast

import numpy as np
from ibis.expr.types import Table

from sharewell.contract import Change, Job, Protected
from sharewell.data import engine
from sharewell.data.formats.columns import check_columns, moment
from sharewell.data.keyed import Keyed
from sharewell.errors import InputError
from sharewell.plan.windows import parse, parse_length
from sharewell.traces import study
from sharewell.traces.arrays import Array
from sharewell.traces.attacks.draws import attacker
from sharewell.traces.coarser_log import view
from sharewell.traces.events import Times, ready
from sharewell.traces.kept_columns import KeptColumns
from sharewell.traces.log import Log, reduce
from sharewell.traces.measure.known_points import singled_out
from sharewell.traces.protection import moving
from sharewell.traces.protection.group_release import GroupRelease
from sharewell.traces.protection.group_rows import thinned
from sharewell.traces.protection.groups import formed
from sharewell.traces.protection.rare_points import beyond, shared_by_few, telling
from sharewell.traces.protection.recoding import Recoding, coarsened, merged, without_pairs
from sharewell.traces.protection.settings import merge_rare_values
from sharewell.traces.section import Limit, Section

Frame = TypeVar("Frame")


def coarsen(events: Frame, *, at: str, window: str, dates: str | None = None) -> Frame:
    """Replace times by the start of their window.

    Args:
        events: A frame, a table or a path.
        at: The column of the times.
        window: The window, such as "15min", "1d", "1w" or "weekday".
        dates: The layout of text dates where it is ambiguous, such as "day-first".

    Returns:
        The same kind of frame; a path gives a pyarrow table.

    Example:
        >>> import pyarrow as pa
        >>> import sharewell as sw
        >>> log = pa.table({"user": ["ann"], "time": ["2024-03-04 10:17:31"]})
        >>> sw.traces.coarsen(log, at="time", window="1h")["time"].to_pylist()
        [datetime.datetime(2024, 3, 4, 10, 0)]
    """
    table = engine.table(events)
    table = table.mutate(**{at: moment(table, at, layout=dates)})
    return cast(Frame, engine.like(coarsened(table, at, parse(window)), events))


def protect(
    events: Any,
    *,
    student: str,
    at: str,
    also: Sequence[str] = (),
    keep: Sequence[str] = (),
    k: int = 5,
    promise: str = "company",
    known: int = 4,
    limit: float = 0.05,
    method: str | None = None,
    window: str | None = None,
    unknowable: Sequence[str] = (),
    sensitive: Sequence[str] | None = None,
    inference: float = 0.10,
    seed: int = 0,
    key: bytes | None = None,
    name: str = "events",
    dates: str | None = None,
) -> Protected:
    """Protect a log as a release does: k students with identical rows.

    `promise="points"` is the weaker limit on known points.

    Args:
        events: A frame, a table or a path.
        student: The column that tells whose event it is; it still holds the original ids afterwards.
        at: The column of the times.
        also: Columns of which someone may know the values; they may be merged or dropped.
        keep: Columns that analysts need, kept as far as the promise allows. Columns that are not named are dropped.
        k: How many students must have identical rows, kept columns and their order included.
        promise: "company", or "points": nothing but unicity at `known` points is limited then.
        known: For "points": how many points an attacker knows.
        limit: For "points": the largest share of students who may be singled out.
        method: "search" (less detail) or "groups" (like students share rows), the better of both if not given; or
            "features" (one row per student, the same for k of them).
        window: The time resolution to release; searched for if not given.
        unknowable: Columns of `keep` that nobody can know: they stay each student's own and stand outside the promise.
        sensitive: The columns of `keep` that nobody should learn of a student; all of them if not given.
        inference: How much oftener they may be read off those with the same rows than with these left out.
        seed: Draws what protects where no key is given: for trying out.
        key: Draws what protects; give one when the result leaves the house.
        name: With the key of a release and the name of its section the same rows come out as there.
        dates: The layout of text dates where it is ambiguous, such as "day-first".

    Returns:
        The protected table, the changes made, and the curve of what was tried. `facts` say what is promised.

    Example:
        >>> import pyarrow as pa
        >>> import sharewell as sw
        >>> log = pa.table({"user": ["ann", "bob"], "time": ["2024-03-04 10:00", "2024-03-04 11:00"]})
        >>> kept = sw.traces.protect(log, student="user", at="time", k=2)
        >>> sw.traces.company(kept.table, student="user").value
        2
    """
    section = Section(
        name=name, folder=Path(), file=name, student=student, at=at, quasi=tuple(also), keep=tuple(keep),
        unknowable=dict.fromkeys(unknowable, "said in the call"), promise=promise, method=method, window=window,
        sensitive=None if sensitive is None else tuple(sensitive),
        limit=Limit(k=k, known=known, inference=inference)
        if promise == "company"
        else Limit(k=k, unicity=limit, known=known),
    )  # fmt: skip
    if problems := section.problems():
        raise InputError("; ".join(problems))
    if k < 2:
        raise InputError("k must be 2 or more: a group of one hides nobody")
    table = engine.table(events)
    check_columns(table, student=student, at=at, also=also, keep=keep)
    named = (student, at, *also, *keep)
    unnamed = tuple(column for column in table.columns if column not in named)
    timed = ready(table, student=student, at=at, times=Times(layout=dates))
    keyed = Keyed(key, "release").within(section.label) if key else _keyed(None, seed)
    job = Job(section=section, source=timed.drop(*unnamed), seed=seed, keyed=keyed)
    found = study.open(job).protect()
    rest = [column for column in found.table.columns if column not in (student, *found.order)]
    rows = found.table.order_by([student, *found.order, *rest]).drop(*found.helpers)
    dropped = (Change(columns=(column,), action="dropped", reason="the call does not ask for it") for column in unnamed)
    return replace(
        found,
        table=engine.like(rows, events),
        helpers=(),
        order=tuple(name for name in found.order if name not in found.helpers),
        changes=(*dropped, *found.changes),
    )


def suppress(
    events: Frame,
    *,
    student: str,
    at: str,
    window: str,
    needed: int,
    also: Sequence[str] = (),
    dates: str | None = None,
) -> Frame:
    """Leave out points that fewer than `needed` students share.

    A point is a window of `window` with its values.

    Args:
        events: A frame, a table or a path.
        student: The column that tells whose event it is.
        at: The column of the times.
        window: The window, such as "1d".
        needed: How many students must share a point for it to stay.
        also: Further columns that belong to a point.
        dates: The layout of text dates where it is ambiguous.

    Returns:
        The same kind of frame, with times replaced by the start of their window.

    Example:
        >>> import pyarrow as pa
        >>> import sharewell as sw
        >>> days = ["2024-03-04", "2024-03-04", "2024-03-09"]
        >>> log = pa.table({"user": ["ann", "bob", "ann"], "time": days})
        >>> sw.traces.suppress(log, student="user", at="time", window="1d", needed=2).num_rows
        2
    """
    table, log = _reduced(events, student, at, window, also, dates)
    return _without(events, table, log, shared_by_few(log, needed), student, at)


def drop_telling(
    events: Frame,
    *,
    student: str,
    at: str,
    window: str,
    points: int,
    known: int = 4,
    limit: float = 0.05,
    also: Sequence[str] = (),
    seed: int = 0,
    dates: str | None = None,
) -> Frame:
    """Leave out the rarest points of students who are singled out too often.

    Args:
        events: A frame, a table or a path.
        student: The column that tells whose event it is.
        at: The column of the times.
        window: The window, such as "1d".
        points: How many points each of these students loses.
        known: How many points an attacker knows.
        limit: How often a student may be singled out before points are lost.
        also: Further columns that belong to a point.
        seed: Seeds what measures.
        dates: The layout of text dates where it is ambiguous.

    Returns:
        The same kind of frame, with times replaced by the start of their window.

    Example:
        >>> import pyarrow as pa
        >>> import sharewell as sw
        >>> days = ["2024-03-04", "2024-03-04", "2024-03-09"]
        >>> log = pa.table({"user": ["ann", "bob", "ann"], "time": days})
        >>> sw.traces.drop_telling(log, student="user", at="time", window="1d", points=1, known=1).num_rows
        2
    """
    table, log = _reduced(events, student, at, window, also, dates)
    alone = singled_out(log, attacker("random"), known=[known], repeats=100, seed=seed)
    exposed = alone.hits[0] > limit * alone.tries
    return _without(events, table, log, telling(log, exposed, points), student, at)


def cut(events: Frame, *, student: str, at: str, window: str, longest: int, dates: str | None = None) -> Frame:
    """Only the first `longest` windows of every student.

    Args:
        events: A frame, a table or a path.
        student: The column that tells whose event it is.
        at: The column of the times.
        window: The window, such as "1d".
        longest: How many windows of a student stay.
        dates: The layout of text dates where it is ambiguous.

    Returns:
        The same kind of frame, with times replaced by the start of their window.

    Example:
        >>> import pyarrow as pa
        >>> import sharewell as sw
        >>> log = pa.table({"user": ["ann"] * 3, "time": ["2024-03-04", "2024-03-05", "2024-03-06"]})
        >>> sw.traces.cut(log, student="user", at="time", window="1d", longest=2).num_rows
        2
    """
    table, log = _reduced(events, student, at, window, (), dates)
    return _without(events, table, log, beyond(log, longest), student, at)


def merge_rare(
    events: Frame, *, student: str, at: str, columns: Sequence[str], needed: int, dates: str | None = None
) -> Frame:
    """Put values that fewer than `needed` students used under one name.

    Args:
        events: A frame, a table or a path.
        student: The column that tells whose event it is.
        at: The column of the times.
        columns: The columns whose rare values are merged.
        needed: How many students must have used a value for it to stay.
        dates: The layout of text dates where it is ambiguous.

    Returns:
        The same kind of frame.

    Example:
        >>> import pyarrow as pa
        >>> import sharewell as sw
        >>> log = pa.table({"user": ["a", "b", "a", "b"], "time": ["2024-03-04"] * 4, "verb": ["see", "see", "x", "y"]})
        >>> sw.traces.merge_rare(log, student="user", at="time", columns=["verb"], needed=2)["verb"].to_pylist()
        ['see', 'see', '(other)', '(other)']
    """
    table, log = _reduced(events, student, at, "1mo", columns, dates)
    recoding = Recoding(window=log.window, merged=dict(merge_rare_values(log, needed)))
    return cast(Frame, engine.like(merged(table, recoding), events))


def group(
    events: Frame,
    *,
    student: str,
    at: str,
    window: str = "1d",
    k: int = 5,
    also: Sequence[str] = (),
    seed: int = 0,
    key: bytes | None = None,
    dates: str | None = None,
) -> Frame:
    """Form groups of k students with like activity, whose members share all rows.

    Their rows are the thinned pool of the members' events.

    Args:
        events: A frame, a table or a path.
        student: The column that tells whose event it is.
        at: The column of the times.
        window: The time resolution to release.
        k: How many students a group has at least.
        also: The columns that stay; the others cannot be the same for all members and are not in the result.
        seed: Draws where the thinning starts if no key is given: for trying out.
        key: Draws where the thinning starts; give one when the result leaves the house.
        dates: The layout of text dates where it is ambiguous.

    Returns:
        The same kind of frame. Windows and values that too few members share are not shown.

    Example:
        >>> import pyarrow as pa
        >>> import sharewell as sw
        >>> log = pa.table({"user": ["ann", "bob", "bob"], "time": ["2024-03-04", "2024-03-04", "2024-03-05"]})
        >>> sw.traces.group(log, student="user", at="time", k=2).sort_by("user").to_pylist()[0]
        {'user': 'ann', 'time': datetime.datetime(2024, 3, 4, 0, 0)}
    """
    if k < 2:
        raise InputError("k must be 2 or more: a group of one hides nobody")
    table = ready(events, student=student, at=at, also=also, times=Times(layout=dates))
    base = reduce(table, student=student, at=at, window=parse("1s"), also=also)
    groups = formed(base, k, np.zeros(base.students, np.int64))
    log = view(base, Recoding(window=parse(window)))
    shown = thinned(log, groups, k, _keyed(key, seed).generator("groups"))
    made = GroupRelease(events=table, log=log, shown=shown, kept=KeptColumns(), student=student, at=at, holders=k)
    return cast(Frame, engine.like(made.table(), events))


def shift(
    events: Frame,
    *,
    student: str,
    at: str,
    weeks: int,
    seed: int = 0,
    key: bytes | None = None,
    dates: str | None = None,
) -> Frame:
    """Shift each student's calendar by a secret number of weeks.

    Alone it protects little, as its attack shows.

    Args:
        events: A frame, a table or a path.
        student: The column that tells whose event it is.
        at: The column of the times.
        weeks: The largest move, either way.
        seed: Draws the moves where no key is given: for trying out.
        key: Draws the moves; give one when the result leaves the house.
        dates: The layout of text dates where it is ambiguous.

    Returns:
        The same kind of frame.

    Example:
        >>> import pyarrow as pa
        >>> import sharewell as sw
        >>> log = pa.table({"user": ["ann"], "time": ["2024-03-04"]})
        >>> sw.traces.shift(log, student="user", at="time", weeks=3)["time"][0].as_py().weekday()
        0
    """
    table = ready(events, student=student, at=at, times=Times(layout=dates))
    moved = moving.shifted(table, student=student, at=at, weeks=weeks, keyed=_keyed(key, seed))
    return cast(Frame, engine.like(moved, events))


def jitter(
    events: Frame,
    *,
    student: str,
    at: str,
    by: str,
    seed: int = 0,
    key: bytes | None = None,
    dates: str | None = None,
) -> Frame:
    """Move times at random by at most `by`, keeping their order.

    Args:
        events: A frame, a table or a path.
        student: The column that tells whose event it is.
        at: The column of the times.
        by: The largest move, such as "15min".
        seed: Draws the moves where no key is given: for trying out.
        key: Draws the moves; give one when the result leaves the house.
        dates: The layout of text dates where it is ambiguous.

    Returns:
        The same kind of frame.

    Example:
        >>> import pyarrow as pa
        >>> import sharewell as sw
        >>> log = pa.table({"user": ["ann"], "time": ["2024-03-04 10:30"]})
        >>> sw.traces.jitter(log, student="user", at="time", by="15min")["time"][0].as_py().hour
        10
    """
    table = ready(events, student=student, at=at, times=Times(layout=dates))
    moved = moving.jittered(table, student=student, at=at, by=parse_length(by), keyed=_keyed(key, seed))
    return cast(Frame, engine.like(moved, events))


def _keyed(key: bytes | None, seed: int) -> Keyed:
    return Keyed(key or hashlib.sha256(f"seed {seed}".encode()).digest(), "traces")


def _reduced(
    events: Any, student: str, at: str, window: str, also: Sequence[str], dates: str | None
) -> tuple[Table, Log]:
    table = ready(events, student=student, at=at, also=also, times=Times(layout=dates))
    return table, reduce(table, student=student, at=at, window=parse(window), also=also)


def _without(events: Frame, table: Table, log: Log, gone: Array, student: str, at: str) -> Frame:
    kept = without_pairs(table, log, gone, student=student, at=at)
    return cast(Frame, engine.like(coarsened(kept, at, log.window), events))
