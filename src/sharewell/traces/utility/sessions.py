"""Sessions and the gaps between events."""

from collections.abc import Mapping
from dataclasses import dataclass

import ibis
from ibis.expr.types import Table

from sharewell.contract import Utility
from sharewell.data import engine
from sharewell.traces.event_columns import EventColumns
from sharewell.traces.kind import GAPS, SESSION_MINUTES, SESSIONS
from sharewell.traces.utility.tables import overlap, single_row, value_before

SESSION_GAP = 30 * 60  # seconds without an event after which a new session begins


@dataclass(frozen=True, kw_only=True)
class Rhythm:
    """Sessions per student, their mean length, and the histogram of gaps."""

    n: int
    sessions: float
    minutes: float
    gaps: Mapping[object, int]


def sessions(original: Table, released: Table, columns: EventColumns) -> list[Utility]:
    before, after = (_rhythm(table, columns) for table in (original, released))
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


def _rhythm(table: Table, columns: EventColumns) -> Rhythm:
    gap = _seconds(table[columns.at]) - _seconds(value_before(table, table[columns.at], columns))
    timed = table.select(student=table[columns.student], gap=gap)
    starts = timed.gap.isnull() | (timed.gap > SESSION_GAP)
    totals = single_row(
        timed.aggregate(
            students=timed.student.nunique(),
            sessions=starts.sum(),
            seconds=starts.ifelse(0.0, timed.gap).sum(),
            n=timed.count(),
        )
    )
    known = timed.filter(timed.gap.notnull())
    bins = known.select(bin=(known.gap + 1).log2().floor().cast("int64"))
    counted = engine.arrow(bins.group_by("bin").agg(events=bins.count()))
    return Rhythm(
        n=totals["n"],
        sessions=totals["sessions"] / max(1, totals["students"]),
        minutes=totals["seconds"] / max(1, totals["sessions"]) / 60,
        gaps=dict(zip(counted["bin"].to_pylist(), counted["events"].to_pylist(), strict=True)),
    )


def _seconds(moment: ibis.expr.types.TimestampValue) -> ibis.expr.types.FloatingValue:
    return engine.seconds(moment)
