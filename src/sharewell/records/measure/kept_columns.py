"""What the columns that a plan calls harmless would tell somebody who knows them after all.

No gate holds these: they are the plan's own judgement. But a mark to two decimals is as good as a name to whoever has
the list of marks, and a reader of the report should see that.
"""

from collections.abc import Sequence

from ibis.expr.types import Table

from sharewell.contract import Risk
from sharewell.data import engine
from sharewell.records.kind import ALONE_BY_KEPT
from sharewell.stats.intervals import wilson

ADVISED = 0.05  # of the students; more should make a steward look again


def alone(table: Table, keep: Sequence[str]) -> list[Risk]:
    """The share of students with a value of their own: in the kept column that tells most, and in all of them."""
    if not keep:
        return []
    shares = {name: _unique(table, [name]) for name in keep}
    worst = max(shares, key=lambda name: shares[name])
    rows = int(engine.arrow(table.aggregate(rows=table.count()))["rows"][0].as_py())
    found = [_risk(shares[worst], rows, f"knows the kept column {worst}")]
    return found if len(keep) == 1 else [*found, _risk(_unique(table, keep), rows, "knows all kept columns")]


def _unique(table: Table, columns: Sequence[str]) -> int:
    places = {f"c{number}": table[name] for number, name in enumerate(columns)}
    sizes = table.group_by(**places).aggregate(rows=lambda group: group.count())
    return int(engine.arrow(sizes.filter(sizes.rows == 1).aggregate(n=lambda one: one.count()))["n"][0].as_py())


def _risk(unique: int, rows: int, attacker: str) -> Risk:
    low, high = wilson(unique, rows)
    return Risk(
        measure=ALONE_BY_KEPT,
        attacker=attacker,
        value=unique / max(rows, 1),
        low=low,
        high=high,
        n=rows,
        limit=ADVISED,
        story="The plan keeps these columns as they are. Whoever has them from elsewhere, such as a list of marks, "
        "finds the students whose values nobody else has. Round them or make them quasi if that is likely.",
    )
