"""Counts by groups for dashboards: small cells hidden, and others with them so that no sum gives them back.

A cell from 1 to `least` − 1 is hidden (primary suppression). A single hidden cell in a row or column of the table could
be worked out from the total, so that further cells are hidden until none is known more closely than `least` students
(complementary suppression; Hundepool et al. 2012, §4.4). What an attacker can work out is checked by linear
programming: the smallest and the largest number that a hidden cell may have had, given everything that is shown
(Fischetti and Salazar 2000, the attacker's problem).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
import pyarrow as pa

from sharewell.data import engine
from sharewell.data.coded import code_column
from sharewell.data.formats.columns import check_columns
from sharewell.errors import InputError
from sharewell.records.arguments import check_arguments
from sharewell.records.arrays import Array

TOTAL = "total"
MOST_CELLS = 5_000


@dataclass(frozen=True, kw_only=True)
class Counts:
    """A table of counts with its totals: `cells` by their labels, None where a count is hidden."""

    by: tuple[str, ...]
    least: int
    cells: dict[tuple[str, ...], int | None]

    @property
    def hidden(self) -> int:
        return sum(count is None for count in self.cells.values())

    def to_table(self) -> pa.Table:
        """One row per cell, totals included; a hidden count is empty."""
        columns = {name: [labels[n] for labels in self.cells] for n, name in enumerate(self.by)}
        return pa.table({**columns, "students": pa.array(self.cells.values(), pa.int64())})

    def to_dict(self) -> dict[str, Any]:
        """The table and what was hidden in it, as plain data."""
        cells = [{"cell": list(labels), "students": count} for labels, count in self.cells.items()]
        return {"by": list(self.by), "least": self.least, "cells": cells}


def tabulate(table: Any, *, by: Sequence[str], least: int = 5) -> Counts:
    """Count students by one to three columns, hiding small groups in all totals.

    Args:
        table: A pandas, polars or pyarrow frame, or a path to a file; one row per student.
        by: The columns to count by, one to three.
        least: Counts from 1 to one less than this are hidden, and no hidden count can be worked out to within less.

    Returns:
        The counts by their labels, totals under "total"; None where a count is hidden.

    Example:
        >>> import pyarrow as pa
        >>> import sharewell as sw
        >>> students = pa.table({"town": ["a"] * 9 + ["b"] * 8, "ill": ["no"] * 7 + ["yes"] * 2 + ["no"] * 8})
        >>> sw.records.tabulate(students, by=["town"]).cells[("a",)]
        9
        >>> sw.records.tabulate(students, by=["town", "ill"]).cells[("a", "yes")] is None
        True
    """
    check_arguments(by=by, least=least)
    if not 1 <= len(by) <= 3 or least < 2:
        raise InputError("count by one to three columns, with least of at least 2")
    source = engine.table(table)
    check_columns(source, by=by)
    labels, counts = _counted(engine.arrow(source.select(*by)), by)
    if counts.size > MOST_CELLS:
        raise InputError(f"{counts.size:,} cells are too many: coarsen the columns first")
    hidden = protect(counts, least)
    shown = {
        tuple(names[n] for names, n in zip(labels, place, strict=True)): None if hidden[place] else int(counts[place])
        for place in product(*(range(size) for size in counts.shape))
    }
    return Counts(by=tuple(by), least=least, cells=shown)


def _counted(rows: pa.Table, by: Sequence[str]) -> tuple[list[list[str]], Array]:
    """Labels of every side with the total last, and the counts with their totals."""
    coded = [code_column(name, rows[name]) for name in by]
    inner = np.zeros([len(column.values) for column in coded], np.int64)
    np.add.at(inner, tuple(column.codes for column in coded), 1)
    for axis in range(inner.ndim):
        inner = np.concatenate([inner, inner.sum(axis=axis, keepdims=True)], axis=axis)
    labels = [[*("missing" if value is None else value for value in column.values), TOTAL] for column in coded]
    return labels, inner


def protect(counts: Array, least: int) -> Array:
    """Which cells are hidden: the small ones, and as many others as it takes; smaller ones first."""
    hidden = (counts > 0) & (counts < least)
    while True:
        exposed = [cell for cell in np.argwhere(hidden) if _width(counts, hidden, tuple(cell)) < least]
        if not exposed:
            return hidden
        shown = (~hidden) & (counts > 0)
        if not shown.any():
            return hidden
        hidden[_partner(counts, shown, tuple(int(n) for n in exposed[0]))] = True


def _partner(counts: Array, shown: Array, cell: tuple[int, ...]) -> tuple[int, ...]:
    """The smallest shown cell in a line through the exposed one; inner cells before totals, anywhere else at last."""
    best: tuple[int, int, tuple[int, ...]] | None = None
    for place in np.argwhere(shown):
        at = tuple(int(n) for n in place)
        apart = sum(a != b for a, b in zip(at, cell, strict=True))
        totals = sum(a == size - 1 for a, size in zip(at, counts.shape, strict=True))
        key = (apart + totals * counts.ndim, int(counts[at]), at)
        best = key if best is None or key < best else best
    if best is None:
        raise InputError("nothing is left to hide")
    return best[2]


def _width(counts: Array, hidden: Array, cell: tuple[int, ...]) -> float:
    """How far apart the largest and the smallest possible number of a hidden cell are."""
    low, high = bounds(counts, hidden, cell)
    return high - low


def bounds(counts: Array, hidden: Array, cell: tuple[int, ...]) -> tuple[float, float]:
    """The smallest and largest number of a hidden cell that agree with everything shown: two linear programs."""
    from scipy.optimize import linprog

    places = [tuple(int(n) for n in place) for place in np.argwhere(hidden)]
    number = {place: n for n, place in enumerate(places)}
    rows, sums = _equations(counts, number)
    aim = np.zeros(len(places))
    aim[number[cell]] = 1.0
    found = []
    for sign in (1, -1):
        done = linprog(sign * aim, A_eq=rows if len(rows) else None, b_eq=sums if len(rows) else None, bounds=(0, None))
        found.append(sign * done.fun if done.status == 0 else float("inf"))
    return found[0], found[1]


def _equations(counts: Array, number: dict[tuple[int, ...], int]) -> tuple[Array, Array]:
    """Every line of the table: its cells add up to its total, hidden ones unknown."""
    rows, sums = [], []
    for axis, size in enumerate(counts.shape):
        others = [range(length) for n, length in enumerate(counts.shape) if n != axis]
        for rest in product(*others):
            row, known = np.zeros(len(number)), 0.0
            for at in range(size):
                place = (*rest[:axis], at, *rest[axis:])
                sign = -1.0 if at == size - 1 else 1.0
                if place in number:
                    row[number[place]] = sign
                else:
                    known += sign * float(counts[place])
            if row.any():
                rows.append(row)
                sums.append(-known)
    return np.array(rows), np.array(sums)
