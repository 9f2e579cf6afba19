"""How many events stand with the student whose they are: where students leave in groups, some stand with another."""

import ibis
from ibis.expr.types import Table

from sharewell.contract import Utility
from sharewell.data import engine
from sharewell.traces.event_columns import EventColumns
from sharewell.traces.kind import OWN_EVENTS
from sharewell.traces.window_numbers import number


def own_events(original: Table, released: Table, columns: EventColumns) -> list[Utility]:
    """Per student and window the smaller of both numbers of events, as a share of the original."""
    before, after = (_counts(table, columns) for table in (original, released))
    same = before.join(after, [before.who == after.who, before.window == after.window])
    found = same.aggregate(events=ibis.least(before.events, after.events).sum().fill_null(0))
    kept = engine.arrow(found).to_pylist()[0]["events"]
    total = engine.arrow(original.aggregate(n=original.count())).to_pylist()[0]["n"]
    story = "The share of the events that stand in the release with their own student and in their own window."
    return [Utility(measure=OWN_EVENTS, value=kept / total, n=total, baseline=1.0, story=story)]


def _counts(table: Table, columns: EventColumns) -> Table:
    cells = table.select(who=table[columns.student].cast("string"), window=number(columns.window, table[columns.at]))
    return cells.group_by(["who", "window"]).agg(events=cells.count())
