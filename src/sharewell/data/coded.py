"""A column as codes: its sorted distinct values as text, and which one every cell holds."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from sharewell.data import engine
from sharewell.stats.arrays import Array


@dataclass(frozen=True, kw_only=True)
class Coded:
    """The distinct values of a column as text (None: missing), and which one each cell holds."""

    name: str
    values: tuple[str | None, ...]
    codes: Array  # int32, one per cell


def code_column(name: str, column: pa.ChunkedArray | pa.Array) -> Coded:
    """Sorted distinct values as text, missing last, and the code of every cell."""
    encoded = _encoded(pa.chunked_array(column) if isinstance(column, pa.Array) else column)
    texts = as_text(encoded.dictionary).to_pylist()
    order = sorted(range(len(texts)), key=sort_key(texts))
    rank = np.empty(len(texts) + 1, np.int32)
    rank[order] = np.arange(len(texts), dtype=np.int32)
    rank[len(texts)] = len(texts)
    raw = encoded.indices.fill_null(len(texts)).to_numpy(zero_copy_only=False)
    values: tuple[str | None, ...] = tuple(texts[i] for i in order)
    return Coded(name=name, values=(*values, None) if encoded.null_count else values, codes=rank[raw])


def _encoded(column: pa.ChunkedArray) -> pa.DictionaryArray:
    if pa.types.is_dictionary(column.type):
        return column.unify_dictionaries().combine_chunks()
    encoded = column.combine_chunks().dictionary_encode(null_encoding="mask")
    return encoded.combine_chunks() if isinstance(encoded, pa.ChunkedArray) else encoded


def sort_key(texts: Sequence[str]) -> Callable[[int], Any]:
    """Return a key that sorts positions by number, or by text if any is not one.

    NaN comes last; equal numbers (1 and 1.0) are sorted by text.
    """
    try:
        numbers = [float(text) for text in texts]
    except ValueError:
        return texts.__getitem__
    return lambda i: (math.isnan(numbers[i]), 0.0 if math.isnan(numbers[i]) else numbers[i], texts[i])


def as_text(values: pa.Array) -> pa.Array:
    """Values as the text that hierarchies are written in, which is the engine's: 3.0, where pyarrow would say 3.

    Released cells are found by this text, so that a second way of writing a number would lose them.
    """
    if pa.types.is_large_string(values.type) or pa.types.is_string(values.type):
        return values
    table = engine.listed(pa.table({"value": values}))
    return engine.arrow(table.select(value=table.value.cast("string")))["value"].combine_chunks()
