"""Outcomes that analysts want to predict, as numbers: what the search keeps predictable and utility is measured by."""

from collections.abc import Sequence

import ibis
import numpy as np
import pyarrow as pa
from ibis.expr.types import Table, Value

from sharewell.data import engine
from sharewell.data.coded import code_column
from sharewell.data.formats.columns import check_columns
from sharewell.records.arrays import Array

MOST_CATEGORIES = 12  # of a categorical outcome; rarer ones count as the rest


def as_columns(targets: str | Sequence[str] | None) -> tuple[str, ...]:
    return (targets,) if isinstance(targets, str) else tuple(targets or ())


def numeric(table: Table, targets: Sequence[str]) -> dict[str, Value]:
    """One or more numbers per target: itself, or one indicator for each category (one alone where there are two)."""
    check_columns(table, target=targets)
    made: dict[str, Value] = {}
    for name in targets:
        made |= _one(table, name)
    return made


def is_number(table: Table, name: str) -> bool:
    """Whether every cell that is filled is a number, and there are more than two of them."""
    column = table[name]
    if column.type().is_boolean():
        return False
    number = column.try_cast("float64") if column.type().is_string() else column
    if not (column.type().is_string() or column.type().is_numeric()):
        return False
    bad = (column.notnull() & number.isnull()).sum()
    found = engine.arrow(table.agg(bad=bad, kinds=column.nunique())).to_pylist()[0]
    return not found["bad"] and found["kinds"] > 2


def _one(table: Table, name: str) -> dict[str, Value]:
    column = table[name]
    if is_number(table, name):
        number = column.cast("float64")
        middle = engine.value(number.mean())
        return {name: number.fill_null(float(middle))}
    text = column.cast("string")
    kinds = engine.arrow(table.group_by(value=text).agg(n=lambda t: t.count()).order_by([ibis.desc("n"), "value"]))[
        "value"
    ].to_pylist()
    named = [kind for kind in kinds if kind is not None][:MOST_CATEGORIES]
    chosen = named[:1] if len(named) <= 2 else named
    return {f"{name}={kind}": (text == kind).fill_null(False).cast("float64") for kind in chosen}


def outcome_of(table: pa.Table, target: str) -> tuple[Array, bool]:
    """The target as numbers, and whether it is yes or no (its commonest value against the rest, where it has words)."""
    coded = code_column(target, table[target])
    kinds = [value for value in coded.values if value is not None]
    try:
        values = np.array([np.nan if value is None else float(value) for value in coded.values])
    except ValueError:
        commonest = int(np.bincount(coded.codes).argmax())
        return (coded.codes == commonest).astype(float), True
    if len(kinds) <= 2:
        return (coded.codes == len(kinds) - 1).astype(float), True
    return np.where(np.isnan(values), np.nanmean(values), values)[coded.codes], False
