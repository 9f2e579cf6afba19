"""Sessions and the gaps between events."""

from collections.abc import Mapping
from dataclasses import dataclass

import ibis
import pyarrow as pa
from ibis.expr.types import Table

from sharewell.contract import Utility
from sharewell.data import engine
from sharewell.traces.event_columns import EventColumns
from sharewell.traces.kind import GAPS, SESSION_MINUTES, SESSIONS
from sharewell.traces.utility.tables import Counted, added_up, counts, overlap, part_of, value_before

SESSION_GAP = 30 * 60  # seconds without an event after which a new session begins


@dataclass(frozen=True, kw_only=True)
class Rhythm:
    """Sessions per student, their mean length, and the histogram of gaps."""

    n: int
    sessions: float
    minutes: float
    gaps: Mapping[object, int]


def counted(table: Table, columns: EventColumns) -> Counted:
    """Count students, sessions, their seconds and events; bin gaps by powers of two."""
    gap = _seconds(table[columns.at]) - _seconds(value_before(table, table[columns.at], columns))
    part = part_of(table, columns)
    timed = table.select(student=table[columns.student], gap=gap, **part)
    starts = timed.gap.isnull() | (timed.gap > SESSION_GAP)
    totals = timed.aggregate(
        by=list(part),
        students=timed.student.nunique(),
        sessions=starts.sum(),
        seconds=starts.ifelse(0.0, timed.gap).sum(),
        n=timed.count(),
    )
    known = timed.filter(timed.gap.notnull())
    bins = known.select((known.gap + 1).log2().floor().cast("int64").name("bin"), *part)
    return engine.arrow(totals.order_by(list(part)) if part else totals), counts(bins)


def compared(one: Counted, other: Counted, columns: EventColumns) -> list[Utility]:
    before, after = _rhythm(*one), _rhythm(*other)
    story = f"A session ends when {SESSION_GAP // 60} minutes pass without an event."
    return [
        Utility(measure=SESSIONS, value=after.sessions, baseline=before.sessions, n=before.n, story=story),
        Utility(measure=SESSION_MINUTES, value=after.minutes, baseline=before.minutes, n=before.n, story=story),
        Utility(
            measure=GAPS,
            value=overlap(before.gaps, after.gaps),
            baseline=1.0,
            n=before.n,
            story="How much the distributions of the time between two events of a student overlap (by powers of two).",
        ),
    ]


def _rhythm(totals: pa.Table, gaps: pa.Table) -> Rhythm:
    students, sessions, seconds, n = (
        sum(totals[name].to_pylist()) for name in ("students", "sessions", "seconds", "n")
    )
    return Rhythm(
        n=n,
        sessions=sessions / max(1, students),
        minutes=seconds / max(1, sessions) / 60,
        gaps=added_up(gaps, "bin"),
    )


def _seconds(moment: ibis.expr.types.TimestampValue) -> ibis.expr.types.FloatingValue:
    return engine.seconds(moment)
