"""Original and released rows side by side, and who was suppressed: no group should pay for the others unseen."""

from collections.abc import Sequence

import ibis
import numpy as np
import pyarrow as pa
from ibis.expr.types import Table

from sharewell.contract import Utility
from sharewell.data import engine
from sharewell.records.combinations import code_column
from sharewell.records.hierarchies import STAR
from sharewell.records.recode import ROW

MOST_ROWS = 20_000
SMALLEST_GROUP = 20  # students; a share of fewer says little
MOST_VALUES = 30  # of a column that is looked at by group


def numbered(table: Table) -> Table:
    """Rows with their place in the file, by which released rows are found again."""
    return table.mutate(**{ROW: ibis.row_number()})


def side_by_side(original: Table, released: Table, seed: int) -> tuple[pa.Table, pa.Table]:
    """The same rows before and after, in one order; of a long table a sample."""
    rows = int(engine.connection().execute(original.count()))
    some = np.arange(rows)
    if rows > MOST_ROWS:
        some = np.sort(np.random.default_rng(seed).choice(rows, MOST_ROWS, replace=False))
    places = ibis.memtable(pa.table({"__place": some}))
    return _at(numbered(original), places), _at(released, places)


def _at(table: Table, places: Table) -> pa.Table:
    found = table.inner_join(places, table[ROW] == places["__place"]).order_by(ROW)
    return engine.arrow(found.drop(ROW, "__place"))


def by_group(before: pa.Table, after: pa.Table, quasi: Sequence[str], others: Sequence[str]) -> list[Utility]:
    """For every column: the group with the largest share of suppressed rows, against the share of everyone."""
    gone = np.ones(before.num_rows, bool)
    for name in quasi:
        coded = code_column(name, after[name])
        gone &= np.array([value == STAR for value in coded.values])[coded.codes]
    if not gone.any() or gone.all():
        return []
    found = []
    for name in [*quasi, *others]:
        worst = _worst(before[name], gone)
        if worst is not None:
            found.append(
                Utility(
                    name="suppressed, most affected group", value=worst, n=before.num_rows, better="lower",
                    baseline=float(gone.mean()), setting={"column": name},
                    story=f"The largest share of suppressed rows in any group of {name} with at least "
                    f"{SMALLEST_GROUP} students; the original figure is that of everyone.",
                )
            )  # fmt: skip
    return found


def _worst(column: pa.ChunkedArray, gone: np.ndarray) -> float | None:
    coded = code_column("", column)
    sizes = np.bincount(coded.codes, minlength=len(coded.values))
    hidden = np.bincount(coded.codes, weights=gone, minlength=len(coded.values))
    large = sizes >= SMALLEST_GROUP
    if not large.any() or len(coded.values) > MOST_VALUES:
        return None
    return float((hidden[large] / sizes[large]).max())
