"""The least change that hides the typist: rhythms drawn from groups, blurred as far as the limit asks."""

import hashlib
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pyarrow as pa
from ibis.expr.types import Table

from sharewell import engine
from sharewell.keystrokes import rebuild, reducer, rhythms, risk
from sharewell.keystrokes.events import Columns, canonical
from sharewell.keystrokes.identification import ATTACKS, Attack
from sharewell.keystrokes.rebuild import Events
from sharewell.keystrokes.typing import Array
from sharewell.keystrokes.utility import mean_latency
from sharewell.pseudonyms import Draws, new_key
from sharewell.results import Change, Curve, CurvePoint, Protected
from sharewell.stats.correlation import pearson
from sharewell.tradeoff import choose

QUICK: tuple[Attack, ...] = (
    "likelihood",
    "nearest",
    "manhattan",
)  # what the search measures; the choice faces every attack
MIXES = (0.0, 0.2, 0.4, 0.5, 0.6, 0.65, 0.7, 0.75, 0.8, 0.85, 0.9, 1.0)  # the share of times that come from everyone
LEAST_GROUP = 10  # typists
MARGIN_COST = 0.05  # of the correlation of speeds: what a margin under the limit may cost
DRAWS, LAST_DRAWS = 3, 12  # a setting that chance alone put over the limit is drawn again


@dataclass(frozen=True, kw_only=True)
class Goal:
    """What the search is held to: the share found on a list of this length, and the seed of the measuring."""

    found: float
    within: int
    seed: int

    def aim(self, students: int) -> float:
        """Half a standard error under the limit: another sample of the same people shall not cross it at once."""
        return self.found - 0.5 * float(np.sqrt(self.found * max(0.0, 1 - self.found) / students))


@dataclass(frozen=True, kw_only=True)
class Search:
    """The original as the search needs it: who is in which group, both samples, which events are the target."""

    events: Events
    goal: Goal
    group: Array
    speed: Array
    typed: reducer.Reducer
    raw: risk.Halves
    target: Array
    donors: tuple[rhythms.Donors, rhythms.Donors]
    draws: Draws


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
    """The search on an Ibis table; the result keeps the numbered rows so that their order can be kept."""
    search = _prepare(rebuild.load(table, columns), goal, draws)
    points = [_point(search, mix) for mix in MIXES]
    curve = _curve(points, goal)
    released, mix, redrawn = _settle(search, curve)
    events, groups = search.events, int(search.group.max()) + 1
    return Protected(
        table=released,
        changes=_changes(search, mix, columns),
        curve=_marked(curve, mix, redrawn),
        order=(columns.session, columns.press, rebuild.ROW),
        facts={"groups": groups, "smallest_group": int(np.bincount(search.group).min()), "mix": mix},
        private={"rhythm_groups": pa.table({"student": events.students, "group": search.group})},
    )


