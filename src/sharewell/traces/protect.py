"""Protections for a table of events, by hand or searched for."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from sharewell import engine
from sharewell.formats.columns import moment
from sharewell.results import Protected
from sharewell.traces.events import ready
from sharewell.traces.recode import ORDER, coarsened
from sharewell.traces.search import Goal, search
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
    dates: str | None = None,
) -> Protected:
    """Search for the combination of protections with the least loss that meets the limit for the worst attacker.

    `window` fixes the time resolution; otherwise it is searched for.
    """
    goal = Goal(
        student=student, at=at, also=tuple(also), known=known, limit=limit, attackers=tuple(attackers), seed=seed
    )
    table = ready(events, student=student, at=at, also=also, layout=dates)
    found = search(table, goal, windows=[parse(label) for label in ((window,) if window else COARSENING)])
    return replace(found, table=engine.like(found.table.drop(ORDER), events))
