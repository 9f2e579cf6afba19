"""Cells that stand for what is never learnt: identifiers in the shape of their column, and no more."""

import re
from collections.abc import Sequence

import numpy as np
import pyarrow as pa

from sharewell.synthetic.columns import written

DATE = re.compile(r"^\d{4}-\d{2}-\d{2}")
PLACEHOLDER_DATE = "2000-01-01"
LOOKED_AT = 50  # cells, to see whether they are dates, numbers or addresses


def placeholders(name: str, cells: pa.ChunkedArray, rows: int) -> pa.Array:
    """Invent identifiers for so many rows, in the type of the column."""
    type = cells.type
    if pa.types.is_temporal(type):
        return pa.array([0] * rows, pa.int64()).cast(pa.timestamp("s")).cast(type)
    if pa.types.is_boolean(type):
        return pa.array([False] * rows, type)
    if not (pa.types.is_string(type) or pa.types.is_large_string(type) or pa.types.is_dictionary(type)):
        return pa.array(np.arange(1, rows + 1)).cast(type)
    some = [str(cell) for cell in cells.drop_null().slice(0, LOOKED_AT).to_pylist()]
    if some and all(map(DATE.match, some)):
        return written(pa.array([PLACEHOLDER_DATE] * rows), type)
    if some and all(cell.isdigit() for cell in some):
        longest = max(map(len, some))
        return written(pa.array([f"{10**longest * 9 + number}" for number in range(1, rows + 1)]), type)
    made = "invented{}@example.org" if some and all("@" in cell for cell in some) else f"invented {name} {{}}"
    return written(pa.array([made.format(number) for number in range(1, rows + 1)]), type)


def invented_like(ids: Sequence[str], count: int) -> list[str]:
    """Invent ids that nobody has: longer numbers, or words with "fake-"."""
    if ids and all(one.isdigit() for one in ids):
        start = 9 * 10 ** max(map(len, ids))
        return [str(start + number) for number in range(1, count + 1)]
    prefix = "fake-"
    while any(one.startswith(prefix) for one in ids):
        prefix = f"fake-{prefix}"
    return [f"{prefix}{number:07d}" for number in range(1, count + 1)]
