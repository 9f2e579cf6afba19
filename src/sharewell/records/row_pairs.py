"""Original and released rows side by side, found again by their place in the file."""

from collections.abc import Sequence

import numpy as np
import pyarrow as pa
from ibis.expr.types import Table

from sharewell.data import engine
from sharewell.records.arrays import Array

MOST_ROWS = 20_000


def numbered(table: Table, row: str) -> Table:
    """Rows with their place in the file, in a column of this name."""
    return engine.numbered(table, row)


def only(table: Table, row: str, some: Array) -> Table:
    """The rows at these places."""
    place = engine.fresh(table.columns, "place")
    places = engine.listed(pa.table({place: some}))
    return table.semi_join(places, table[row] == places[place])


def sampled(table: Table, row: str, most: int, seed: int) -> pa.Table:
    """The rows in the order of the file; of a long table so many, drawn by the seed."""
    return _at(table, row, _some(table, most, seed))


def side_by_side(original: Table, released: Table, row: str, seed: int) -> tuple[pa.Table, pa.Table]:
    """The same rows before and after, in one order; of a long table a sample."""
    some = _some(original, MOST_ROWS, seed)
    return _at(original, row, some), _at(released, row, some)


def whole_classes(
    original: Table, released: Table, row: str, quasi: Sequence[str], seed: int
) -> tuple[pa.Table, pa.Table]:
    """The same rows before and after; of a long table some classes of look-alikes, each whole if there is room."""
    if int(engine.value(original.count())) <= MOST_ROWS:
        return side_by_side(original, released, row, seed)
    cells = {f"c{number}": released[name] for number, name in enumerate(quasi)}
    counted = released.group_by(**cells).agg(n=lambda t: t.count(), first=lambda t: t[row].min())
    classes = engine.arrow(counted).sort_by("first")  # an engine gives them in any order
    few = _that_fit(classes["n"].to_numpy(), seed)
    chosen = engine.listed(classes.take(pa.array(few)).select(list(cells)))
    same = [released[name].identical_to(chosen[short]) for name, short in zip(quasi, cells, strict=True)]
    found = engine.arrow(released.semi_join(chosen, same).select(row))[row].to_numpy()
    places = np.sort(found)[:MOST_ROWS]
    return _at(original, row, places), _at(released, row, places)


def _that_fit(sizes: Array, seed: int) -> Array:
    """Classes drawn by the seed until the room is full; one of them, to be cut, where each alone is too large.

    A class that is larger than the room must not end the drawing before it began: nothing would be looked at.
    """
    order = np.random.default_rng(seed).permutation(sizes.size)
    fitting = order[sizes[order] <= MOST_ROWS]
    return fitting[np.cumsum(sizes[fitting]) <= MOST_ROWS] if fitting.size else order[:1]


def _some(table: Table, most: int, seed: int) -> Array | None:
    """Places of drawn rows; None where all of them fit."""
    rows = int(engine.value(table.count()))
    return None if rows <= most else np.sort(np.random.default_rng(seed).choice(rows, most, replace=False))


def _at(table: Table, row: str, some: Array | None) -> pa.Table:
    found = table if some is None else only(table, row, some)
    return engine.arrow(found.order_by(row).drop(row))
