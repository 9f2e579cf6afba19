"""Times of events as seconds, and written again as the column had them."""

import re
from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa
from ibis.expr.types import Table

from sharewell.data import engine
from sharewell.data.formats.columns import moment
from sharewell.stats.arrays import Array

ISO = re.compile(r"^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}")
LOOKED_AT = 200  # cells, to see whether a column holds times


def with_seconds(table: Table, column: str, *, layout: str | None = None, file: str = "") -> tuple[pa.Table, Array]:
    """The rows that have a time, and the whole seconds since 1970 of each."""
    name = engine.fresh(table.columns, "seconds")
    time = moment(table, column, layout=layout, file=file)
    rows = engine.arrow(table.mutate(**{name: engine.seconds(time)}))
    rows = rows.filter(pa.compute.is_valid(rows[name]))
    return rows.drop_columns([name]), np.floor(rows[name].to_numpy()).astype(np.int64)


def time_column(table: Table, names: Sequence[str]) -> str | None:
    """The first of some columns that holds times of day."""
    for name in names:
        kind = table[name].type()
        if kind.is_timestamp():
            return name
        if kind.is_string():
            some = engine.arrow(table.select(name).limit(LOOKED_AT))[name].drop_null().to_pylist()
            if some and all(ISO.match(cell) for cell in some):
                return name
    return None


def as_in(cells: pa.ChunkedArray, like: pa.ChunkedArray) -> pa.ChunkedArray:
    """Write times in the type of a column, or in the shape of its text."""
    type: Any = like.type
    if not (pa.types.is_string(type) or pa.types.is_large_string(type)):
        return cells.cast(type, safe=False)
    first = next((cell for cell in like.slice(0, LOOKED_AT).drop_null().to_pylist()), "")
    found = re.match(r"^\d{4}-\d{2}-\d{2}(?:([T ])\d{2}:\d{2}(:\d{2})?(\.\d+)?)?(.*)$", first)
    if found is None:
        return pa.compute.strftime(cells, "%Y-%m-%d %H:%M:%S").cast(type)
    between, seconds, fraction, rest = found.groups()
    layout = "%Y-%m-%d" + (f"{between}%H:%M{':%S' if seconds else ''}" if between else "")
    text = pa.compute.strftime(cells.cast(pa.timestamp("s")), layout)
    tail = ("." + "0" * (len(fraction) - 1) if fraction else "") + ("" if any(map(str.isalpha, rest[1:])) else rest)
    return pa.compute.binary_join_element_wise(text.cast(pa.string()), pa.scalar(tail), "").cast(type)
