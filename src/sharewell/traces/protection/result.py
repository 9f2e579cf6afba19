"""What a search hands over: the protected rows, the changes in words, the curve, and the facts for a re-check."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa
from ibis.expr.types import Table

from sharewell.contract import Change, Count, Curve, CurvePoint, Protected
from sharewell.data import engine
from sharewell.plan.windows import Window, parse
from sharewell.stats.tradeoff import choose
from sharewell.traces.kind import DETAIL_KEPT, UNICITY
from sharewell.traces.log import Log, reduce
from sharewell.traces.measure.attackers import attacker
from sharewell.traces.measure.known_points import singled_out
from sharewell.traces.protection.recoding import coarsened, merged, without_pairs
from sharewell.traces.protection.search import Goal, Search, Trial
from sharewell.traces.protection.settings import Setting


def least_loss(events: Table, goal: Goal, *, windows: Sequence[Window]) -> Protected:
    """Find the best setting on the reduced log and apply it to the rows, lazily."""
    base = reduce(events, student=goal.student, at=goal.at, window=parse("1s"), also=goal.also)
    hunt = Search(base, goal, windows)
    best = hunt.run()
    order = engine.fresh(events.columns, "order")
    log = hunt.view(best.setting.recoding)
    return Protected(
        table=_applied(events, log, best, goal, order),
        changes=_changes(log, best, goal),
        curve=_curve(hunt),
        order=(goal.at, order),
        helpers=(order,),
        facts=_facts(best, goal),
        private={"risk_per_student": _per_student(hunt, best)},
    )


def _applied(events: Table, log: Log, trial: Trial, goal: Goal, order: str) -> Table:
    """The rows as they leave; `order` holds the true time, which sorts a student's events within a window."""
    recoded = merged(events, trial.setting.recoding)
    recoded = recoded.mutate(**{order: recoded[goal.at]})
    kept = without_pairs(recoded, log, trial.gone, student=goal.student, at=goal.at)
    return coarsened(kept, goal.at, trial.setting.recoding.window)


def _curve(hunt: Search) -> Curve:
    points = [
        CurvePoint(
            label=trial.setting.label,
            strength=1 - trial.utility,
            risk=trial.risk,
            low=trial.low,
            high=trial.high,
            utility=trial.utility,
            meets=trial.meets,
        )
        for trial in hunt.trials
    ]
    goal = hunt.goal
    return choose(
        points,
        strength="detail given up",
        risk=UNICITY,
        utility=DETAIL_KEPT,
        limit=goal.limit,
        note=f"{goal.known} known points, the worst of {', '.join(goal.attackers)}. A setting holds if the upper end "
        "of its interval does. Settings are tried from the most useful down.",
    )


def _changes(log: Log, trial: Trial, goal: Goal) -> tuple[Change, ...]:
    recoding = trial.setting.recoding
    reason = f"{goal.known} exact times single too many students out"
    start = f"replaced by the start of its window of {recoding.window.label}"
    exact = recoding.window.label == "1s"
    changes = [
        Change(columns=(goal.at,), action="untouched", detail="kept to the second", reason="no limit asks for less")
        if exact
        else Change(columns=(goal.at,), action="coarsened", detail=start, reason=reason)
    ]
    changes += [
        Change(columns=(name,), action="dropped", reason="together with the time it singles students out")
        for name in recoding.dropped
    ]
    changes += [
        Change(
            columns=(name,),
            action="merged",
            detail="values that few students used are merged",
            reason="a rare value stands out",
        )
        for name in recoding.merged
    ]
    if trial.gone.any():
        cells, words = Count(log.events[trial.gone].sum()), _left_out_in_words(trial.setting)
        changes.append(Change(columns=(goal.at,), action="suppressed", detail=words, reason=reason, cells=cells))
    return tuple(changes)


def _left_out_in_words(setting: Setting) -> str:
    if setting.companions:
        return "events left out that too few other students share"
    return f"events left out ({setting.label})"


def _facts(trial: Trial, goal: Goal) -> dict[str, Any]:
    """What a recipient may know: how values were coarsened, and what the file is held to."""
    recoding = trial.setting.recoding
    return {
        "student": goal.student,
        "at": goal.at,
        "also": list(recoding.quasi(goal.also)),
        "dropped": list(recoding.dropped),
        "merged": sorted(recoding.merged),
        "window": recoding.window.label,
        "setting": trial.setting.label,
        "known": goal.known,
        "limit": goal.limit,
        "attackers": list(goal.attackers),
    }


def _per_student(hunt: Search, trial: Trial) -> pa.Table:
    """For the steward's eyes only: how often each student was singled out, as the log was and as it is released."""
    log = hunt.view(trial.setting.recoding)
    goal, released = hunt.goal, log.subset(~trial.gone)
    columns: dict[str, Any] = {"student": log.ids, "points": log.lengths, "points_released": released.lengths}
    for label, seen in (("before", log), ("after", released)):
        alone = singled_out(seen, attacker("random"), known=[goal.known], seed=goal.seed)
        columns[label] = alone.hits[0] / np.maximum(alone.tries, 1)
    return pa.table(columns)
