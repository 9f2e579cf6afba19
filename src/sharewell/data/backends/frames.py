"""Frames of any library as plain Arrow, and names for helper columns."""

from collections.abc import Iterable
from typing import Any

import pyarrow as pa

from sharewell.errors import InputError


def fresh(columns: Iterable[str], stem: str) -> str:
    """A name for a helper column that no column of the table has, whatever its case."""
    taken = {name.lower() for name in columns}
    name = f"__{stem}"
    while name.lower() in taken:
        name += "_"
    return name


def plain(data: Any) -> pa.Table:
    """Any frame as a pyarrow table of plain columns: categories decoded, a pandas index left out."""
    if isinstance(data, pa.Table):
        return _plain(data)
    if type(data).__module__.startswith("pandas"):
        return _plain(_from_pandas(data))
    if type(data).__name__ == "LazyFrame":
        data = data.collect()
    if hasattr(data, "__arrow_c_stream__"):
        return _plain(pa.table(data))
    raise TypeError(f"expected a pandas, polars or pyarrow frame or a path, not {type(data).__name__}")


def _from_pandas(frame: Any) -> pa.Table:
    names = [str(name) for name in frame.columns]
    columns = {}
    for place, name in enumerate(names):
        try:
            columns[name] = pa.Array.from_pandas(frame.iloc[:, place])
        except pa.ArrowException:  # its message quotes a value
            raise InputError("mixes kinds of values; make them all text or all numbers", column=name) from None
    if len(columns) < len(names):
        raise InputError("the frame has two columns of the same name; rename one")
    return pa.table(columns)


def _plain(data: pa.Table) -> pa.Table:
    """Types that every step knows: no dictionaries, one kind of string, no metadata of a library's own."""
    columns = [_plain_column(data.column(place)) for place in range(data.num_columns)]
    return pa.table(columns, names=data.column_names)


def _plain_column(column: pa.ChunkedArray) -> pa.ChunkedArray:
    if pa.types.is_dictionary(column.type):
        decoded = [_plain_text(chunk.dictionary).take(chunk.indices) for chunk in column.chunks]
        return pa.chunked_array(decoded, None if decoded else pa.string())
    return _plain_text(column)


def _plain_text(values: pa.Array | pa.ChunkedArray) -> pa.Array | pa.ChunkedArray:
    texts = (pa.types.is_large_string, pa.types.is_string_view, pa.types.is_null)
    return values.cast(pa.string()) if any(is_text(values.type) for is_text in texts) else values
