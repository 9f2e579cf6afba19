"""Writing the chosen recoding into the table, as Ibis expressions: the rows never pass through Python."""

from collections.abc import Mapping, Sequence
from typing import Any

import ibis
import numpy as np
import pyarrow as pa
from ibis.expr.types import Table, Value

from sharewell.records.combinations import Combinations
from sharewell.records.hierarchies import STAR, Hierarchy, Label

MISSING = "\u0001missing"  # stands for null in joins only
GONE = "__suppressed"
ROW = "__row"


def by_levels(table: Table, hierarchies: Mapping[str, Hierarchy], levels: Mapping[str, int]) -> Table:
    """Every column at its level: a small lookup per column that changes."""
    for name, level in levels.items():
        hierarchy = hierarchies[name]
        if level == hierarchy.height:
            table = table.mutate(**{name: ibis.literal(STAR)})
        elif level > 0 or not hierarchy.is_plain:
            texts = hierarchy.labels[level]
            table = _look_up(table, name, hierarchy.leaves, [texts[group] for group in hierarchy.groups[level]])
    return table


def _look_up(table: Table, name: str, values: Sequence[Label], labels: Sequence[Label]) -> Table:
    lookup = ibis.memtable(
        pa.table({"__from": [_safe(value) for value in values], "__to": pa.array(labels, pa.string())})
    )
    keyed = table.mutate(__key=_as_key(table[name]))
    joined = keyed.left_join(lookup, keyed["__key"] == lookup["__from"])
    return joined.mutate(**{name: joined["__to"]}).drop("__key", "__from", "__to")


def by_combination(table: Table, combinations: Combinations, labels: Mapping[str, Sequence[Label]]) -> Table:
    """Every combination of quasi-identifiers becomes its own labels (local recoding)."""
    answers = {f"__to_{n}": pa.array(labels[column.name], pa.string()) for n, column in enumerate(combinations.quasi)}
    once = _once(combinations, np.arange(combinations.counts.size))
    answers = {name: answer.take(pa.array(once)) for name, answer in answers.items()}
    joined = _join_combinations(table, combinations, once, answers)
    renamed = {column.name: joined[f"__to_{n}"] for n, column in enumerate(combinations.quasi)}
    return joined.mutate(**renamed).drop(*answers)


def mark_suppressed(table: Table, combinations: Combinations, gone: np.ndarray) -> Table:
    """Adds a true/false column: whether the row's combination is among `gone`. Call it on the original values."""
    if len(gone) == 0:
        return table.mutate(**{GONE: ibis.literal(False)})
    gone = _once(combinations, gone)
    joined = _join_combinations(table, combinations, gone, {GONE: pa.array([True] * len(gone))})
    return joined.mutate(**{GONE: joined[GONE].fill_null(False)})


def _once(combinations: Combinations, which: np.ndarray) -> np.ndarray:
    """Combinations that differ only in other columns are one here."""
    codes = np.stack([column.codes[which] for column in combinations.quasi])
    return np.asarray(which)[np.unique(codes, axis=1, return_index=True)[1]]


def _join_combinations(
    table: Table, combinations: Combinations, which: np.ndarray, answers: Mapping[str, pa.Array]
) -> Table:
    keys = {
        f"__from_{n}": pa.array([_safe(column.values[column.codes[i]]) for i in which], pa.string())
        for n, column in enumerate(combinations.quasi)
    }
    lookup = ibis.memtable(pa.table({**keys, **answers}))
    here = {f"__key_{n}": _as_key(table[column.name]) for n, column in enumerate(combinations.quasi)}
    keyed = table.mutate(**here)
    same = [keyed[f"__key_{n}"] == lookup[f"__from_{n}"] for n in range(len(keys))]
    return keyed.left_join(lookup, same).drop(*here, *keys)


def star_suppressed(table: Table, quasi: Sequence[str], withheld: Sequence[str]) -> Table:
    """Suppressed rows stay, as rows of `*`; what nobody should learn from a small group of them becomes missing."""
    stars: dict[str, Any] = {name: ibis.ifelse(table[GONE], ibis.literal(STAR), as_text(table[name])) for name in quasi}
    blanks: dict[str, Any] = {
        name: ibis.ifelse(table[GONE], ibis.null(table[name].type()), table[name]) for name in withheld
    }
    return table.mutate(**stars, **blanks)


def as_text(column: Value) -> Value:
    return column if column.type().is_string() else column.cast("string")


def _as_key(column: Value) -> Value:
    return as_text(column).fill_null(MISSING)


def _safe(value: Label) -> str:
    return MISSING if value is None else value
