"""The least change that hides the typist: rhythms drawn from groups, blurred as far as the limit asks."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, Unpack

import numpy as np
import pyarrow as pa
from ibis.expr.types import Table

from sharewell.contract import Change, Count, Curve, CurvePoint, Protected, Risk
from sharewell.data import engine
from sharewell.data.keyed import Keyed, new_key
from sharewell.keystrokes import eventlog, reducer, splits
from sharewell.keystrokes.arrays import Array
from sharewell.keystrokes.columns import Columns, Keys, canonical
from sharewell.keystrokes.eventlog import Events
from sharewell.keystrokes.kind import SPEED_CURVE, found_by_strongest
from sharewell.keystrokes.measure import measuring
from sharewell.keystrokes.measure.identification import ATTACKS, Attack
from sharewell.keystrokes.protection import length_classes, rhythm_draws
from sharewell.keystrokes.utility.habits import mean_latency
from sharewell.stats.correlation import pearson
from sharewell.stats.intervals import wilson
from sharewell.stats.tradeoff import choose

Pace = Literal["group", "everyone"]
# what the curve is measured with; the choice faces every attack
QUICK: tuple[Attack, ...] = ("likelihood", "nearest", "manhattan", "lengths")
# the share of times that come from everyone
MIXES = (0.0, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.75, 0.8, 0.825, 0.85, 0.875, 0.9, 1.0)
LEAST_GROUP = 10  # typists
PACES: dict[Pace, str] = {"group": "the group", "everyone": "all students together"}  # of sessions
CURVE_DRAWS, CURVE_STUDENTS = 3, 600  # a strength is judged over so many draws; over one where there are many students
CLEAR = 1.5  # times the limit: one draw says enough
DRAWS = 12  # a release that chance alone puts over the limit is drawn again


@dataclass(frozen=True, kw_only=True)
class Goal:
    """What the search is held to: the share found on a list of this length, and the seed of the measuring."""

    found: float
    within: int
    seed: int


@dataclass(frozen=True, kw_only=True)
class Setting:
    """One way to protect: the share of times from everyone, whose pace sessions take, and which draw it is."""

    mix: float
    pace: Pace = "everyone"
    draw: int = 0


@dataclass(frozen=True, kw_only=True)
class Search:
    """The original as the search needs it: who is in which group, both samples, which events are the target."""

    events: Events
    goal: Goal
    group: Array
    speed: Array
    typed: reducer.Reducer
    raw: splits.Halves
    target: Array
    donors: tuple[rhythm_draws.Donors, rhythm_draws.Donors]
    draws: Keyed


def protect(
    events: Any,
    *,
    limit: float = 0.10,
    accept: int = 10,
    seed: int | None = None,
    **columns: Unpack[Keys],
) -> Protected:
    """Events on which the strongest attack finds at most `limit` of the students within a list of `accept`.

    Without a seed the draws are secret. A seed makes them repeatable, and whoever learns it can undo them.
    """
    draws = Keyed(new_key() if seed is None else hashlib.sha256(str(seed).encode()).digest(), "keystrokes")
    goal = Goal(found=limit, within=accept, seed=seed or 0)
    done = protect_table(engine.table(events), Columns(**columns), goal, draws)
    (row,) = done.helpers
    table = done.table.order_by(row).drop(row)
    return Protected(table=engine.like(table, events), changes=done.changes, curve=done.curve, facts=done.facts)


def protect_table(table: Table, columns: Columns, goal: Goal, draws: Keyed) -> Protected:
    """The search on an Ibis table; the result keeps the numbered rows so that their order can be kept."""
    search = _prepare(eventlog.load(table, columns), goal, draws)
    points = [_point(search, mix) for mix in MIXES]
    curve = _curve(points, goal)
    chosen = _settle(search, curve)
    events, groups = search.events, int(search.group.max()) + 1
    return Protected(
        table=_release(search, *_times(search, chosen)),
        changes=_changes(search, chosen, columns),
        curve=_marked(curve, chosen),
        order=(columns.session, columns.press, events.row_column),
        helpers=(events.row_column,),
        facts={
            "groups": groups,
            "smallest_group": int(np.bincount(search.group).min()),
            "mix": chosen.mix,
            "pace": chosen.pace,
            "length_factor": length_classes.FACTOR,
        },
        private={"rhythm_groups": pa.table({"student": events.students, "group": search.group})},
    )


def group_count(students: int, goal: Goal) -> int:
    """So many groups that even someone who knew every student's group would find at most twice the limit."""
    most = int(2 * goal.found * students / goal.within + 1e-9)
    return max(1, min(most, students // LEAST_GROUP))


def _prepare(events: Events, goal: Goal, draws: Keyed) -> Search:
    typing, size = events.typing, len(events.students)
    original = canonical(events.table, events.columns, row=events.row_column)
    parts = engine.materialise(splits.session_parts(original))
    speed = mean_latency(typing.student, typing.latency, size)
    typed = reducer.prepare(typing, events.students)
    group = rhythm_draws.speed_groups(speed, group_count(size, goal))
    target = splits.target_rows(events, parts)
    return Search(
        events=events,
        goal=goal,
        group=group,
        speed=speed,
        typed=typed,
        raw=_halves(typed, typing.latency, typing.hold, target),
        target=target,
        donors=rhythm_draws.all_donors(typing, group, target),
        draws=draws,
    )


def _halves(typed: reducer.Reducer, latency: Array, hold: Array, target: Array) -> splits.Halves:
    return splits.Halves(reference=typed.sample(latency, hold, ~target), target=typed.sample(latency, hold, target))


def _times(search: Search, setting: Setting) -> tuple[Array, Array]:
    """New latencies, every session fitted to its class of lengths, and new hold times, as they will be written."""
    generator = search.draws.generator(f"rhythms:{setting.mix}:{setting.draw}")
    latency, hold = rhythm_draws.blend(search.events.typing, search.donors, setting.mix, generator)
    group = search.group if setting.pace == "group" else np.zeros_like(search.group)
    return eventlog.as_written(search.events, length_classes.held(search.events.typing, latency, group), hold)


def _point(search: Search, mix: float) -> CurvePoint:
    """One strength over several draws: what the quick attack that does best on average finds, and how well students'
    speeds still correlate. One draw alone would put a strength over or under the limit by chance."""
    typing, students, found, kept = search.events.typing, len(search.events.students), [], []
    for draw in range(max(1, min(CURVE_DRAWS, CURVE_STUDENTS // students))):
        latency, hold = _times(search, Setting(mix=mix, draw=draw))
        found.append([one.value for one in _measured(search, latency, hold, QUICK)])
        kept.append(pearson(search.speed, mean_latency(typing.student, latency, students)))
        if max(found[-1]) > CLEAR * search.goal.found:
            break
    worst = float(np.mean(found, axis=0).max())
    low, high = wilson(worst * students, students)
    return CurvePoint(
        label=f"{mix:.3g} of the times from everyone",
        strength=mix,
        risk=worst,
        low=low,
        high=high,
        utility=float(np.mean(kept)),
        meets=worst <= max(search.goal.found, min(1.0, search.goal.within / students)),
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
        risk=found_by_strongest(goal.within),
        utility=SPEED_CURVE,
        limit=goal.found,
        note=note,
    )


def _settle(search: Search, curve: Curve) -> Setting:
    """The weakest setting from the curve's choice on of which a draw stands up to every attack.

    Where nothing stands the strongest is returned, and the gate will refuse it.
    """
    first = next((point.strength for point in curve.points if point.meets), MIXES[-1])
    for mix in (mix for mix in MIXES if mix >= first):
        for setting in (Setting(mix=mix, pace=pace, draw=draw) for draw in range(DRAWS) for pace in PACES):
            if _stays_under(search, setting):
                return setting
    return Setting(mix=MIXES[-1])


def _stays_under(search: Search, setting: Setting) -> bool:
    """Whether no attack finds more than the limit; the quickest attacks are asked first."""
    times = _times(search, setting)
    return all(
        one.value <= search.goal.found for attack in ATTACKS for one in _measured(search, *times, attacks=[attack])
    )


def _measured(search: Search, latency: Array, hold: Array, attacks: Sequence[Attack]) -> list[Risk]:
    seen, goal = _halves(search.typed, latency, hold, search.target), search.goal
    return measuring.measure(search.raw, seen, within=[goal.within], seed=goal.seed, attacks=attacks)


def _release(search: Search, latency: Array, hold: Array) -> Table:
    """The table with times rebuilt from latencies and hold times; sessions start at zero."""
    press = eventlog.press_times(search.events.typing, latency)
    return eventlog.with_times(search.events, press, press + hold)


def _marked(curve: Curve, chosen: Setting) -> Curve:
    """The curve with the setting that was kept in the end."""
    points = tuple(replace(point, chosen=point.strength == chosen.mix) for point in curve.points)
    again = f" Drawn {chosen.draw + 1} times: chance had put the first draws over the limit." if chosen.draw else ""
    return replace(curve, points=points, note=(curve.note + again).strip())


def _changes(search: Search, chosen: Setting, columns: Columns) -> tuple[Change, ...]:
    mix, groups, students = chosen.mix, int(search.group.max()) + 1, len(search.events.students)
    source = f"the student's group ({groups} groups of about {students // groups} similar typists)"
    source = f"{source}, {mix:.0%} of them from everyone" if 0 < mix < 1 else source if mix == 0 else "all typists"
    what = f"every time replaced by one drawn from {source}; sessions start at zero, and a student's sessions keep the "
    what += f"ratio of their lengths, up to classes by powers of {length_classes.FACTOR}, "
    what += f"at the pace of {PACES[chosen.pace]}"
    why = "how someone types is as personal as a fingerprint; within a group nothing but chance tells typists apart"
    names = [columns.press, *([columns.release] if columns.release else [])]
    return (Change(columns=tuple(names), action="moved", detail=what, reason=why, cells=Count(len(search.events.row))),)
