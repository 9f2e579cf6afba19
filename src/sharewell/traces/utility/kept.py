"""How much of the log is there at all: events and students."""

from ibis.expr.types import Table

from sharewell.contract import Utility
from sharewell.traces.event_columns import EventColumns
from sharewell.traces.kind import EVENTS_KEPT, STUDENTS_KEPT
from sharewell.traces.utility.tables import single_row


def kept(original: Table, released: Table, columns: EventColumns) -> list[Utility]:
    before, after = (
        single_row(table.aggregate(n=table.count(), s=table[columns.student].nunique()))
        for table in (original, released)
    )
    return [
        Utility(
            measure=EVENTS_KEPT,
            value=after["n"] / before["n"],
            n=before["n"],
            baseline=1.0,
            story="The share of the events that are in the release.",
        ),
        Utility(
            measure=STUDENTS_KEPT,
            value=after["s"] / before["s"],
            n=before["s"],
            baseline=1.0,
            story="The share of the students of whom at least one event is in the release.",
        ),
    ]
