"""Protections for a table of events: each alone, or the best combination searched for.

A frame comes in, the same kind of frame goes out. Whatever is drawn at random to protect comes from `key`: give one
when the result leaves the house. From a seed alone anyone who knows it can draw the same again.
"""

import hashlib
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from sharewell.contract import Protected
from sharewell.data import engine
from sharewell.data.formats.columns import moment
from sharewell.data.keyed import Keyed
from sharewell.traces import distort
from sharewell.traces.measure.attackers import attacker
from sharewell.traces.events import ready
from sharewell.traces.log import Log, reduce
from sharewell.traces.protection.recoding import ORDER, Recoding, coarsened, merged, without_pairs
from sharewell.traces.protection.search import Goal, search
from sharewell.traces.protection.settings import merge_rare_values
from sharewell.traces.protection.rare_points import beyond, shared_by_few, telling
from sharewell.traces.measure.known_points import measure
from sharewell.traces.windows import COARSENING, parse


def coarsen(events: Any, *, at: str, window: str, dates: str | None = None) -> Any:
    """Times replaced by the start of their window; everything else as it was."""
    table = engine.table(events)
    table = table.mutate(**{at: moment(table, at, layout=dates)})
    return engine.like(coarsened(table, at, parse(window)), events)


def protect(
    events: Any,
    *,
    student: str,
    at: str,
    also: Sequence[str] = (),
    known: int = 4,
    limit: float = 0.05,
    attackers: Sequence[str] = ("random",),
    window: str | None = None,
    seed: int = 0,
    key: bytes | None = None,
    dates: str | None = None,
) -> Protected:
    """Search for the combination of protections with the least loss that meets the limit for the worst attacker.

    `window` fixes the time resolution; otherwise it is searched for. `also` names the columns of which someone may
    know the values; they may be merged or dropped. The student column still holds the original ids.
    """
    draws = _draws(key, seed)
    goal = Goal(
        student=student,
        at=at,
        also=tuple(also),
        known=known,
        limit=limit,
        attackers=tuple(attacker(name).name for name in attackers),
        seed=seed,
        secret=distort.secret_number(draws),
    )
    table = ready(events, student=student, at=at, also=also, layout=dates)
    found = search(table, goal, windows=[parse(label) for label in ((window,) if window else COARSENING)])
    return replace(found, table=engine.like(found.table.drop(ORDER), events))


def suppress(
    events: Any, *, student: str, at: str, window: str, needed: int, also: Sequence[str] = (), dates: str | None = None
) -> Any:
    """Without the points (window and values) that fewer than `needed` students share, in windows of `window`."""
    table, log = _reduced(events, student, at, window, also, dates)
    return _without(events, table, log, shared_by_few(log, needed), student, at)


def drop_telling(
    events: Any,
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
) -> Any:
    """Without the few rarest points of the students who are singled out more often than the limit allows."""
    table, log = _reduced(events, student, at, window, also, dates)
    alone = measure(log, attacker("random"), known=[known], repeats=100, seed=seed)
    exposed = alone.hits[0] > limit * alone.tries
    return _without(events, table, log, telling(log, exposed, points), student, at)


def cut(events: Any, *, student: str, at: str, window: str, longest: int, dates: str | None = None) -> Any:
    """Only the first `longest` windows of every student."""
    table, log = _reduced(events, student, at, window, (), dates)
    return _without(events, table, log, beyond(log, longest), student, at)


def merge_rare(
    events: Any, *, student: str, at: str, columns: Sequence[str], needed: int, dates: str | None = None
) -> Any:
    """Values that fewer than `needed` students used under one name."""
    table, log = _reduced(events, student, at, "1mo", columns, dates)
    recoding = Recoding(window=log.window, merged=dict(merge_rare_values(log, needed)))
    return engine.like(merged(table, recoding), events)


def shift(
    events: Any, *, student: str, at: str, weeks: int, seed: int = 0, key: bytes | None = None, dates: str | None = None
) -> Any:
    """Each student's calendar moved by a secret number of weeks; alone it protects little, as its attack shows."""
    table = ready(events, student=student, at=at, layout=dates)
    draws = _draws(key, seed)
    return engine.like(distort.shifted(table, student=student, at=at, weeks=weeks, draws=draws), events)


def jitter(
    events: Any, *, student: str, at: str, by: str, seed: int = 0, key: bytes | None = None, dates: str | None = None
) -> Any:
    """Times moved at random by at most `by`, in the order they had."""
    table = ready(events, student=student, at=at, layout=dates)
    draws = _draws(key, seed)
    return engine.like(distort.jittered(table, student=student, at=at, by=parse(by), draws=draws), events)


def _draws(key: bytes | None, seed: int) -> Keyed:
    return Keyed(key or hashlib.sha256(f"seed {seed}".encode()).digest(), "traces")


def _reduced(
    events: Any, student: str, at: str, window: str, also: Sequence[str], dates: str | None
) -> tuple[Any, Log]:
    table = ready(events, student=student, at=at, also=also, layout=dates)
    return table, reduce(table, student=student, at=at, window=parse(window), also=also)


def _without(events: Any, table: Any, log: Log, gone: Any, student: str, at: str) -> Any:
    kept = without_pairs(table, log, gone, student=student, at=at)
    return engine.like(coarsened(kept, at, log.window), events)
