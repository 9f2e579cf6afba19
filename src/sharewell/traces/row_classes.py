"""Company: how many students have exactly the same released rows.

A student whose rows are those of k − 1 others, kept columns and order included, is the same to everybody as they are:
whatever is computed from the file comes out the same for all k. So company bounds every attacker on who a student is,
whatever they know. It does not bound what a whole group shows (see the attacks on inference).
"""

from collections.abc import Mapping, Sequence
from typing import Any

import ibis
import numpy as np
from ibis.expr.types import Table

from sharewell.contract import Risk
from sharewell.data import engine
from sharewell.data.formats.columns import check_columns
from sharewell.traces.arrays import Array
from sharewell.traces.kind import COMPANY, company_promised
from sharewell.traces.log import Log

HALF, LOWER_HALF = 32, 2**32 - 1  # of a hash: sums of whole ones would not fit
MISSING = "-"  # cells that are there begin with their length, so that no two rows give one text
KNOWS_ALL = "knows everything a student did"
# The multipliers and shifts of SplitMix64 (Steele, Lea and Flood 2014).
STEP, FIRST, SECOND = (np.uint64(n) for n in (0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB))


def company(events: Any, *, student: str, unknowable: Sequence[str] = ()) -> Risk:
    """Count how many students have the same rows as the student with fewest.

    Args:
        events: A released log: a frame, a table or a path. The order of a student's rows counts.
        student: The column that tells whose row it is.
        unknowable: Columns that nobody can know; they are left out.

    Returns:
        The size of the smallest class of students with identical rows, as `value`.

    Example:
        >>> import pyarrow as pa
        >>> import sharewell as sw
        >>> log = pa.table({"user": ["ann", "bob", "eve"], "week": [1, 1, 2]})
        >>> sw.traces.company(log, student="user").value
        1
    """
    table = engine.table(events)
    check_columns(table, student=student, unknowable=unknowable)
    place, turn = engine.fresh(table.columns, "place"), engine.fresh((*table.columns, "place"), "turn")
    table = engine.numbered(table, place)
    turns = ibis.row_number().over(group_by=student, order_by=place)
    table = table.mutate(**{turn: turns}).drop(place, *unknowable)
    return as_risk(class_sizes(table, student), unknowable=unknowable)


def class_sizes(rows: Table, student: str) -> Mapping[int, int]:
    """How many classes of students with identical rows there are of each size: a GROUP BY over hashed rows."""
    people = row_hashes(rows, student)
    classes = people.group_by("rows", "low", "high").agg(size=people.count())
    counted = engine.arrow(classes.group_by("size").agg(classes=classes.count()).order_by("size"))
    return dict(zip(counted["size"].to_pylist(), counted["classes"].to_pylist(), strict=True))


def row_hashes(rows: Table, student: str) -> Table:
    """One row per student: `who`, the number of `rows`, and two sums of hashes, `low` and `high`.

    They are equal for students whose rows are identical. Nothing is sorted or kept in memory, however long the log is;
    whatever orders a student's rows must stand in a column.
    """
    cells = [rows[name].cast("string") for name in rows.columns if name != student]
    texts = [cell.isnull().ifelse(MISSING, cell.length().cast("string") + ":" + cell) for cell in cells]
    hashed = rows.select(who=rows[student], row=ibis.literal("").join(texts) if texts else ibis.literal(""))
    hashed = engine.derived(hashed, "row", "hash", lambda row: row.hash())
    low, high = (hashed["hash"] & LOWER_HALF).sum(), (hashed["hash"] >> HALF).sum()
    return hashed.group_by("who").agg(rows=hashed.count(), low=low.cast("string"), high=high.cast("string"))


def as_risk(sizes: Mapping[int, int], *, k: int | None = None, unknowable: Sequence[str] = ()) -> Risk:
    """Return the smallest class as a risk, with k as its limit if there is one."""
    fewest = min(sizes, default=0)
    return Risk(
        measure=COMPANY, attacker=KNOWS_ALL, value=fewest, n=sum(size * many for size, many in sizes.items()),
        gate=None if k is None else "k", limit=k, story=company_promised(k or fewest, unknowable),
    )  # fmt: skip


def look_alikes(hashes: Array) -> Array:
    """How many students have the same points and numbers of events as each, with themselves."""
    _, place, sizes = np.unique(hashes, return_inverse=True, return_counts=True)
    return np.asarray(sizes[place])


def trace_hashes(log: Log, pairs: Array | None = None) -> Array:
    """One number for the whole trace of a student: equal where points and numbers of events are.

    `pairs` are the numbers that `pair_hashes` gives, with 0 for what is left out.
    """
    sums = np.concatenate([np.zeros(1, np.uint64), np.cumsum(pair_hashes(log) if pairs is None else pairs)])
    return np.asarray(sums[log.starts[1:]] - sums[log.starts[:-1]])


def pair_hashes(log: Log) -> Array:
    """One number for each point of a student and how often it occurred."""
    return _mixed(_mixed(log.keys.astype(np.uint64))[log.points] + log.events.astype(np.uint64))


def _mixed(numbers: Array) -> Array:
    """Whole numbers scattered over 64 bits; overflow is meant."""
    found = numbers + STEP
    found = (found ^ (found >> np.uint64(30))) * FIRST
    found = (found ^ (found >> np.uint64(27))) * SECOND
    return np.asarray(found ^ (found >> np.uint64(31)))
