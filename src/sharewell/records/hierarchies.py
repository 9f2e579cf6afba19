"""Hierarchies: for each value of a column, what it becomes at every level, up to `*`.

They come from a CSV in ARX's format (a row per value, a column per level), from groups that a person gives, or are
made from the values (see `hierarchy_rules.py`); and they are written out again, for a person to edit and reuse.
"""

import csv
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np

from sharewell.errors import InputError
from sharewell.records.arrays import Array
from sharewell.records.category_bands import CategoryBands
from sharewell.stats.number_grid import NumberGrid

STAR = "*"
Label = str | None


@dataclass(frozen=True, kw_only=True, eq=False)
class Hierarchy:
    """`groups[level, leaf]` numbers the group that a leaf belongs to, `labels[level][group]` is what is published.

    Level 0 is the value itself, the last level is `*`. `ordered` says that the leaves have an order (numbers, dates).
    """

    column: str
    leaves: tuple[Label, ...]
    groups: Array
    labels: tuple[tuple[Label, ...], ...]
    ordered: bool = False
    grid: NumberGrid | CategoryBands | None = None  # where ranges and bands may end

    @property
    def is_plain(self) -> bool:
        """Whether level 0 is the values themselves."""
        return len(self.labels[0]) == len(self.leaves)

    @property
    def height(self) -> int:
        return len(self.labels) - 1

    @cached_property
    def position(self) -> dict[Label, int]:
        return {leaf: i for i, leaf in enumerate(self.leaves)}

    def loss(self, level: int) -> Array:
        """(leaves under the value − 1) / (leaves in the domain − 1) for each leaf; 0 in a domain of one."""
        if len(self.leaves) < 2:
            return np.zeros(len(self.leaves))
        sizes = np.bincount(self.groups[level])
        costs = (sizes - 1) / (len(self.leaves) - 1)
        costs[[label == STAR for label in self.labels[level]]] = 1.0
        per_leaf: Array = costs[self.groups[level]]
        return per_leaf

    def label(self, leaf: Label, level: int) -> Label:
        """What a value becomes at a level."""
        return self.labels[level][int(self.groups[level, self.position[leaf]])]

    def rows(self) -> list[list[str]]:
        """ARX's rows: the value, then what it becomes level by level; a missing value is an empty cell."""
        levels = range(len(self.labels))
        return [[self.label(leaf, level) or "" for level in levels] for leaf in self.leaves]


def from_rows(column: str, rows: Sequence[Sequence[Label]], *, ordered: bool = False) -> Hierarchy:
    """A hierarchy from ARX's rows; adds the `*` level where the last one still has several values."""
    if not rows:
        raise InputError("the hierarchy has no rows", column=column)
    width = len(rows[0])
    for number, row in enumerate(rows, 1):
        if len(row) != width or width == 0:
            raise InputError(f"expected {width} levels in the hierarchy", column=column, row=number)
    rows = list({tuple(row): row for row in rows}.values())  # the same row twice says nothing new
    levels = [[row[level] for row in rows] for level in range(width)]
    if len(set(levels[0])) != len(rows):
        seen: set[Label] = set()
        again = next(n for n, leaf in enumerate(levels[0], 1) if leaf in seen or seen.add(leaf))  # type: ignore[func-returns-value]
        raise InputError("the hierarchy lists a value twice", column=column, row=again)
    if len(set(levels[-1])) > 1 or width == 1:
        levels.append([STAR] * len(rows))
    else:
        levels[-1] = [STAR] * len(rows)
    return from_levels(column, levels[0], levels, ordered)


def from_levels(column: str, leaves: Sequence[Label], levels: Sequence[Sequence[Label]], ordered: bool) -> Hierarchy:
    """A hierarchy from the label of every leaf at every level; the last level must be `*`."""
    groups, labels = [], []
    for level in levels:
        numbers = {label: number for number, label in enumerate(dict.fromkeys(level))}
        groups.append(np.array([numbers[label] for label in level], np.int32))
        labels.append(tuple(numbers))
    made = Hierarchy(
        column=column,
        leaves=tuple(leaves),
        groups=np.stack(groups),
        labels=tuple(labels),
        ordered=ordered,
    )
    _check_nested(made)
    return made


def _check_nested(made: Hierarchy) -> None:
    """A group must lie inside one group of the next level, or coarsening would not be coarsening."""
    for level in range(made.height):
        parent: dict[int, int] = {}
        for leaf, (low, high) in enumerate(zip(made.groups[level], made.groups[level + 1], strict=True), 1):
            if parent.setdefault(int(low), int(high)) != int(high):
                problem = f"level {level + 1} splits a group of level {level}: levels must only merge"
                raise InputError(problem, column=made.column, row=leaf)


def read_csv(column: str, path: str | Path) -> Hierarchy:
    """Read a hierarchy from ARX's CSV: no header, a row per value, levels as columns.

    Cells are separated by `;`, `,` or tab.

    Args:
        column: The column that the hierarchy is for.
        path: The file.

    Returns:
        The hierarchy, with `*` as its last level.

    Example:
        >>> import tempfile, pathlib
        >>> import sharewell as sw
        >>> file = pathlib.Path(tempfile.mkdtemp()) / "origin.csv"
        >>> _ = file.write_text("Yemen;Asia\\nMalaysia;Asia\\nPeru;Americas\\n")
        >>> sw.records.read_csv("origin", file).label("Peru", 1)
        'Americas'
    """
    path = Path(path)
    if not path.is_file():
        raise InputError("there is no such hierarchy file", file=path, column=column)
    text = path.read_text(encoding="utf-8-sig")
    delimiter = max(";,\t", key=text[: text.find("\n") if "\n" in text else None].count)
    rows = [row for row in csv.reader(text.splitlines(), delimiter=delimiter) if row]
    return from_rows(
        column, [[cell if cell != "" else None for cell in row] for row in rows], ordered=_is_numeric(rows)
    )


def write_csv(hierarchy: Hierarchy, path: str | Path) -> None:
    """Write a hierarchy as ARX's CSV, to be edited and used again.

    Args:
        hierarchy: The hierarchy, such as one of `anonymize(…).hierarchies`.
        path: The file to write.

    Returns:
        Nothing.

    Example:
        >>> import tempfile, pathlib
        >>> import pyarrow as pa
        >>> import sharewell as sw
        >>> done = sw.records.anonymize(pa.table({"age": [18, 18, 19, 19]}), quasi=["age"], k=2)
        >>> file = pathlib.Path(tempfile.mkdtemp()) / "age.csv"
        >>> sw.records.write_csv(done.hierarchies["age"], file)
        >>> file.read_text().splitlines()
        ['18;*', '19;*']
    """
    with Path(path).open("w", encoding="utf-8", newline="") as file:
        csv.writer(file, delimiter=";").writerows(hierarchy.rows())


def _is_numeric(rows: Sequence[Sequence[str]]) -> bool:
    try:
        numbers = [float(row[0]) for row in rows if row[0]]
    except ValueError:
        return False
    return numbers == sorted(numbers)
