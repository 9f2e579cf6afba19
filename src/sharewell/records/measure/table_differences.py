"""Two tables of counts over the same students: does what one shows give away what the other hides?

Somebody subtracts: students of all towns less those of the towns that are shown. Both tables are sums over the same
finest cells, so that the attacker solves all their equations at once, by linear programming.
"""

from itertools import product

import numpy as np

from sharewell.contract import Risk
from sharewell.records.arrays import Array
from sharewell.records.kind import DIFFERENCED
from sharewell.records.protection.small_tables import TOTAL, Counts


def differenced(one: Counts, other: Counts) -> Risk:
    """Check what two tables of counts of the same students give away together.

    To be made before a second table of the same students goes out.

    Args:
        one: A table that `tabulate` made.
        other: Another one, of the same students.

    Returns:
        The share of hidden counts of either table that both together give to within less than `least` students.

    Example:
        >>> import pyarrow as pa
        >>> import sharewell as sw
        >>> students = pa.table({"town": ["a"] * 9 + ["b"] * 8, "ill": ["no"] * 7 + ["yes"] * 2 + ["no"] * 8})
        >>> tables = [sw.records.tabulate(students, by=by) for by in (["town"], ["town", "ill"])]
        >>> round(sw.records.differenced(*tables).value, 2)  # the towns' totals, which the second table hides
        0.43
    """
    names = tuple(dict.fromkeys([*one.by, *other.by]))
    values = {name: _values(name, one, other) for name in names}
    finest = list(product(*(values[name] for name in names)))
    rows, sums = [], []
    for table in (one, other):
        for labels, count in table.cells.items():
            if count is not None:
                rows.append(_cover(table, labels, names, finest))
                sums.append(float(count))
    hidden = [(t, labels) for t in (one, other) for labels, count in t.cells.items() if count is None]
    shown, totals = np.array(rows), np.array(sums)
    widths = [(_width(_cover(table, labels, names, finest), shown, totals), table.least) for table, labels in hidden]
    exposed = sum(width < least for width, least in widths)
    return Risk(
        measure=DIFFERENCED,
        attacker="holds both tables",
        value=exposed / max(len(hidden), 1),
        n=len(hidden),
        setting={"by": [" × ".join(one.by), " × ".join(other.by)]},
        story="Somebody sets two tables against each other: the share of hidden counts that they give back.",
    )


def _values(name: str, one: Counts, other: Counts) -> list[str]:
    found: dict[str, None] = {}
    for table in (one, other):
        if name in table.by:
            found |= dict.fromkeys(labels[table.by.index(name)] for labels in table.cells)
    return [value for value in found if value != TOTAL]


def _cover(table: Counts, labels: tuple[str, ...], names: tuple[str, ...], finest: list[tuple[str, ...]]) -> Array:
    """Which of the finest cells a count adds up."""
    wanted = {names.index(name): label for name, label in zip(table.by, labels, strict=True) if label != TOTAL}
    return np.array([float(all(cell[n] == label for n, label in wanted.items())) for cell in finest])


def _width(
    aim: Array,
    rows: Array,
    sums: Array,
) -> float:
    from scipy.optimize import linprog

    ends = []
    for sign in (1, -1):
        done = linprog(sign * aim, A_eq=rows, b_eq=sums, bounds=(0, None))
        ends.append(sign * done.fun if done.status == 0 else float("inf"))
    return float(ends[1] - ends[0])
