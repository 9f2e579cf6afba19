"""Small shared steps of the uses: counts side by side, the overlap of two distributions, the event before."""

from collections.abc import Mapping, Sequence

import ibis
import numpy as np
from ibis.expr.types import Table

from sharewell.data import engine
from sharewell.traces.arrays import Array
from sharewell.traces.event_columns import EventColumns


def side_by_side(before: Mapping[object, int], after: Mapping[object, int]) -> tuple[Array, Array]:
    keys = sorted({*before, *after}, key=str)
    return np.array([before.get(key, 0) for key in keys], float), np.array([after.get(key, 0) for key in keys], float)


def overlap(before: Mapping[object, int], after: Mapping[object, int]) -> float:
    """One minus the total variation distance of two distributions."""
    one, other = side_by_side(before, after)
    if one.sum() == 0 or other.sum() == 0:
        return 0.0
    return float(1 - 0.5 * np.abs(one / one.sum() - other / other.sum()).sum())


def value_before(table: Table, value: ibis.Value, columns: EventColumns, ties: Sequence[str] = ()) -> ibis.Value:
    """The value in the student's event before this one; the true order within a window where it is known."""
    known = columns.order is not None and columns.order in table.columns
    order = [columns.at, *([columns.order] if known else []), *ties]
    return value.lag().over(group_by=columns.student, order_by=order)


def single_row(table: Table) -> dict[str, int]:
    found: dict[str, int] = engine.arrow(table).to_pylist()[0]
    return found
