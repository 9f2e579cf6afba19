"""The least change to a log that brings unicity under a limit, with the curve of everything that was tried."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from ibis.expr.types import Table

from sharewell.results import Change, CurvePoint, Protected
from sharewell.stats.intervals import bootstrap_share
from sharewell.tradeoff import choose
from sharewell.traces.attackers import attacker
from sharewell.traces.log import Log, reduce
from sharewell.traces.recode import ORDER, Recoding, coarsened, merged, without_pairs
from sharewell.traces.risk import with_original_points
from sharewell.traces.unicity import measure
from sharewell.traces.windows import Window

SHARED_BY = (1, 2, 3, 5, 10, 20)  # how many students a point needs, from no change to strict


@dataclass(frozen=True, kw_only=True)
class Goal:
    """What is to be reached, and how it is measured."""

    student: str
    at: str
    also: tuple[str, ...] = ()
    known: int = 4
    limit: float = 0.05
    attackers: tuple[str, ...] = ("random",)
    repeats: int = 10
    seed: int = 0


@dataclass(frozen=True, kw_only=True)
class Trial:
    """One setting that was tried on the reduced log."""

    label: str
    recoding: Recoding
    log: Log
    gone: np.ndarray
    risk: float
    low: float
    high: float
    utility: float


def search(events: Table, goal: Goal, *, windows: Sequence[Window]) -> Protected:
    """Try every setting on the reduced log, take the best that holds, and apply it lazily to the rows."""
    trials = list(_trials(events, goal, windows))
    curve = choose(
        [_point(trial, goal) for trial in trials],
        strength="settings in the order of strength",
        risk=f"unicity at {goal.known} known points, the worst of {', '.join(goal.attackers)}",
        utility="detail kept",
        limit=goal.limit,
    )
    index = next((i for i, point in enumerate(curve.points) if point.chosen), None)
    best = trials[index] if index is not None else min(trials, key=lambda trial: trial.risk)
    table = apply(events, best, goal)
    return Protected(
        table=table, changes=_changes(best, goal), curve=curve, order=(goal.at, ORDER), facts=_facts(best, goal)
    )


def apply(events: Table, trial: Trial, goal: Goal) -> Table:
    recoded = merged(events, trial.recoding).mutate(**{ORDER: events[goal.at]})
    kept = without_pairs(recoded, trial.log, trial.gone, student=goal.student, at=goal.at)
    return coarsened(kept, goal.at, trial.recoding.window)


def _trials(events: Table, goal: Goal, windows: Sequence[Window]) -> Iterator[Trial]:
    for number, window in enumerate(windows):
        recoding = Recoding(window=window)
        log = reduce(merged(events, recoding), student=goal.student, at=goal.at, window=window, also=goal.also)
        detail = (len(windows) - number) / len(windows)
        for needed in SHARED_BY:
            gone = log.popularity[log.points] < needed
            if gone.all():
                break
            yield trial(f"{window.label}, points of {needed} or more", recoding, log, gone, goal, detail)


def trial(label: str, recoding: Recoding, log: Log, gone: np.ndarray, goal: Goal, detail: float) -> Trial:
    released = log.subset(~gone) if gone.any() else log
    measured = [_worst(log, released, name, goal) for name in goal.attackers]
    risk, low, high = max(measured)
    kept = float(released.events.sum() / log.events.sum())
    return Trial(
        label=label, recoding=recoding, log=log, gone=gone, risk=risk, low=low, high=high, utility=kept * detail
    )


def _worst(log: Log, released: Log, name: str, goal: Goal) -> tuple[float, float, float]:
    """The larger of the risk on the release alone and with original points."""
    who, found = attacker(name), []
    alone = measure(released, who, known=[goal.known], repeats=goal.repeats, seed=goal.seed)
    matched = with_original_points(log, released, who, known=goal.known, repeats=goal.repeats, seed=goal.seed)
    for outcome in (alone, matched):
        hits, tries = outcome.totals(0)
        found.append((hits / tries, *bootstrap_share(hits, tries, seed=goal.seed)))
    return max(found)


def _point(trial: Trial, goal: Goal) -> CurvePoint:
    return CurvePoint(
        label=trial.label,
        strength=1 - trial.utility,
        risk=trial.risk,
        low=trial.low,
        high=trial.high,
        utility=trial.utility,
        meets=trial.high <= goal.limit,
    )


def _changes(trial: Trial, goal: Goal) -> tuple[Change, ...]:
    window = trial.recoding.window.label
    changes = [Change(column=goal.at, what=f"times in windows of {window}", reason="exact times single students out")]
    if trial.gone.any():
        cells = int(trial.log.events[trial.gone].sum())
        changes.append(Change(column=goal.at, what="events left out", reason="few students share them", cells=cells))
    return tuple(changes)


def _facts(trial: Trial, goal: Goal) -> dict[str, Any]:
    return {
        "student": goal.student,
        "at": goal.at,
        "also": list(trial.recoding.quasi(goal.also)),
        "window": trial.recoding.window.label,
        "known": goal.known,
        "limit": goal.limit,
        "attackers": list(goal.attackers),
    }
