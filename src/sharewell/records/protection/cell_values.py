"""One value for every cell of a class instead of a range or a group, so that columns stay numbers.

All rows of a class get the same value: what a class looks like is counted on the finished file as with ranges. A draw
depends on the label, the key and how common values are in the whole table, never on who is in the class. Suppressed
rows are empty.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from ibis.expr.types import Table

from sharewell.data import engine
from sharewell.data.coded import code_column
from sharewell.errors import InputError
from sharewell.records import published_cells
from sharewell.records.combinations import with_text
from sharewell.records.given_hierarchies import gather
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
        values = [values_of(hierarchies[name], label, holders, 1, generator)[0] for label in cells]
        type = original.schema().to_pyarrow().field(name).type
        made[f"to_{number}"] = _typed(pa.array(values, pa.string()), type)
    answers = dict(zip(labels, made, strict=True))
    rows = pa.table({**{name: classes[name] for name in labels}, **made})
    return released_rows.with_answers(released, rows, answers, labels)


def read_inside(before: pa.Table, after: pa.Table, names: Sequence[str], hierarchies: Any, seed: int) -> pa.Table:
    """Read labels as values, an even draw inside each anew for every row; other cells stay.

    Rows of nothing but `*` are left out. `hierarchies` are those that the labels come from, as for `anonymize`.
    """
    generator, hidden = np.random.default_rng(seed), np.ones(after.num_rows, bool)
    for name in names:
        cells, original = code_column(name, after[name]), code_column(name, before[name])
        labels = set(cells.values) - set(original.values)
        if not labels or not is_text(after[name].type):
            continue
        counts = np.bincount(original.codes, minlength=len(original.values))
        known: Any = hierarchies or {}
        if not isinstance(known, str | Path):
            known = {name: known[name]} if name in known else {}
        try:
            hierarchy = gather(known, {name: original.values}, {name: counts})[name]
            for label in labels:
                published_cells.covered(hierarchy, label)
        except InputError:  # values that the original does not have, and no labels
            continue
        holders, texts = dict.fromkeys(original.values, 1), np.empty(after.num_rows, object)
        for code, label in enumerate(cells.values):
            rows = np.flatnonzero(cells.codes == code)
            texts[rows] = values_of(hierarchy, label, holders, rows.size, generator)
        values = pa.array(texts, pa.string())
        values = values if is_text(before[name].type) else _typed(values, before[name].type)
        after = after.set_column(after.column_names.index(name), name, values)
        hidden &= (np.array(cells.values, object) == STAR)[cells.codes]
    return after if hidden.all() else after.filter(pa.array(~hidden))


def values_of(
    hierarchy: Hierarchy, label: Label, holders: Mapping[Label, int], size: int, generator: np.random.Generator
) -> list[Label]:
    """Draw values that a label covers: numbers evenly, categories by how common."""
    if label is None or label in hierarchy.position:
        return [label] * size
    low, high, closed = published_cells.ends(label)
    if isinstance(hierarchy.grid, NumberGrid) and not (np.isnan(low) or np.isnan(high)):
        return [_number(hierarchy.grid, low, high, closed, at) for at in generator.random(size)]
    inside = published_cells.covered(hierarchy, label)
    listed = [leaf for leaf, there in zip(hierarchy.leaves, inside, strict=True) if there and leaf is not None]
    shared = [leaf for leaf in listed if holders.get(leaf, 0) >= GUARD] or listed
    weight = np.array([holders.get(leaf, 0) for leaf in shared], float)
    if not weight.sum():
        return [shared[int(weight.argmax())]] * size
    return [shared[place] for place in generator.choice(len(shared), size, p=weight / weight.sum())]


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


def is_text(type: pa.DataType) -> bool:
    plain = type.value_type if pa.types.is_dictionary(type) else type
    return bool(pa.types.is_string(plain) or pa.types.is_large_string(plain))
