"""The same log with coarser windows, merged values or fewer columns, without going back to the rows."""

from dataclasses import replace

import numpy as np
import pyarrow as pa

from sharewell.traces.arrays import Array
from sharewell.traces.log import Log, index
from sharewell.traces.protection.recoding import OTHER, Recoding
from sharewell.traces.window_numbers import of_seconds


def view(base: Log, recoding: Recoding) -> Log:
    """`base` holds whole seconds; the view holds the windows and values that the recoding leaves."""
    combinations, numbers = _recoded(base, recoding)
    seconds, rows = np.divmod(base.keys, base.combinations_count)
    windows = of_seconds(recoding.window, seconds)
    first, count = int(windows.min()), max(combinations.num_rows, 1)
    keys, points = np.unique((windows - first) * count + numbers[rows], return_inverse=True)
    pairs = base.owners.astype(np.int64) * len(keys) + points[base.points]
    order = np.argsort(pairs, kind="stable")
    begins = np.flatnonzero(np.diff(pairs[order], prepend=-1))
    owners, merged = (part.astype(np.int32) for part in np.divmod(pairs[order][begins], max(1, len(keys))))
    events = np.add.reduceat(base.events[order].astype(np.int64), begins)
    also = recoding.quasi(base.also)
    like = replace(base, window=recoding.window, also=also, combinations=combinations)
    return index(like, owners, merged, events, keys + first * count)


def _recoded(base: Log, recoding: Recoding) -> tuple[pa.Table, Array]:
    """The combinations that are left, and for each old one the number of its new one."""
    also = recoding.quasi(base.also)
    if not also:
        return pa.table({}), np.zeros(base.combinations_count, np.int64)
    columns = [_values(base.combinations[name], recoding.merged.get(name)) for name in also]
    rows = list(zip(*columns, strict=True))
    distinct = {row: number for number, row in enumerate(dict.fromkeys(rows))}
    table = pa.table({name: pa.array([row[i] for row in distinct]) for i, name in enumerate(also)})
    return table, np.array([distinct[row] for row in rows])


def _values(column: pa.ChunkedArray, kept: tuple[str, ...] | None) -> list[object]:
    values: list[object] = column.to_pylist()
    if kept is None:
        return values
    stays = set(kept)
    texts = pa.array(column).cast(pa.string()).to_pylist() if not pa.types.is_string(column.type) else values
    return [value if value is None or value in stays else OTHER for value in texts]