def group_count(students: int, goal: Goal) -> int:
    """So many groups that even someone who knew every student's group would find at most twice the limit."""
    most = int(2 * goal.found * students / goal.within + 1e-9)
    return max(1, min(most, students // LEAST_GROUP))


def _prepare(events: Events, goal: Goal, draws: Draws) -> Search:
    typing, size = events.typing, len(events.students)
    original = canonical(events.table, events.columns)
    parts = engine.materialise(risk.session_parts(original))
    speed = mean_latency(typing.student, typing.latency, size)
    typed = reducer.prepare(typing, events.students)
    group = rhythms.speed_groups(speed, group_count(size, goal))
    target = risk.target_rows(events, parts)
    return Search(
        events=events,
        goal=goal,
        group=group,
        speed=speed,
        typed=typed,
        raw=_halves(typed, typing.latency, typing.hold, target),
        target=target,
        donors=rhythms.all_donors(typing, group),
        draws=draws,
    )


def _halves(typed: reducer.Reducer, latency: Array, hold: Array, target: Array) -> risk.Halves:
    return risk.Halves(reference=typed.sample(latency, hold, ~target), target=typed.sample(latency, hold, target))


def _times(search: Search, mix: float, draw: int) -> tuple[Array, Array]:
    generator = search.draws.generator(f"rhythms:{mix}:{draw}")
    return rhythms.blend(search.events.typing, search.donors, mix, generator)


def _point(search: Search, mix: float) -> CurvePoint:
    """One strength: what the quick attacks find, and how well students' speeds still correlate."""
    latency, hold = _times(search, mix, 0)
    released = _halves(search.typed, latency, hold, search.target)
    goal = search.goal
    worst = risk.strongest(risk.measure(search.raw, released, within=[goal.within], seed=goal.seed, attacks=QUICK))
    speed = mean_latency(search.events.typing.student, latency, len(search.events.students))
    return CurvePoint(
        label=f"{mix:.0%} of the times from everyone",
        strength=mix,
        risk=worst.value,
        low=worst.low,
        high=worst.high,
        utility=pearson(search.speed, speed),
        meets=worst.value <= max(goal.aim(worst.n), worst.chance or 0.0),
    )


def _curve(points: list[CurvePoint], goal: Goal) -> Curve:
    """A strength counts as meeting the limit where no greater one is surely over it: a dip is no place to stand."""
    over = [point.low is not None and point.low > goal.found for point in points]
    steady = [point.meets and not any(over[index:]) for index, point in enumerate(points)]
    dips = [point.label for point, stands in zip(points, steady, strict=True) if point.meets and not stands]
    note = f"Under the limit, but a stronger setting is not: {'; '.join(dips)}." if dips else ""
    return choose(
        [replace(point, meets=stands) for point, stands in zip(points, steady, strict=True)],
        strength="share of times from everyone",
        risk=f"found within {goal.within} by the strongest attack",
        utility="correlation of mean speed",
        limit=goal.found,
        note=note,
    )


def _settle(search: Search, curve: Curve) -> tuple[Table, float, int]:
    """The weakest setting from the curve's choice on that stands up to every attack, with a margin if that is cheap.

    Where none does the strongest is returned, and the gate will refuse it.
    """
    aim = search.goal.aim(len(search.events.students))
    usable = [point for point in curve.points if point.meets] or list(curve.points[-1:])
    cheap = [point.strength for point in usable if point.utility >= usable[0].utility - MARGIN_COST]
    for bound, mixes in ((aim, cheap), (search.goal.found, [mix for mix in MIXES if mix >= usable[0].strength])):
        for mix in mixes:
            for draw in range(LAST_DRAWS if mix == MIXES[-1] else DRAWS):
                if _stays_under(search, bound, *_times(search, mix, draw)):
                    return _release(search, *_times(search, mix, draw)), mix, draw
    return _release(search, *_times(search, MIXES[-1], 0)), MIXES[-1], 0


def _stays_under(search: Search, bound: float, latency: Array, hold: Array) -> bool:
    """Whether no attack finds more than the bound; the quickest attacks are asked first."""
    seen, goal = _halves(search.typed, latency, hold, search.target), search.goal
    return all(
        one.value <= bound
        for attack in ATTACKS
        for one in risk.measure(search.raw, seen, within=[goal.within], seed=goal.seed, attacks=[attack])
    )


def _release(search: Search, latency: Array, hold: Array) -> Table:
    """The table with times rebuilt from latencies and hold times; sessions start at zero."""
    press = rebuild.press_times(search.events.typing, latency)
    return rebuild.with_times(search.events, press, press + hold)


def _marked(curve: Curve, mix: float, redrawn: int) -> Curve:
    """The curve with the setting that was kept in the end."""
    points = tuple(replace(point, chosen=point.strength == mix) for point in curve.points)
    again = f" Drawn {redrawn + 1} times: chance had put the first draws over the limit." if redrawn else ""
    return replace(curve, points=points, note=(curve.note + again).strip())


def _changes(search: Search, mix: float, columns: Columns) -> tuple[Change, ...]:
    groups, students = int(search.group.max()) + 1, len(search.events.students)
    source = f"the student's group ({groups} groups of about {students // groups} similar typists)"
    source = f"{source}, {mix:.0%} of them from everyone" if 0 < mix < 1 else source if mix == 0 else "all typists"
    what = f"every time replaced by one drawn from {source}; sessions start at zero"
    why = "how someone types is as personal as a fingerprint; within a group nothing but chance tells typists apart"
    names = [columns.press, *([columns.release] if columns.release else [])]
    return tuple(Change(column=name, what=what, reason=why, cells=len(search.events.row)) for name in names)
