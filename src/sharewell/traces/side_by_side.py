"""A release seen through the eyes of someone who knows the original: both logs over the same students and points.

Nothing here knows how the release was made: resolution, columns and merged values are read off the release itself.
"""

from dataclasses import replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from ibis.expr.types import Table

from sharewell.data import engine
from sharewell.plan.windows import COARSENING, Window, parse
from sharewell.traces.arrays import Array
from sharewell.traces.log import Log, index, reduce
from sharewell.traces.protection.recoding import OTHER, Recoding, merged
from sharewell.traces.window_numbers import start


def resolution(released: Table, at: str) -> Window:
    """Find the coarsest window on whose starts all released times lie."""
    windows = [parse(label) for label in reversed(COARSENING)]
    times = released[at]
    whole = released.aggregate(**{window.label: (start(window, times) == times).all() for window in windows})
    answers = engine.arrow(whole).to_pylist()[0]
    return next((window for window in windows if answers[window.label]), parse("1s"))


def both(
    original: Table, released: Table, *, student: str, at: str, also: tuple[str, ...], window: Window | None = None
) -> tuple[Log, Log]:
    """The original recoded as the release is, and the release with its values numbered like the original's."""
    window = window or resolution(released, at)
    left = tuple(name for name in also if name in released.columns)
    after = reduce(released, student=student, at=at, window=window, also=left)
    recoding = _recoding(window, after.combinations)
    before = reduce(merged(original, recoding), student=student, at=at, window=window, also=left)
    return before, _same_values(before, after)


def aligned(before: Log, after: Log) -> Log:
    """`after` with the students and points of `before`; what `before` does not know is left out."""
    place = np.minimum(np.searchsorted(before.keys, after.keys), len(before.keys) - 1)
    points = np.where(before.keys[place] == after.keys, place, -1)[after.points]
    owners = same_students(before, after)[after.owners]
    return _sorted(before, owners, points, after.events, before.keys)


def same_students(before: Log, after: Log) -> Array:
    """For every student of `after` their number in `before`, or -1."""
    found = pc.index_in(after.ids.cast(before.ids.type), value_set=before.ids)
    return np.asarray(found.fill_null(-1))


def _recoding(window: Window, combinations: pa.Table) -> Recoding:
    """Read off how values were merged: which stayed where others became one."""
    values = {name: pc.unique(combinations[name]).to_pylist() for name in combinations.column_names}
    stayed = {name: tuple(one for one in all_ if one is not None) for name, all_ in values.items() if OTHER in all_}
    return Recoding(window=window, merged=stayed)


def _same_values(before: Log, after: Log) -> Log:
    """`after` with the combinations of `before`; others cannot come from the original and are left out."""
    if not after.also:
        return after
    numbers = {row: number for number, row in enumerate(_rows(before.combinations))}
    windows, rows = np.divmod(after.keys, after.combinations_count)
    rows = np.array([numbers.get(row, -1) for row in _rows(after.combinations)])[rows]
    keys, points = np.unique(windows * before.combinations_count + rows, return_inverse=True)
    points = np.where(rows >= 0, points, -1)[after.points]
    like = replace(after, combinations=before.combinations)
    return _sorted(like, after.owners, points, after.events, keys)


def _sorted(like: Log, owners: Array, points: Array, events: Array, keys: Array) -> Log:
    known = (points >= 0) & (owners >= 0)
    order = np.lexsort((points[known], owners[known]))
    owners, points = (values[known][order].astype(np.int32) for values in (owners, points))
    return index(like, owners, points, events[known][order], keys)


def _rows(table: pa.Table) -> list[tuple[object, ...]]:
    return list(zip(*(column.to_pylist() for column in table.columns), strict=True))
