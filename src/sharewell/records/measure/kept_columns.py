"""What the columns that a plan calls harmless disclose to an attacker who knows them after all.

A mark to two decimals is as good as a name to an attacker with the list of marks. And a column that alone singles
nobody out does so inside a group of five: the group and one or two kept values lead to the student.
"""

from collections.abc import Sequence
from itertools import combinations as subsets

import ibis
from ibis.expr.types import Table

from sharewell.contract import Risk
from sharewell.data import engine
from sharewell.records.kind import ALONE_BY_KEPT, KEPT
from sharewell.stats.intervals import wilson

ADVISED = 0.05  # of the students; more should make a steward look again
STAR = "*"
MOST_PAIRED = 8  # kept columns that are taken two at a time: those that single out most


def alone(table: Table, keep: Sequence[str]) -> list[Risk]:
    """The share of students with a value of their own: in the kept column that singles out most, and in all of them."""
    if not keep:
        return []
    shares = {name: _unique(table, [name]) for name in keep}
    worst = max(shares, key=lambda name: shares[name])
    rows = _count(table)
    found = [_own_value(shares[worst], rows, f"knows the kept column {worst}")]
    return found if len(keep) == 1 else [*found, _own_value(_unique(table, keep), rows, "knows all kept columns")]


def alone_in_class(table: Table, quasi: Sequence[str], keep: Sequence[str]) -> list[Risk]:
    """The share of students whom their class and one kept column single out, and their class and two."""
    if not keep:
        return []
    rows, telling = _count(table), _telling(table, quasi, keep)
    single: dict[tuple[str, ...], int] = {(name,): _unique(telling, [*quasi, name]) for name in keep}
    ranked = sorted(keep, key=lambda name: -single[(name,)])[:MOST_PAIRED]
    pairs: dict[tuple[str, ...], int] = {pair: _unique(telling, [*quasi, *pair]) for pair in subsets(ranked, 2)}
    return [_in_class(counts, rows) for counts in (single, pairs) if counts]


def _telling(table: Table, quasi: Sequence[str], keep: Sequence[str]) -> Table:
    """All rows but those in which every quasi column is `*` and every kept one empty: they are silent."""
    hidden = [(table[name].cast("string") == STAR).fill_null(False) for name in quasi]
    return table.filter(~ibis.and_(*hidden, *(table[name].isnull() for name in keep)))


def _unique(table: Table, columns: Sequence[str]) -> int:
    places = {f"c{number}": table[name] for number, name in enumerate(columns)}
    sizes = table.group_by(**places).aggregate(rows=lambda group: group.count())
    return int(engine.arrow(sizes.filter(sizes.rows == 1).aggregate(n=lambda one: one.count()))["n"][0].as_py())


def _count(table: Table) -> int:
    return int(engine.arrow(table.aggregate(rows=table.count()))["rows"][0].as_py())


def _own_value(unique: int, rows: int, attacker: str) -> Risk:
    low, high = wilson(unique, rows)
    return Risk(
        measure=ALONE_BY_KEPT,
        attacker=attacker,
        value=unique / max(rows, 1),
        low=low,
        high=high,
        n=rows,
        limit=ADVISED,
        story="The plan keeps these columns as they are. An attacker who has them, as from a list of marks, "
        "finds the students whose values nobody else has. Round them or make them quasi if that is likely.",
    )


def _in_class(counts: dict[tuple[str, ...], int], rows: int) -> Risk:
    worst = max(counts, key=lambda names: counts[names])
    low, high = wilson(counts[worst], rows)
    return Risk(
        measure=KEPT,
        attacker=f"knows the group and {' and '.join(worst)}",
        value=counts[worst] / max(rows, 1),
        low=low,
        high=high,
        n=rows,
        setting={"columns": list(worst)},
        story="Somebody finds a student's group by the quasi columns and knows what the plan keeps as it is: the share "
        "of students who are then alone, for the kept columns that single out most.",
    )
