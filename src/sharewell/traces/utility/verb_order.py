"""Which event follows which."""

from ibis.expr.types import Table

from sharewell.contract import Utility
from sharewell.data import engine
from sharewell.traces.event_columns import EventColumns
from sharewell.traces.kind import VERB_ORDER
from sharewell.traces.utility.tables import Counted, added_up, counts, overlap, part_of, value_before


def counted(table: Table, columns: EventColumns) -> Counted:
    """Pairs of verbs that follow one another; nothing where there are no verbs."""
    if columns.verb is None or columns.verb not in table.columns:
        return ()
    table, ties = engine.in_file_order(table)
    verb = table[columns.verb].cast("string").fill_null("")
    steps = table.select(to=verb, came=value_before(table, verb, columns, ties), **part_of(table, columns))
    return (counts(steps.filter(steps.came.notnull())),)


def compared(one: Counted, other: Counted, columns: EventColumns) -> list[Utility]:
    if not one or not other:
        return []
    before, after = (added_up(rows, "came", "to") for (rows,) in (one, other))
    return [
        Utility(
            measure=VERB_ORDER,
            value=overlap(before, after),
            baseline=1.0,
            n=sum(before.values()),
            story=f"How much the frequencies of which '{columns.verb}' follows which overlap.",
        )
    ]
