"""A release seen through the eyes of someone who knows the original: both logs over the same students and points.

Nothing here is told how the release was made: resolution, columns and merged values are read off the release itself.
"""

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from ibis.expr.types import Table

from sharewell import engine
from sharewell.traces.log import Log, index, reduce
from sharewell.traces.recode import OTHER, Recoding, merged
from sharewell.traces.windows import COARSENING, Window, parse


def resolution(released: Table, at: str) -> Window:
    """The coarsest window on whose starts all released times lie."""
    windows = [parse(label) for label in reversed(COARSENING)]
    times = released[at]
    whole = released.aggregate(**{window.label: (window.start(times) == times).all() for window in windows})
    answers = engine.arrow(whole).to_pylist()[0]
    return next((window for window in windows if answers[window.label]), parse("1s"))


def both(
    original: Table, released: Table, *, student: str, at: str, also: tuple[str, ...], window: Window | None = None
) -> tuple[Log, Log]:
    """The original recoded as the release is, and the release, numbered alike."""
    window = window or resolution(released, at)
    left = tuple(name for name in also if name in released.columns)
    after = reduce(released, student=student, at=at, window=window, also=left)
    recoding = Recoding(window=window, merged={name: kept for name in left if (kept := _merged_to(after, name))})
    before = reduce(merged(original, recoding), student=student, at=at, window=window, also=left)
    return before, aligned(before, after)


def _merged_to(log: Log, name: str) -> tuple[str, ...]:
    """The values that stayed, where others were merged under one name; empty where nothing was merged."""
    values = pc.unique(log.combinations[name]).to_pylist()
    return tuple(value for value in values if value is not None) if OTHER in values else ()


def aligned(before: Log, after: Log) -> Log:
    """`after` with the students and points of `before`; what `before` does not know cannot be matched and is left out."""
    students = pc.index_in(after.ids.cast(before.ids.type), value_set=before.ids)
    points = _same_points(before, after)[after.points]
    owners = np.asarray(students.fill_null(-1))[after.owners]
    known = (points >= 0) & (owners >= 0)
    order = np.lexsort((points[known], owners[known]))
    return index(
        before, owners[known][order].astype(np.int32), points[known][order], after.events[known][order], before.keys
    )


def _same_points(before: Log, after: Log) -> np.ndarray:
    """For every point of `after` its number in `before`, or -1."""
    windows, rows = np.divmod(after.keys, after.combinations_count)
    if after.also:
        theirs = {row: number for number, row in enumerate(_rows(before.combinations))}
        rows = np.array([theirs.get(row, -1) for row in _rows(after.combinations)])[rows]
    keys = windows * before.combinations_count + rows
    place = np.minimum(np.searchsorted(before.keys, keys), len(before.keys) - 1)
    return np.where((before.keys[place] == keys) & (rows >= 0), place, -1).astype(np.int32)


def _rows(table: pa.Table) -> list[tuple[object, ...]]:
    return list(zip(*(column.to_pylist() for column in table.columns), strict=True))
