"""How much detail the released cells lost, and how large the classes of students became."""

from collections.abc import Mapping

import numpy as np

from sharewell.contract import Utility
from sharewell.records import published_cells
from sharewell.records.hierarchies import STAR, Hierarchy
from sharewell.records.kind import AVERAGE_CLASS, DISCERNIBILITY, LOSS


def losses(hierarchies: Mapping[str, Hierarchy], cells: Mapping[str, list[str | None]]) -> list[Utility]:
    """The loss, from the published cells alone: (values that a cell may stand for − 1) / (values in the domain − 1)."""
    lost, rows = 0.0, len(next(iter(cells.values())))
    for name, column in cells.items():
        size = len(hierarchies[name].leaves)
        labels, counts = np.unique(np.array([STAR if c is None else c for c in column], object), return_counts=True)
        known = {label: published_cells.covered(hierarchies[name], label).sum() for label in labels if label != STAR}
        costs = [1.0 if label == STAR else (known[label] - 1) / max(size - 1, 1) for label in labels]
        missing = sum(cell is None for cell in column)
        lost += float(np.dot(costs, counts)) - (missing if STAR in labels else 0)
    loss = lost / (rows * len(cells))
    return [
        Utility(
            measure=LOSS, value=loss, n=rows, baseline=0.0,
            story="How much detail the cells lost on average: 0 nothing, 1 everything.",
        )
    ]  # fmt: skip


def class_measures(cells: Mapping[str, list[str | None]]) -> list[Utility]:
    """Discernibility (Bayardo and Agrawal 2005) per row, and the average size of a class."""
    seen: dict[tuple[str | None, ...], int] = {}
    for row in zip(*cells.values(), strict=True):
        seen[row] = seen.get(row, 0) + 1
    rows = sum(seen.values())
    hidden = sum(size for row, size in seen.items() if set(row) == {STAR})
    squares = sum(size * size for row, size in seen.items() if set(row) != {STAR}) + hidden * rows
    return [
        Utility(
            measure=DISCERNIBILITY, value=squares / rows, n=rows, baseline=1.0,
            story="How many students look like a given one to an analyst, on average.",
        ),
        Utility(
            measure=AVERAGE_CLASS, value=rows / len(seen), n=rows, baseline=1.0,
            story="The average number of students in a class.",
        ),
    ]  # fmt: skip
