"""The recoding of an earlier release used again: new rows join the groups that are known already.

Two releases whose groups overlap can be intersected to smaller ones. Where every combination of quasi-identifiers gets
the cells that it had before, there is nothing to intersect. A combination that no earlier row had is suppressed, a row
of `*`, until a release that nobody can compare with an earlier one.
"""

import csv
import json
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import pyarrow as pa
from ibis.expr.types import Table

from sharewell.data import engine
from sharewell.errors import InputError
from sharewell.records import published_cells
from sharewell.records.arrays import Array
from sharewell.records.combinations import with_text
from sharewell.records.hierarchies import STAR, Label
from sharewell.records.protection.recoding import Recode, Recoding, Request

Cells = tuple[Label, ...]
STEM = "recoding"  # the private table of a release that the next one reads


def written(original: Table, released: Table, row: str, quasi: Sequence[str]) -> pa.Table:
    """What became of every combination, for the private folder: two lists of cells in each row."""
    places = range(len(quasi))
    before, after = _as_text(original, row, quasi, "from"), _as_text(released, row, quasi, "to")
    pairs = engine.arrow(before.inner_join(after, row).drop(row).distinct()).to_pylist()
    sides = [[json.dumps([one[f"{side}{n}"] for n in places]) for one in pairs] for side in ("from", "to")]
    return pa.table(dict(zip(("from", "to"), sides, strict=True))).sort_by("from")


def _as_text(table: Table, row: str, quasi: Sequence[str], side: str) -> Table:
    table = table.select(row, *(table[name].name(f"{side}{place}") for place, name in enumerate(quasi)))
    for place in range(len(quasi)):
        table = with_text(table, f"{side}{place}", f"{side}{place}")
    return table


def read(path: Path, quasi: Sequence[str]) -> dict[Cells, Cells]:
    """The combinations of an earlier release with their cells."""
    try:
        with path.open(newline="", encoding="utf-8-sig") as file:
            rows = [(json.loads(row["from"]), json.loads(row["to"])) for row in csv.DictReader(file)]
    except (OSError, KeyError, TypeError, ValueError):
        raise InputError("is no recoding of an earlier release; name its private recoding.csv", file=path) from None
    if not rows or any(len(side) != len(quasi) for row in rows for side in row):
        raise InputError(f"is a recoding of other columns than the {len(quasi)} that are quasi here", file=path)
    return {tuple(before): tuple(after) for before, after in rows}


def with_earlier(
    values: Mapping[str, Sequence[Label]], counts: Mapping[str, Array], known: Mapping[Cells, Cells]
) -> tuple[dict[str, Sequence[Label]], dict[str, Array]]:
    """The values of every column, and those that only the earlier release had: its labels speak of them."""
    longer: dict[str, Sequence[Label]] = {}
    padded: dict[str, Array] = {}
    for place, (name, present) in enumerate(values.items()):
        gone = sorted({cells[place] for cells in known} - set(present), key=str)
        longer[name] = [*present, *gone]
        padded[name] = np.concatenate([counts[name], np.zeros(len(gone))])
    return longer, padded


def recode_as(known: Mapping[Cells, Cells]) -> Recode:
    """The search that searches nothing."""

    def recode(request: Request) -> Recoding:
        quasi = request.combinations.quasi
        stars: Cells = (STAR,) * len(quasi)
        keys = zip(*([column.values[code] for code in column.codes] for column in quasi), strict=True)
        cells = [known.get(key, stars) for key in keys]
        numbers = {one: number for number, one in enumerate(dict.fromkeys(cells))}
        labels = {column.name: [one[place] for one in cells] for place, column in enumerate(quasi)}
        return Recoding(
            classes=np.array([numbers[one] for one in cells], np.int32),
            gone=np.array([one == stars for one in cells]),
            loss=_loss(request, labels),
            proven=False,
            hierarchies=request.hierarchies,
            labels=labels,
        )

    return recode


def _loss(request: Request, labels: Mapping[str, Sequence[Label]]) -> float:
    """How much wider the cells are than values, as for any recoding: 0 nothing, 1 a star."""
    rows, costs = request.combinations.counts, []
    for name, column in labels.items():
        hierarchy = request.hierarchies[name]
        wide = {label: published_cells.covered(hierarchy, label).sum() - 1 for label in set(column)}
        costs.append([wide[label] / max(len(hierarchy.leaves) - 1, 1) for label in column])
    return float(np.mean(costs, axis=0) @ rows / rows.sum())
