"""All uses of a log, each measured on the release and on the original, beside the original's own sampling error.

Two halves of the students differ by chance; a release that differs from the original by less than twice that has lost
nothing that could be told from one course. The others are listed as lost. Copies of one student stay in one half.
"""

from dataclasses import replace

import numpy as np
from ibis.expr.types import Table

from sharewell.contract import Utility
from sharewell.data import engine
from sharewell.traces.event_columns import EventColumns
from sharewell.traces.utility.activity import activity
from sharewell.traces.utility.hours import hours
from sharewell.traces.utility.kept import kept
from sharewell.traces.utility.own_events import own_events
from sharewell.traces.utility.sessions import sessions
from sharewell.traces.utility.twins import twins
from sharewell.traces.utility.verb_order import verb_order

SAMPLING_ERROR, VERDICT = "sampling error", "against it"
HALVINGS = 12  # ways to halve the students, whose differences are averaged
ENOUGH = 2.0  # sampling errors


def uses(original: Table, released: Table, columns: EventColumns, *, invented: bool = False) -> list[Utility]:
    """Both tables with times as timestamps; the original ids in both, unless the students are invented."""
    own = [] if invented else own_events(original, released, columns)
    return [*kept(original, released, columns), *own, *_compared(original, released, columns)]


def judged(found: Utility, error: float) -> Utility:
    """With the sampling error beside it, and whether the release keeps within twice that."""
    away = abs(found.value - (found.baseline or 0.0))
    verdict = "kept" if away <= ENOUGH * error else "lost"
    return replace(found, setting={**found.setting, SAMPLING_ERROR: round(error, 4), VERDICT: verdict})


def _compared(original: Table, released: Table, columns: EventColumns) -> list[Utility]:
    """What an analyst of the whole course looks at, with what two halves of the original differ by."""
    if not released[columns.at].type().is_timestamp():
        return verb_order(original, released, columns)  # a recurring window: no day, no hour and no gap is left
    errors = _sampling_errors(original, columns)
    found = [each for use in (activity, hours, sessions, verb_order) for each in use(original, released, columns)]
    return [judged(each, errors[each.name]) if each.name in errors else each for each in found]


def _sampling_errors(original: Table, columns: EventColumns) -> dict[str, float]:
    """How far one half of the students is from the other, by the same measures."""
    away: dict[str, list[float]] = {}
    events, columns, halves = _halved(original, columns)
    for halving in range(HALVINGS):
        side = (events[halves] >> halving) % 2
        one, other = (events.filter(here).drop(halves) for here in (side == 0, side != 0))
        found = [each for use in (hours, sessions, verb_order) for each in use(one, other, columns)]
        for each in [*found, *activity(one, other, columns, as_shares=True)]:
            away.setdefault(each.name, []).append(abs(each.value - (each.baseline or 0.0)))
    return {name: float(np.mean(values)) for name, values in away.items()}


def _halved(original: Table, columns: EventColumns) -> tuple[Table, EventColumns, str]:
    """What is measured of the events, in the order of the file, with one bit per halving that copies share."""
    names = [columns.student, columns.at, *([columns.verb] if columns.verb else [])]
    place, halves, who = (engine.fresh([*original.columns], name) for name in ("place", "halves", "who"))
    known = twins(original, columns.student, columns.at)
    bits = engine.derived(known, "twin", halves, lambda name: (name.hash() % 2**HALVINGS).cast("int64"))
    bits = bits.select("student", halves).rename({who: "student"})
    events = engine.numbered(original.select(*dict.fromkeys(names)), place)
    joined = events.join(bits, events[columns.student].cast("string") == bits[who]).drop(who)
    return engine.materialise(joined), replace(columns, order=place), halves
