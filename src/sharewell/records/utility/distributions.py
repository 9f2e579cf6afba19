"""Whether single columns and pairs of columns still look as they did."""

from collections.abc import Mapping, Sequence
from itertools import combinations as pairs

import numpy as np
import pyarrow as pa

from sharewell.contract import Utility
from sharewell.data.coded import code_column
from sharewell.records import published_cells
from sharewell.records.arrays import Array
from sharewell.records.hierarchies import STAR, Hierarchy
from sharewell.records.kind import ASSOCIATIONS_MOVED, DISTRIBUTION_KEPT

MOST_PAIRS = 60


def distributions(
    hierarchies: Mapping[str, Hierarchy], before: pa.Table, cells: Mapping[str, list[str | None]]
) -> list[Utility]:
    """Total variation between a column before and after, published groups spread evenly over their values."""
    found = []
    for name, column in cells.items():
        if set(column) == {STAR}:
            continue  # nothing is left of it, and `*` spread evenly would look like something
        hierarchy = hierarchies[name]
        coded = code_column(name, before[name])
        place = np.array([hierarchy.position[value] for value in coded.values])
        old = np.bincount(place[coded.codes], minlength=len(hierarchy.leaves)) / len(column)
        labels = list(dict.fromkeys(column))
        index = {label: number for number, label in enumerate(labels)}
        shares = np.bincount([index[label] for label in column]) / len(column)
        new = shares @ published_cells.shares(hierarchy, labels)
        found.append(
            Utility(
                measure=DISTRIBUTION_KEPT, value=float(1 - np.abs(old - new).sum() / 2), n=len(column), baseline=1.0,
                setting={"column": name}, story="1 minus the share of students that would have to change value.",
            )
        )  # fmt: skip
    return found


def associations(before: pa.Table, after: pa.Table, names: Sequence[str], seed: int) -> list[Utility]:
    """How far Cramér's V of pairs of columns moves, on average."""
    names = list(dict.fromkeys(names))
    chosen = list(pairs(names, 2))
    if len(chosen) > MOST_PAIRS:
        drawn = np.random.default_rng(seed).choice(len(chosen), MOST_PAIRS, replace=False)
        chosen = [chosen[place] for place in sorted(drawn)]
    if not chosen:
        return []
    old = {name: code_column(name, before[name]).codes for name in names}
    new = {name: code_column(name, after[name]).codes for name in names}
    moved = [abs(cramers_v(old[a], old[b]) - cramers_v(new[a], new[b])) for a, b in chosen]
    return [
        Utility(
            measure=ASSOCIATIONS_MOVED, value=float(np.mean(moved)), n=before.num_rows, baseline=0.0,
            setting={"pairs": len(chosen), "largest": round(float(np.max(moved)), 4)},
            story="How far the association of two columns (Cramér's V, corrected) is from the original, on average.",
        )
    ]  # fmt: skip


def cramers_v(a: Array, b: Array) -> float:
    """Compute the bias-corrected Cramér's V (Bergsma 2013, eq. 8)."""
    table = np.zeros((int(a.max()) + 1, int(b.max()) + 1))
    np.add.at(table, (a, b), 1)
    table = table[table.sum(axis=1) > 0][:, table.sum(axis=0) > 0]
    n, (r, c) = table.sum(), table.shape
    if r < 2 or c < 2 or n < 2:
        return 0.0
    expected = table.sum(axis=1, keepdims=True) * table.sum(axis=0) / n
    phi = ((table - expected) ** 2 / expected).sum() / n
    phi = max(0.0, phi - (r - 1) * (c - 1) / (n - 1))
    rows, columns = r - (r - 1) ** 2 / (n - 1), c - (c - 1) ** 2 / (n - 1)
    return float(np.sqrt(phi / max(min(rows - 1, columns - 1), 1e-12)))
