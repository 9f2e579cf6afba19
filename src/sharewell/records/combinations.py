"""Rows reduced to distinct combinations with counts: everything after this grows with them, not with rows."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pyarrow as pa
from ibis.expr.types import Table, Value

from sharewell.data import engine
from sharewell.data.coded import Coded, code_column
from sharewell.data.formats.columns import check_columns
from sharewell.errors import InputError
from sharewell.records.arrays import Array

BATCH = 1_000_000  # combinations that leave the engine at a time


@dataclass(frozen=True, kw_only=True)
class Combinations:
    """Distinct combinations of the quasi-identifiers and further columns, with how many rows share each.

    `sums` and `squares` hold the sum and square sum of every outcome over the rows of each combination.
    """

    quasi: tuple[Coded, ...]
    others: tuple[Coded, ...]
    counts: Array  # int64
    sums: Array  # float64 (outcomes, combinations)
    squares: Array

    @property
    def rows(self) -> int:
        return int(self.counts.sum())

    def other(self, name: str) -> Coded:
        return next(column for column in self.others if column.name == name)


def combine(
    table: Table, quasi: Sequence[str], others: Sequence[str] = (), outcomes: Mapping[str, Value] | None = None
) -> Combinations:
    """One `group by` in the engine; the combinations leave it in a fixed order."""
    names = list(dict.fromkeys([*quasi, *others]))
    if not quasi:
        raise InputError("name at least one quasi column (what others may know of a student)")
    check_columns(table, quasi=quasi, sensitive=others)
    measures: dict[str, Any] = {"rows": table.count()}
    for number, outcome in enumerate((outcomes or {}).values()):
        measures |= {f"sum_{number}": outcome.sum(), f"square_{number}": (outcome * outcome).sum()}
    places = {f"c{number}": table[name] for number, name in enumerate(names)}  # names that cannot collide
    grouped = _grouped(table.group_by(**places).agg(**measures), list(places))
    coded = [code_column(name, grouped.pop(place)) for place, name in zip(places, names, strict=True)]
    order = _sorted(coded)
    taken = {column.name: column for column in _in_order(coded, order)}
    count = len(outcomes or {})
    return Combinations(
        quasi=tuple(taken[name] for name in quasi),
        others=tuple(taken[name] for name in others),
        counts=grouped["rows"].to_numpy()[order].astype(np.int64, copy=False),
        sums=_numbers(grouped, *(f"sum_{n}" for n in range(count)))[:, order],
        squares=_numbers(grouped, *(f"square_{n}" for n in range(count)))[:, order],
    )


def _grouped(combinations: Table, places: Sequence[str]) -> dict[str, pa.ChunkedArray]:
    """The columns of a large result, those at `places` as codes as soon as they come: texts take several times more."""
    schema = combinations.schema().to_pyarrow()
    chunks: dict[str, list[pa.Array]] = {name: [] for name in schema.names}
    for batch in engine.batches(combinations, BATCH):
        for field, cells in zip(schema, batch.columns, strict=True):
            typed = cells if pa.types.is_null(field.type) else cells.cast(field.type)
            chunks[field.name].append(typed.dictionary_encode() if field.name in places else _own(typed))
    if not chunks[schema.names[0]]:
        raise InputError("the table has no rows")
    return {name: pa.chunked_array(chunks.pop(name)) for name in schema.names}


def _own(cells: pa.Array) -> pa.Array:
    """A copy: one column of a batch keeps all of its columns in memory."""
    return pa.concat_arrays([cells])


def _in_order(columns: list[Coded], order: Array) -> list[Coded]:
    """The columns in this order, as rows of one array; each takes the place of the one that was given."""
    codes = np.empty((len(columns), order.size), np.int32)
    for number, column in enumerate(columns):
        np.take(column.codes, order, out=codes[number])
        columns[number] = replace(column, codes=codes[number])
    return columns


def stacked(columns: Sequence[Coded]) -> Array:
    """The codes of all columns, a row for each; where they are the first rows of one array, without a copy."""
    rows, whole = [column.codes for column in columns], columns[0].codes.base
    if isinstance(whole, np.ndarray) and whole.ndim == 2 and len(whole) >= len(rows):
        first: Array = whole[: len(rows)]
        if all(_is_same(row, place) for row, place in zip(rows, first, strict=True)):
            return first
    return np.stack(rows)


def _is_same(one: Array, other: Array) -> bool:
    """Whether both are the same place in memory."""
    return one.__array_interface__ == other.__array_interface__


def _sorted(columns: Sequence[Coded]) -> Array:
    """The order by all columns: one sort where a single number can hold all the codes of a row."""
    sizes = [len(column.values) for column in columns]
    if math.prod(sizes) >= 2**63:
        order: Array = np.lexsort([column.codes for column in reversed(columns)])
        return order
    key = np.zeros(columns[0].codes.size, np.int64)
    for column, size in zip(columns, sizes, strict=True):
        key *= size
        key += column.codes
    return np.argsort(key, kind="stable")


def _numbers(grouped: Mapping[str, pa.ChunkedArray], *names: str) -> Array:
    """Columns of numbers as rows of an array."""
    made = [np.asarray(grouped[name].to_numpy(), float) for name in names]
    return np.stack(made) if made else np.zeros((0, len(grouped["rows"])))


def with_text(table: Table, column: str, name: str) -> Table:
    """With the cells of a column as the same text; engines write numbers with decimals in their own ways."""
    if table[column].type().is_floating():
        return engine.derived(table, column, name, lambda cell: cell.cast("string"))
    text = table[column] if table[column].type().is_string() else table[column].cast("string")
    return table.mutate(**{name: text})
