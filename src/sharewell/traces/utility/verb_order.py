"""Which event follows which."""

from ibis.expr.types import Table

from sharewell.contract import Utility
from sharewell.data import engine
from sharewell.traces.event_columns import EventColumns
from sharewell.traces.kind import VERB_ORDER
from sharewell.traces.utility.tables import overlap, value_before


def verb_order(original: Table, released: Table, columns: EventColumns) -> list[Utility]:
    """Pairs of verbs that follow one another, where the release still has the verb."""
    if columns.verb is None or columns.verb not in released.columns:
        return []
    before, after = (_bigrams(table, columns, columns.verb) for table in (original, released))
    return [
        Utility(
            measure=VERB_ORDER,
            value=overlap(before, after),
            baseline=1.0,
            n=sum(before.values()),
            story=f"How much the frequencies of which '{columns.verb}' follows which overlap.",
        )
    ]


def _bigrams(table: Table, columns: EventColumns, name: str) -> dict[object, int]:
    table, ties = engine.in_file_order(table)
    verb = table[name].cast("string").fill_null("")
    steps = table.select(to=verb, came=value_before(table, verb, columns, ties))
    steps = steps.filter(steps.came.notnull())
    counted = engine.arrow(steps.group_by(["came", "to"]).agg(events=steps.count())).to_pylist()
    return {(row["came"], row["to"]): row["events"] for row in counted}
