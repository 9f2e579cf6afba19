"""Small shared steps of the uses: counts side by side, the overlap of two distributions, the event before."""

from collections.abc import Mapping, Sequence
from typing import TypeAlias

import ibis
import numpy as np
import pyarrow as pa
from ibis.expr.types import Table

from sharewell.data import engine
from sharewell.traces.arrays import Array
from sharewell.traces.event_columns import EventColumns

Counted: TypeAlias = tuple[pa.Table, ...]  # what a use has to know of a log: numbers that add up over its students


def counts(cells: Table) -> pa.Table:
    """How often each row occurs, as `events`; in an order that is the same on every engine."""
    names = list(cells.columns)
    return engine.arrow(cells.group_by(names).agg(events=cells.count()).order_by(names))


def part_of(table: Table, columns: EventColumns) -> dict[str, ibis.Value]:
    """Return the part of the students that an event belongs to, if any."""
    return {} if columns.part is None else {"part": table[columns.part]}


def added_up(rows: pa.Table, *keys: str) -> dict[object, int]:
    """Events by key, over all parts; a key of several columns is a tuple."""
    found = rows.group_by(list(keys), use_threads=False).aggregate([("events", "sum")])
    cells = [found[key].to_pylist() for key in keys]
    return dict(
        zip(cells[0] if len(keys) == 1 else zip(*cells, strict=True), found["events_sum"].to_pylist(), strict=True)
    )


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
