"""All uses of a log, each measured on the release and on the original, beside the original's own sampling error.

Two halves of the students differ by chance; a release that differs from the original by less than twice that has lost
nothing that one course could show. The others are listed as lost. Copies of one student stay in one half.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pyarrow as pa
from ibis.expr.types import Table

from sharewell.contract import Utility
from sharewell.data import engine
from sharewell.traces.event_columns import EventColumns
from sharewell.traces.utility import activity, hours, sessions, verb_order
from sharewell.traces.utility.copied_students import copied_students
from sharewell.traces.utility.kept import kept
from sharewell.traces.utility.own_events import own_events
from sharewell.traces.utility.six_analyses import AnalysisColumns, SixAnalyses
from sharewell.traces.utility.tables import Counted

SAMPLING_ERROR, VERDICT = "sampling error", "against it"
HALVINGS = 12  # ways to halve the students, whose differences are averaged
ENOUGH = 2.0  # sampling errors
USES = (activity, hours, sessions, verb_order)  # each counts what it has to know of a log, and compares two of these


@dataclass(frozen=True, kw_only=True)
class Uses:
    """What is measured of a release beside its original: general uses, then the six analyses."""

    columns: EventColumns
    analyses: AnalysisColumns
    seed: int
    invented: bool
    shares: bool  # of kept texts that say the same in all rows of a student, as groups show them

    def of(self, original: Table, released: Table) -> list[Utility]:
        """Both tables have times as timestamps, and the original ids unless students are invented."""
        own = [] if self.invented else own_events(original, released, self.columns)
        general = [*kept(original, released, self.columns), *own, *_compared(original, released, self.columns)]
        six = SixAnalyses(original, self.analyses, seed=self.seed)
        return [*six.utilities(six.of_events(released, shares=self.shares)), *general]


def judged(found: Utility, error: float) -> Utility:
    """With the sampling error beside it, and whether the release keeps within twice that."""
    away = abs(found.value - (found.baseline or 0.0))
    verdict = "kept" if away <= ENOUGH * error else "lost"
    return replace(found, setting={**found.setting, SAMPLING_ERROR: round(error, 4), VERDICT: verdict})


def _compared(original: Table, released: Table, columns: EventColumns) -> list[Utility]:
    """What an analyst of the whole course looks at, with what two halves of the original differ by."""
    if not released[columns.at].type().is_timestamp():  # a recurring window: no day, no hour and no gap is left
        return _all_compared((verb_order,), original, released, columns)
    errors = _sampling_errors(original, columns)
    found = _all_compared(USES, original, released, columns)
    return [judged(each, errors[each.name]) if each.name in errors else each for each in found]


def _all_compared(these: Sequence[Any], original: Table, released: Table, columns: EventColumns) -> list[Utility]:
    pairs = [(use, use.counted(original, columns), use.counted(released, columns)) for use in these]
    return [each for use, before, after in pairs for each in use.compared(before, after, columns)]


def _sampling_errors(original: Table, columns: EventColumns) -> dict[str, float]:
    """How far one half of the students is from the other, by the same measures; counted once for all halvings."""
    away: dict[str, list[float]] = {}
    events, columns = _halved(original, columns)
    counted = [(use, use.counted(events, columns)) for use in USES]
    for halving in range(HALVINGS):
        for use, numbers in counted:
            one, other = (_half(numbers, halving, side) for side in (0, 1))
            for each in use.compared(one, other, columns):
                away.setdefault(each.name, []).append(abs(each.value - (each.baseline or 0.0)))
    return {name: float(np.mean(values)) for name, values in away.items()}


def _half(numbers: Counted, halving: int, side: int) -> Counted:
    """What is counted of the students whose bit of this halving is `side`."""
    return tuple(rows.filter(pa.array((np.asarray(rows["part"]) >> halving) % 2 == side)) for rows in numbers)


def _halved(original: Table, columns: EventColumns) -> tuple[Table, EventColumns]:
    """What is measured of the events, in the order of the file, with one bit per halving that copies share."""
    names = [columns.student, columns.at, *([columns.verb] if columns.verb else [])]
    place, halves, who = (engine.fresh([*original.columns], name) for name in ("place", "halves", "who"))
    known = copied_students(original, columns.student, columns.at)
    bits = engine.derived(known, "twin", halves, lambda name: (name.hash() % 2**HALVINGS).cast("int64"))
    bits = bits.select("student", halves).rename({who: "student"})
    events = engine.numbered(original.select(*dict.fromkeys(names)), place)
    joined = events.join(bits, events[columns.student].cast("string") == bits[who]).drop(who)
    return engine.materialise(joined), replace(columns, order=place, part=halves)
