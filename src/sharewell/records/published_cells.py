"""What a published cell stands for: the values that it may have been, and a number that models can use."""

import re
from collections.abc import Sequence

import numpy as np
import pyarrow as pa

from sharewell.errors import InputError
from sharewell.records.arrays import Array
from sharewell.records.combinations import code_column
from sharewell.records.hierarchies import STAR, Hierarchy, Label

_RANGE = re.compile(r"^\[(.*), (.*)\](?: or missing)?$")
_BETWEEN = re.compile(r"^\[(.*), (.*)\)(?: or missing)?$")  # the second end is outside


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
    """The ranges and sets of local recoding."""
    inside = np.zeros(len(hierarchy.leaves), bool)
    found, cuts = _RANGE.match(label), _BETWEEN.match(label)
    ends = [_places(hierarchy, end) for end in found.groups()] if found else []
    if ends and all(end.size for end in ends):
        inside[ends[0].min() : ends[1].max() + 1] = True
    elif cuts:
        low, high = float(cuts[1]), float(cuts[2])
        inside[[leaf is not None and low <= float(leaf) < high for leaf in hierarchy.leaves]] = True
    elif label.startswith("{") and label.endswith("}"):
        parts = set(label[1:-1].split(", "))
        inside[[leaf in parts or (leaf is None and "missing" in parts) for leaf in hierarchy.leaves]] = True
    if label.endswith(("missing", "missing}")):
        inside[[leaf is None for leaf in hierarchy.leaves]] = True
    if not inside.any():
        raise InputError("a released cell is not in the column's hierarchy", column=hierarchy.column)
    return inside


def _places(hierarchy: Hierarchy, end: str) -> Array:
    """The leaves that an end of a range names: itself, or a whole group of the first level."""
    if end in hierarchy.position:
        return np.array([hierarchy.position[end]])
    level = min(1, hierarchy.height)
    names = hierarchy.labels[level]
    return np.flatnonzero(hierarchy.groups[level] == names.index(end)) if end in names else np.zeros(0, int)


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
