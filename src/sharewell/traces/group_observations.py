"""A released log as analysts should count it: one observation per group of identical rows, with its weight.

k copies of a row are not k students: a test over the rows of a file in groups finds an effect in 41 % of courses that
have none. A group is one observation, and its weight the number of its members.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from sharewell.data import engine
from sharewell.data.formats.columns import check_columns
from sharewell.errors import InputError
from sharewell.traces.row_classes import row_hashes

FEWEST_GROUPS = 4  # for each different share, or residuals say too little


def observations(released: Any, *, student: str, values: Sequence[str] = ()) -> Any:
    """Reduce a released log to one row per group of students with identical rows.

    Args:
        released: A released log: a frame, a table or a path.
        student: The column of the pseudonyms.
        values: Columns that say the same in all rows of a student, such as a kept mark: they are passed on.

    Returns:
        The same kind of frame, one row per group: `student`, one of its members, to look up its rows by; `weight`, how
        many members it has; `rows`, how many rows each of them has; and the columns of `values`.

    Example:
        >>> import pyarrow as pa
        >>> import sharewell as sw
        >>> log = pa.table({"user": ["ann", "bob", "eve"], "week": [1, 1, 2], "mark": [60.0, 60.0, 80.0]})
        >>> sw.traces.observations(log, student="user", values=["mark"]).to_pylist()[0]
        {'student': 'ann', 'weight': 2, 'rows': 1, 'mark': 60.0}
    """
    table = engine.table(released)
    check_columns(table, student=student, values=values)
    people = row_hashes(table, student)
    classes = people.group_by(["rows", "low", "high"]).agg(student=people["who"].min(), weight=people.count())
    firsts = {name: table[name].max() for name in values}
    known = table.group_by(__who=table[student]).agg(**firsts)
    joined = classes.join(known, classes["student"] == known["__who"])
    return engine.like(joined.select("student", "weight", "rows", *values).order_by("student"), released)


@dataclass(frozen=True, kw_only=True)
class Slope:
    """A weighted regression of one number of a group on another: one observation per group.

    The error is `spread` over the root of the weighted squares of x, or HC1 (MacKinnon and White 1985) without it.
    """

    value: float
    error: float
    p: float
    groups: int


def slope(x: Sequence[float], y: Sequence[float], weight: Sequence[float], spread: float | None = None) -> Slope:
    """Fit a line to y over x by groups, each weighted by its members.

    Args:
        x: One number per group, such as its rows.
        y: Another, such as its mean mark; groups in which either is missing are left out.
        weight: How many members each group has.
        spread: How far y scatters about no relation, as the datasheet states it for every kept column of groups: a
            share of a yes or no takes few values, and its residuals are too small for a test.

    Returns:
        The slope, its standard error, and p for no slope: normal with `spread`, else from t with two fewer degrees of
        freedom than groups.

    Example:
        >>> import sharewell as sw
        >>> sw.traces.slope([1, 2, 3, 4], [2.0, 3.9, 6.1, 8.0], [5, 5, 6, 5]).groups
        4
    """
    from scipy.stats import norm, t

    numbers = np.array([x, y, weight], float)
    across, up, weights = numbers[:, np.isfinite(numbers).all(axis=0)]
    if len(across) < 3 or np.ptp(across) == 0:
        raise InputError("a slope takes three groups or more that differ")
    few = len(np.unique(up)) * FEWEST_GROUPS <= len(up) and up.min() >= 0 and up.max() <= 1
    if spread is None and few:
        raise InputError("shares of a yes or no take too few values for a test by residuals: give `spread`")
    across = across - np.average(across, weights=weights)
    squares = float((weights * across**2).sum())
    value = float((weights * across * up).sum()) / squares
    if spread is not None:
        known = spread / float(np.sqrt(squares))
        return Slope(value=value, error=known, p=float(2 * norm.sf(abs(value) / known)), groups=len(across))
    left = up - np.average(up, weights=weights) - value * across
    free = len(across) - 2
    error = float(np.sqrt(((weights * across * left) ** 2).sum() * len(across) / free)) / squares
    p = float(2 * t.sf(abs(value) / error, free)) if error else 1.0
    return Slope(value=value, error=error, p=p, groups=len(across))
