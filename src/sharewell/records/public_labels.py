"""What may be published for a group of neighbouring values: labels that stand before any group is formed.

A label is a value itself, a node of the column's hierarchy, or, for numbers and for categories in an order, a range of
2, 4, 8 … cells of the public grid that begins at any half of its width. A group gets the smallest label that covers it.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from sharewell.records.arrays import Array
from sharewell.records.category_bands import CategoryBands
from sharewell.records.hierarchies import STAR, Hierarchy, Label, from_levels
from sharewell.stats.number_grid import NumberGrid

Grid = NumberGrid | CategoryBands

MOST_PLACES = 512  # values further apart are taken together by the finest level of the hierarchy that has so few groups


@dataclass(frozen=True, kw_only=True)
class Span:
    """One label: the places that it covers, and how many values stand there."""

    name: Label
    first: int
    last: int
    size: int


@dataclass(frozen=True, kw_only=True, eq=False)
class PublicLabels:
    """The labels of a column, from the widest to the narrowest.

    Values stand in `places` such that every label covers neighbours; `place_of` leads there from a leaf.
    """

    place_of: Array
    places: int
    spans: tuple[Span, ...]
    costs: Array  # the loss of every label: (values under it − 1) / (values − 1)
    ordered: bool

    @cached_property
    def smallest(self) -> Array:
        """(places, places): the number of the smallest label that covers everything from one place to another."""
        table = np.zeros((self.places, self.places), np.int32)
        for number, span in enumerate(self.spans):
            table[span.first : span.last + 1, span.first : span.last + 1] = number
        return table

    def covering(self, low: int, high: int) -> int:
        return int(self.smallest[low, high])


def labels_of(hierarchy: Hierarchy) -> PublicLabels:
    """The labels of a column, all of them fixed by its hierarchy and, for numbers, its grid."""
    if isinstance(hierarchy.grid, CategoryBands) and not hierarchy.ordered:
        sorted_ = _alphabetical(hierarchy, hierarchy.grid)
        made = labels_of(sorted_)
        return replace(made, place_of=made.place_of[[sorted_.position[leaf] for leaf in hierarchy.leaves]])
    order = _order(hierarchy)
    base = next(n for n, names in enumerate(hierarchy.labels) if len(names) <= MOST_PLACES)
    place_of = _ranked(hierarchy.groups[base], order)
    spans = [span for level in range(base, hierarchy.height + 1) for span in _nodes(hierarchy, level, place_of)]
    if hierarchy.grid is not None:
        spans += _ranges(hierarchy, hierarchy.grid, place_of)
    spans = [span for span in spans if span.name != STAR]
    spans.sort(key=lambda span: (-span.size, span.first))
    leaves = len(hierarchy.leaves)
    everything = Span(name=STAR, first=0, last=int(place_of.max()), size=leaves)
    costs = [1.0 if leaves > 1 else 0.0, *((span.size - 1) / max(leaves - 1, 1) for span in spans)]
    return PublicLabels(
        place_of=place_of,
        places=int(place_of.max()) + 1,
        spans=(everything, *spans),
        costs=np.array(costs),
        ordered=hierarchy.ordered and bool((np.diff(place_of) >= 0).all()),
    )


def _alphabetical(hierarchy: Hierarchy, grid: CategoryBands) -> Hierarchy:
    """Words without an order and without groups: values themselves, or bands in the order of the alphabet."""
    cell = [grid.cells if leaf is None else grid.cell(leaf) for leaf in hierarchy.leaves]
    order = sorted(range(len(cell)), key=lambda leaf: (cell[leaf], hierarchy.leaves[leaf] or ""))
    leaves = [hierarchy.leaves[leaf] for leaf in order]
    stars: list[Label] = [STAR] * len(leaves)
    made = from_levels(hierarchy.column, leaves, [leaves, stars], ordered=True)
    return replace(made, grid=grid)


def _order(hierarchy: Hierarchy) -> Array:
    """An order of the leaves in which every group of every level stands together; their own, where that one does."""
    own = np.arange(len(hierarchy.leaves))
    if hierarchy.ordered and all(_together(groups) for groups in hierarchy.groups):
        return own
    order: Array = np.lexsort([own, *hierarchy.groups])
    return order


def _together(groups: Array) -> bool:
    changes = int((np.diff(groups) != 0).sum())
    return changes + 1 == len(np.unique(groups))


def _ranked(groups: Array, order: Array) -> Array:
    """The place of every leaf: its group's, counted along the order."""
    numbers: dict[int, int] = {}
    for leaf in order.tolist():
        numbers.setdefault(int(groups[leaf]), len(numbers))
    return np.array([numbers[int(group)] for group in groups], np.int64)


def _nodes(hierarchy: Hierarchy, level: int, place_of: Array) -> Iterator[Span]:
    for number, name in enumerate(hierarchy.labels[level]):
        inside = np.flatnonzero(hierarchy.groups[level] == number)
        if inside.size:
            places = place_of[inside]
            yield Span(name=name, first=int(places.min()), last=int(places.max()), size=inside.size)


def _ranges(hierarchy: Hierarchy, grid: Grid, place_of: Array) -> Iterator[Span]:
    cells = np.array([-1 if leaf is None else grid.cell(leaf) for leaf in hierarchy.leaves])
    for low, high in windows(grid):
        inside = (cells >= low) & (cells <= high)
        places = np.unique(place_of[inside])
        whole = places.size > 0 and bool(inside[np.isin(place_of, places)].all())
        if whole:
            name = grid.label(low, high)
            yield Span(name=name, first=int(places[0]), last=int(places[-1]), size=int(inside.sum()))


def windows(grid: Grid) -> Iterator[tuple[int, int]]:
    """Ranges of 1, 2, 4, 8 … cells that begin at any half of their width on the endless grid: first and last cell."""
    width = 1
    while width < 2 * grid.cells:
        half = max(width // 2, 1)
        for start in range(grid.first // half - 1, (grid.first + grid.cells) // half + 1):
            low = max(0, start * half - grid.first)
            high = min(grid.cells - 1, start * half + width - 1 - grid.first)
            if low <= high:
                yield low, high
        width *= 2
