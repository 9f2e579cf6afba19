"""The least change that hides the typist: as many groups of similar typists as the limit allows."""

import hashlib
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
from ibis.expr.types import Table

from sharewell import engine
from sharewell.keystrokes import rebuild, rhythms, risk
from sharewell.keystrokes.events import Columns, canonical
from sharewell.keystrokes.identification import Attack
from sharewell.keystrokes.rebuild import Events
from sharewell.keystrokes.samples import Array
from sharewell.keystrokes.utility import mean_latency
from sharewell.pseudonyms import Draws, new_key
from sharewell.results import Change, Curve, CurvePoint, Protected
from sharewell.stats.correlation import pearson
from sharewell.tradeoff import choose

QUICK: tuple[Attack, ...] = ("likelihood", "nearest")
LEAST_GROUP = rhythms.LEAST_TYPISTS
DRAWS = 4  # a setting that chance alone put over the limit is drawn again


@dataclass(frozen=True, kw_only=True)
class Goal:
    """What the search is held to: the share found on a list of this length, and the seed of the measuring."""

    found: float
    within: int
    seed: int


@dataclass(frozen=True, kw_only=True)
class Reference:
    """What is known of the original: which sessions are the target, both samples, every student's speed."""

    parts: Table
    halves: risk.Halves
    speed: Array


@dataclass(frozen=True, kw_only=True)
class Tried:
    """One setting: its groups, the released table, what the strongest attack found and how speed correlates."""

    groups: int
    table: Table
    group: Array
    found: float
    speed: float
    draws: int


def protect(
    events: Any,
    *,
    student: str,
    session: str,
    key: str,
    press: str,
    release: str | None = None,
    week: str | None = None,
    unit: str | None = None,
    limit: float = 0.10,
    accept: int = 10,
    seed: int | None = None,
) -> Protected:
    """Events on which the strongest attack finds at most `limit` of the students within a list of `accept`.

    Without a seed the draws are secret. A seed makes them repeatable, and whoever learns it can undo them.
    """
    columns = Columns(student=student, session=session, key=key, press=press, release=release, week=week, unit=unit)
    draws = Draws(new_key() if seed is None else hashlib.sha256(str(seed).encode()).digest(), "keystrokes")
    goal = Goal(found=limit, within=accept, seed=seed or 0)
    done = protect_table(engine.table(events), columns, goal, draws)
    table = done.table.order_by(rebuild.ROW).drop(rebuild.ROW)
    return Protected(table=engine.like(table, events), changes=done.changes, curve=done.curve, facts=done.facts)


def protect_table(table: Table, columns: Columns, goal: Goal, draws: Draws) -> Protected:
    """The search over the number of groups, on an Ibis table; the result keeps the numbered rows."""
    events = rebuild.load(table, columns)
    raw = _reference(events)
    tried = [_try(events, raw, groups, goal, draws) for groups in candidates(len(events.students), goal)]
    curve = _curve(tried, goal)
    chosen = _chosen(tried, curve)
    return Protected(
        table=chosen.table,
        changes=_changes(chosen, columns, len(events.row), len(events.students)),
        curve=curve,
        order=(columns.session, columns.press, rebuild.ROW),
        facts={"groups": chosen.groups, "smallest_group": int(np.bincount(chosen.group).min())},
        private={"rhythm_groups": pa.table({"student": events.students, "group": chosen.group})},
    )


def candidates(students: int, goal: Goal) -> list[int]:
    """Numbers of groups worth trying: G groups alone let within·G/n be found, so more cannot pass."""
    most = int(goal.found * students / goal.within + 1e-9)
    most = max(1, min(most, students // LEAST_GROUP))
    ladder = {round(1.35**power) for power in range(40)} | {1, 2, 3, 4, 5, 6, most}
    return sorted(groups for groups in ladder if groups <= most)


def draw_times(events: Events, group: Array, generator: np.random.Generator) -> tuple[Array, Array]:
    """New latencies and hold times for all events, every group's drawn within the group."""
    typing = events.typing
    latency, hold = np.empty(len(events.row)), np.empty(len(events.row))
    for number in np.unique(group):
        members = np.flatnonzero(group[typing.student] == number)
        latency[members], hold[members] = rhythms.redraw(rhythms.part_of(typing, members), generator)
    return latency, hold


def release_events(events: Events, latency: Array, hold: Array) -> Table:
    """The table with times rebuilt from latencies and hold times; sessions start at zero."""
    press = rebuild.press_times(events.typing, latency)
    return rebuild.with_times(events, press, press + hold)


def _reference(events: Events) -> Reference:
    original = canonical(events.table, events.columns)
    parts = engine.materialise(risk.session_parts(original))
    speed = mean_latency(events.typing.student, events.typing.latency, len(events.students))
    return Reference(parts=parts, halves=risk.halves(original, parts), speed=speed)


def _try(events: Events, raw: Reference, groups: int, goal: Goal, draws: Draws) -> Tried:
    """One number of groups; drawn again where chance put it over the limit, the lowest kept."""
    group = rhythms.speed_groups(raw.speed, groups)
    best: Tried | None = None
    for draw in range(DRAWS):
        latency, hold = draw_times(events, group, draws.generator(f"rhythms:{groups}:{draw}"))
        table = release_events(events, latency, hold)
        released = risk.halves(canonical(table, events.columns), raw.parts)
        measured = risk.measure(raw.halves, released, within=[goal.within], seed=goal.seed, attacks=QUICK)
        share = risk.strongest(measured).value
        if best is None or share < best.found:
            kept = pearson(raw.speed, mean_latency(events.typing.student, latency, len(events.students)))
            best = Tried(groups=groups, table=table, group=group, found=share, speed=kept, draws=draw + 1)
        if best.found <= goal.found:
            break
    assert best is not None
    return best


def _curve(tried: list[Tried], goal: Goal) -> Curve:
    """A number of groups meets the limit where it and every smaller one do: a dip is no place to stand."""
    points, holds = [], True
    for one in tried:  # from one group, the strongest, to many
        holds = holds and one.found <= goal.found
        points.append(
            CurvePoint(
                label=f"{one.groups} group{'s' if one.groups > 1 else ''} of similar typists",
                strength=1 / one.groups,
                risk=one.found,
                utility=one.speed,
                meets=holds,
            )
        )
    return choose(
        points,
        strength="1 / groups",
        risk=f"found within {goal.within} by the strongest attack",
        utility="correlation of mean speed",
        limit=goal.found,
    )


def _chosen(tried: list[Tried], curve: Curve) -> Tried:
    """What the curve chose; the strongest setting where none met the limit (the gate will refuse it)."""
    marked = [one for one, point in zip(tried, curve.points, strict=True) if point.chosen]
    return marked[0] if marked else tried[0]


def _changes(chosen: Tried, columns: Columns, events: int, students: int) -> tuple[Change, ...]:
    groups = f"{chosen.groups} groups of about {students // chosen.groups} similar typists"
    what = f"every time replaced by one drawn from the student's group ({groups}); sessions start at zero"
    why = "how someone types is as personal as a fingerprint; within a group nothing but chance tells typists apart"
    names = [columns.press, *([columns.release] if columns.release else [])]
    return tuple(Change(column=name, what=what, reason=why, cells=events) for name in names)
