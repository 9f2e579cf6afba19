"""What a published cell stands for: the values that it may have been, and a number that models can use."""

import re
from collections.abc import Sequence

import numpy as np
import pyarrow as pa

from sharewell.data.coded import code_column
from sharewell.errors import InputError
from sharewell.records.arrays import Array
from sharewell.records.category_bands import CategoryBands
from sharewell.records.hierarchies import STAR, Hierarchy, Label

_CLOSED = re.compile(r"^\[(.*), (.*)\]$")
_HALF_OPEN = re.compile(r"^\[(.*), (.*)\)$")  # the second end is outside
_UNDER = re.compile(r"^under (.*)$")
_OR_MORE = re.compile(r"^(.*) or more$")


def covered(hierarchy: Hierarchy, label: Label) -> Array:
    """Which leaves a label covers, as true and false."""
    if label == STAR:
        return np.ones(len(hierarchy.leaves), bool)
    if label in hierarchy.position:
        exact = np.zeros(len(hierarchy.leaves), bool)
        exact[hierarchy.position[label]] = True
        return exact
    for level, names in enumerate(hierarchy.labels):
        if label in names:
            inside: Array = hierarchy.groups[level] == names.index(label)
            return inside
    return _parsed(hierarchy, str(label))


def _parsed(hierarchy: Hierarchy, label: str) -> Array:
    """What local recoding writes: `[4, 7]`, `[0.5, 2)`, `under 16`, `60 or more`; bands of categories by name."""
    if isinstance(hierarchy.grid, CategoryBands):
        return _banded(hierarchy, hierarchy.grid, label)
    low, high, closed = ends(label)
    values = numbers(hierarchy)
    if values is None or np.isnan(low) or np.isnan(high):
        raise InputError("a released cell is not in the column's hierarchy", column=hierarchy.column)
    inside: Array = (values >= low) & ((values <= high) if closed else (values < high))
    inside[[leaf is None for leaf in hierarchy.leaves]] = False
    return inside


def _banded(hierarchy: Hierarchy, grid: CategoryBands, label: str) -> Array:
    found = grid.named(label)
    if found is None:
        raise InputError("a released cell is not in the column's hierarchy", column=hierarchy.column)
    return np.array([leaf is not None and found[0] <= grid.cell(leaf) <= found[1] for leaf in hierarchy.leaves])


def ends(label: str) -> tuple[float, float, bool]:
    """The ends of a range, and whether the second belongs to it; not a number where it is no range."""
    if found := _CLOSED.match(label):
        return _float(found[1]), _float(found[2]), True
    if found := _HALF_OPEN.match(label):
        return _float(found[1]), _float(found[2]), False
    if found := _UNDER.match(label):
        return -np.inf, _float(found[1]), False
    if found := _OR_MORE.match(label):
        return _float(found[1]), np.inf, True
    return np.nan, np.nan, False


def _float(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return np.nan


def shares(hierarchy: Hierarchy, labels: Sequence[Label]) -> Array:
    """(labels, leaves): every label's weight spread evenly over what it covers."""
    rows = np.stack([covered(hierarchy, label) for label in labels]).astype(float)
    made: Array = rows / rows.sum(axis=1, keepdims=True)
    return made


def numbers(hierarchy: Hierarchy) -> Array | None:
    """The leaves as numbers, or None for categories; a missing one is taken as the middle of the others."""
    try:
        made = np.array([np.nan if leaf is None else float(leaf) for leaf in hierarchy.leaves])
    except ValueError:
        return None
    return np.where(np.isnan(made), np.nanmean(made) if np.isfinite(made).any() else 0.0, made)


def features(hierarchy: Hierarchy, cells: Sequence[Label], *, star: float | None = None) -> Array:
    """(rows, features) for a model: the mean of the numbers that a cell covers, or shares of categories.

    `star` is the number for `*` where the paper's −1 is wanted; otherwise `*` is the middle of everything.
    """
    names = list(dict.fromkeys(cells))
    spread = shares(hierarchy, names)
    values = numbers(hierarchy)
    table = spread if values is None else (spread @ values)[:, None]
    if star is not None:
        table[[name == STAR for name in names]] = star
    index = {name: number for number, name in enumerate(names)}
    return table[[index[cell] for cell in cells]]


def texts(column: pa.ChunkedArray) -> list[Label]:
    """The cells of a column as text."""
    coded = code_column("", column)
    return [coded.values[code] for code in coded.codes]
