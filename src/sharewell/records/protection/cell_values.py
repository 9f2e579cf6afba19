"""One value for every cell of a class instead of a range or a group, so that columns stay numbers.

All rows of a class get the same value: what a class looks like is counted on the finished file as with ranges. A draw
depends on the label, the key and how common values are in the whole table, never on who is in the class. Suppressed
rows are empty.
"""

from collections.abc import Mapping

import numpy as np
import pyarrow as pa
from ibis.expr.types import Table

from sharewell.data import engine
from sharewell.records import published_cells
from sharewell.records.combinations import with_text
from sharewell.records.hierarchies import STAR, Hierarchy, Label
from sharewell.records.protection import released_rows
from sharewell.stats.number_grid import GUARD, NumberGrid

DIGITS = 6


def as_values(
    released: Table, original: Table, hierarchies: Mapping[str, Hierarchy], labels: Mapping[str, str],
    generator: np.random.Generator,
) -> Table:  # fmt: skip
    """Write values into the cells, and their labels into columns of their own."""
    texts = released.select(*labels)
    for name in labels:
        texts = with_text(texts, name, name)
    classes = engine.arrow(engine.distinct(texts, list(labels)).order_by(list(labels)))
    columns = (classes[name].to_pylist() for name in labels)
    suppressed = [set(cells) == {STAR} for cells in zip(*columns, strict=True)]
    made = {}
    for number, name in enumerate(labels):
        cells = [None if gone else cell for cell, gone in zip(classes[name].to_pylist(), suppressed, strict=True)]
        holders = _holders(original, name)
        values = [value_of(hierarchies[name], label, holders, generator) for label in cells]
        type = original.schema().to_pyarrow().field(name).type
        made[f"to_{number}"] = _typed(pa.array(values, pa.string()), type)
    answers = dict(zip(labels, made, strict=True))
    rows = pa.table({**{name: classes[name] for name in labels}, **made})
    return released_rows.with_answers(released, rows, answers, labels)


def value_of(hierarchy: Hierarchy, label: Label, holders: Mapping[Label, int], generator: np.random.Generator) -> Label:
    """Draw a value that a label covers: numbers evenly, categories by how common."""
    if label is None:
        return None
    if label in hierarchy.position:
        return label
    low, high, closed = published_cells.ends(label)
    if isinstance(hierarchy.grid, NumberGrid) and not (np.isnan(low) or np.isnan(high)):
        return _number(hierarchy.grid, low, high, closed, generator.random())
    inside = published_cells.covered(hierarchy, label)
    listed = [leaf for leaf, there in zip(hierarchy.leaves, inside, strict=True) if there and leaf is not None]
    shared = [leaf for leaf in listed if holders.get(leaf, 0) >= GUARD] or listed
    weight = np.array([holders.get(leaf, 0) for leaf in shared], float)
    if not weight.sum():
        return shared[int(weight.argmax())]
    return shared[int(generator.choice(len(shared), p=weight / weight.sum()))]


def _number(grid: NumberGrid, low: float, high: float, closed: bool, at: float) -> str:
    """At a place between the ends; where one of them is open, the other one."""
    if grid.whole:
        first = low if np.isfinite(low) else high - 1
        last = (high if closed else high - 1) if np.isfinite(high) else low
        return str(int(first + min(int(at * (last - first + 1)), last - first)))
    if not (np.isfinite(low) and np.isfinite(high)):
        return f"{low if np.isfinite(low) else high:.{DIGITS}g}"
    return f"{low + at * (high - low):.{DIGITS}g}"


def _holders(original: Table, name: str) -> Mapping[Label, int]:
    counted = with_text(original.select(name), name, "value").group_by("value").agg(n=lambda t: t.count())
    found = engine.arrow(counted)
    return dict(zip(found["value"].to_pylist(), found["n"].to_pylist(), strict=True))


def _typed(texts: pa.Array, type: pa.DataType) -> pa.Array:
    """Texts in the type of their column; whole numbers may be written as decimals."""
    if pa.types.is_integer(type):
        return pa.compute.round(texts.cast(pa.float64())).cast(type)
    return texts.cast(type)
