"""Which sessions an attacker knows, and which are to be recognised."""

from dataclasses import dataclass

import ibis
import numpy as np
from ibis.expr.types import Table

from sharewell.data import engine
from sharewell.errors import InputError
from sharewell.keystrokes.arrays import Array
from sharewell.keystrokes.columns import canonical
from sharewell.keystrokes.eventlog import Events
from sharewell.keystrokes.latencies import timing_table
from sharewell.keystrokes.samples import Sample, reduce_parts

REFERENCE_SHARE = (2, 3)  # of a student's sessions: what the attacker has seen before


@dataclass(frozen=True, kw_only=True)
class Halves:
    """Two samples of the same people: what the attacker knows, and what is to be recognised."""

    reference: Sample
    target: Sample


def session_parts(events: Table) -> Table:
    """Which sessions are the target: those of the last week, or each student's last third where there are no weeks."""
    sessions = events.group_by("student", "session").agg(
        begun=events.press.min(), week=events.week.min(), row=events.row.min()
    )
    weeks = sessions.week.nunique().to_pyarrow().as_py()
    if weeks > 1:
        return sessions.select("student", "session", target=sessions.week == sessions.week.max().over(ibis.window()))
    window = ibis.window(group_by="student", order_by=["begun", "row"])
    whole = ibis.window(group_by="student")
    place, size = ibis.row_number().over(window), sessions.count().over(whole)
    part, of = REFERENCE_SHARE
    return sessions.select("student", "session", target=place * of >= size * part)


def halves(events: Table, parts: Table) -> Halves:
    """Canonical events reduced to the attacker's sample and the target."""
    timings = timing_table(events, sessions=True)
    joined = timings.inner_join(parts, ["student", "session"])
    reference, target = reduce_parts(joined)
    return Halves(reference=reference, target=target)


def target_rows(events: Events, parts: Table) -> Array:
    """Which of the loaded events belong to the target sessions."""
    numbered = canonical(events.table, events.columns, row=events.row_column).select("student", "session", "row")
    joined = numbered.inner_join(parts, ["student", "session"]).select("row", "target")
    flags = engine.arrow(joined)
    mask = np.zeros(len(events.row), dtype=bool)
    mask[flags["row"].to_numpy()] = flags["target"].to_numpy(zero_copy_only=False)
    return mask[events.row]


def students_of(events: Table) -> int:
    count: int = engine.connection().execute(events.student.nunique())
    if count < 2:
        raise InputError("has fewer than two students: nobody can be hidden among others", column="student")
    return count
