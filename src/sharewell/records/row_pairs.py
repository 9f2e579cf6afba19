"""Original and released rows side by side, found again by their place in the file."""

import ibis
import numpy as np
import pyarrow as pa
from ibis.expr.types import Table

from sharewell.data import engine
from sharewell.records.arrays import Array

MOST_ROWS = 20_000


def numbered(table: Table, row: str) -> Table:
    """Rows with their place in the file, in a column of this name."""
    return table.mutate(**{row: ibis.row_number()})


def side_by_side(original: Table, released: Table, row: str, seed: int) -> tuple[pa.Table, pa.Table]:
    """The same rows before and after, in one order; of a long table a sample. Both carry their place as `row`."""
    rows = int(engine.connection().execute(original.count()))
    some = np.arange(rows)
    if rows > MOST_ROWS:
        some = np.sort(np.random.default_rng(seed).choice(rows, MOST_ROWS, replace=False))
    return _at(original, row, some), _at(released, row, some)


def _at(table: Table, row: str, some: Array) -> pa.Table:
    place = engine.fresh(table.columns, "place")
    places = ibis.memtable(pa.table({place: some}))
    found = table.inner_join(places, table[row] == places[place]).order_by(row)
    return engine.arrow(found.drop(row, place))
