"""What a release says of the kept columns of a group: one value for all members, the same in all of their rows.

A number that is the same in all rows of a student becomes one mean over the members, each of whom counts once; a text
becomes the share of each of its values. A mean over events would weigh members by how much they did, with other weights
in every window: as many equations as windows for as many unknowns as members. A number that differs from row to row
would do the same through who is there in which window; it is a mean over all students for each value of its own key
(the score of a question), and the groups do not enter into it.

Whatever is published is rounded to a step that is larger than what one student moves it by.
"""

from collections.abc import Sequence

import numpy as np
import pyarrow as pa
from ibis.expr.types import Table

from sharewell.data import engine
from sharewell.data.formats.columns import is_number
from sharewell.data.formats.columns import number as number_in
from sharewell.traces.arrays import Array
from sharewell.traces.protection.recoding import OTHER

STEPS = (1.0, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0, 8.0)  # times a power of ten
SHARES = (1.0, 2.0, 2.5, 5.0)  # the same for shares
MIDDLE = (5, 95)  # percentiles: how far a student may be from another, but for the odd one
BETWEEN = "; "  # shares in a cell


def step_above(least: float, steps: Sequence[float] = STEPS) -> float:
    """The smallest step of a public grid that is larger than `least`."""
    if least <= 0:
        return 0.0
    power = 10.0 ** np.floor(np.log10(least))
    larger = (*steps, *(10 * step for step in steps))  # a number just below a power of ten needs the next decade
    return float(next(step * power for step in larger if step * power > least * (1 + 1e-9)))


def spread(values: Array) -> float:
    """How far apart the values of two students usually are at most."""
    if not len(values):
        return 0.0
    low, high = np.percentile(values, MIDDLE)
    return float(high - low) or float(values.max() - values.min())


def rounded(values: Array, step: float | Array) -> Array:
    """The nearest multiples of a step; values that never differ stay as they are."""
    steps = np.where(np.asarray(step) > 0, step, 1.0)
    return np.where(np.asarray(step) > 0, np.round(np.rint(values / steps) * steps, 9), values)


def per_student(events: Table, name: str, *, student: str, ids: pa.Array) -> pa.Array:
    """What a column says of each student: the mean of numbers, else the most frequent text."""
    cell = events[name]
    if cell.type().is_boolean() or is_number(events, name):
        number = cell.cast("int64") if cell.type().is_boolean() else number_in(events, name)
        rows = engine.arrow(events.group_by(who=events[student]).agg(cell=number.cast("float64").mean()))
    else:
        cells = events.select(who=events[student], cell=cell.cast("string")).filter(lambda row: row["cell"].notnull())
        counted = engine.arrow(cells.group_by(["who", "cell"]).agg(many=cells.count()))
        rows = counted.sort_by([("many", "ascending"), ("cell", "ascending")])  # the last one of a student stays
    found = dict(zip(rows["who"].to_pylist(), rows["cell"].to_pylist(), strict=True))
    return pa.array([found.get(who) for who in ids.to_pylist()], rows["cell"].type)


def of_groups(own: pa.Array, group: Array, k: int) -> pa.Array:
    """For every student the one value of their group; nothing for those who are in none."""
    if pa.types.is_string(own.type):
        return _shares(own, group, k)
    values = np.asarray(own.fill_null(np.nan), float)
    there = (group >= 0) & ~np.isnan(values)
    holders = np.bincount(group[there], minlength=int(group.max(initial=-1)) + 1)
    sums = np.bincount(group[there], weights=values[there], minlength=len(holders))
    means = rounded(sums / np.maximum(holders, 1), step_above(spread(values[there]) / k))
    if values[there].max(initial=0.0) <= 1:
        means = np.minimum(means, 1.0)  # no share above one; any other largest value would be a student's own
    said = (group >= 0) & (holders[group] >= k)
    return pa.array(np.where(said, means[group], 0.0), mask=~said)


def _shares(own: pa.Array, group: Array, k: int) -> pa.Array:
    """The share of each value among the members, as text; values of fewer than k students stand under one name."""
    words = np.array([OTHER if word is None else word.replace(BETWEEN, ", ") for word in own.to_pylist()], object)
    values, place = np.unique(words[group >= 0].astype(str), return_inverse=True)
    counts = np.zeros((int(group.max(initial=-1)) + 1, len(values)))
    np.add.at(counts, (group[group >= 0], place), 1)
    rare = counts.sum(axis=0) < k
    named = [*(str(value) for value in values[~rare]), OTHER]
    counts = np.column_stack([counts[:, ~rare], counts[:, rare].sum(axis=1)])
    shares = np.minimum(
        rounded(counts / np.maximum(counts.sum(axis=1, keepdims=True), 1), step_above(1 / k, SHARES)), 1
    )
    listed = [
        BETWEEN.join(f"{name} {share:g}" for name, share in zip(named, row, strict=True) if share) for row in shares
    ]
    return pa.array([listed[one] if one >= 0 else None for one in group.tolist()], pa.string())


def by_key(events: Table, name: str, also: Sequence[str], *, student: str, k: int) -> dict[tuple[object, ...], float]:
    """Means of a number that differs from row to row, for every value of its key that at least k students have.

    Every student counts once. The step is a spread over the square root of the students: below the sampling error.
    """
    cells = events.select(*also, __who=events[student], __cell=number_in(events, name))
    cells = cells.filter(cells["__cell"].notnull())
    own = cells.group_by([*also, "__who"]).agg(own=cells["__cell"].mean())
    means = own.group_by(list(also)) if also else own
    rows = engine.arrow(means.agg(mean=own["own"].mean(), holders=own.count())).to_pylist()
    apart = spread(np.asarray(engine.arrow(own.select("own"))["own"], float))
    return {
        tuple(row[one] for one in also): float(rounded(row["mean"], step_above(apart / np.sqrt(row["holders"]))))
        for row in rows
        if row["holders"] >= k
    }
