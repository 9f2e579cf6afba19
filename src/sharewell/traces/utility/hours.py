"""The hours of the day: when the course is at work, and how regular each student is."""

from collections.abc import Mapping

import numpy as np
import pyarrow as pa
from ibis.expr.types import Table

from sharewell.contract import Utility
from sharewell.plan.windows import parse
from sharewell.traces.arrays import Array
from sharewell.traces.event_columns import EventColumns
from sharewell.traces.kind import HOURS, REGULARITY
from sharewell.traces.utility.tables import Counted, counts, overlap, part_of
from sharewell.traces.window_numbers import number


def counted(table: Table, columns: EventColumns) -> Counted:
    """Events of each student in each hour of the day."""
    who, hour = table[columns.student].cast("string"), number(parse("hour-of-day"), table[columns.at])
    return (counts(table.select(who=who, hour=hour, **part_of(table, columns))),)


def compared(one: Counted, other: Counted, columns: EventColumns) -> list[Utility]:
    before, after = (_by_hour(rows) for (rows,) in (one, other))
    students = len(before)
    totals: list[Mapping[object, int]] = [
        dict(enumerate(table.sum(axis=0).astype(int).tolist())) for table in (before, after)
    ]
    return [
        Utility(
            measure=HOURS,
            value=overlap(*totals),
            baseline=1.0,
            n=int(before.sum()),
            story="How much the distributions of events over the hours of the day overlap.",
        ),
        Utility(
            measure=REGULARITY,
            value=_entropy(after),
            baseline=_entropy(before),
            n=students,
            story="How evenly a student's events spread over the hours of the day: mean entropy in bits.",
        ),
    ]


def _by_hour(rows: pa.Table) -> Array:
    """A row for each student, a column for each hour."""
    who = rows["who"].combine_chunks().dictionary_encode()
    found = np.zeros((len(who.dictionary), 24))
    found[np.asarray(who.indices), np.asarray(rows["hour"])] = np.asarray(rows["events"])
    return found


def _entropy(table: Array) -> float:
    """Shannon entropy of each student's hours, in bits, averaged over students."""
    if not len(table):
        return 0.0
    shares = table / table.sum(axis=1, keepdims=True)
    logs = np.log2(np.where(shares > 0, shares, 1.0))
    return float(-(shares * logs).sum(axis=1).mean())
