"""Text cells out of frames and back into them, a batch at a time."""

from collections.abc import Iterator, Sequence
from typing import Any

import ibis
import pyarrow as pa
from ibis.expr.types import Table

from sharewell.data import engine
from sharewell.data.formats.batches import batches as in_batches
from sharewell.errors import InputError

BATCH = 20_000  # rows in memory at a time


def batches(posts: Any, columns: Sequence[str]) -> Iterator[pa.RecordBatch]:
    """The rows of a frame, path or Ibis table, with its text columns checked; an empty batch where there are none."""
    if not isinstance(posts, Table):
        posts = engine.arrow(posts)
    _check(posts, columns)
    rows = in_batches(posts, BATCH) if isinstance(posts, Table) else posts.to_batches(max_chunksize=BATCH)
    empty = True
    for batch in rows:
        empty = False
        yield batch
    if empty:
        schema = posts.schema().to_pyarrow() if isinstance(posts, Table) else posts.schema
        yield pa.RecordBatch.from_pylist([], schema)


def cells(batch: pa.RecordBatch, columns: Sequence[str]) -> list[str]:
    """All text cells of a batch, column after column; missing ones are empty."""
    return [cell or "" for name in columns for cell in batch.column(name).to_pylist()]


def rewritten(batch: pa.RecordBatch, columns: Sequence[str], new: Sequence[str]) -> pa.RecordBatch:
    """The batch with other texts in the order of `cells`; missing cells stay missing."""
    for i, name in enumerate(columns):
        place = batch.schema.get_field_index(name)
        old = batch.column(place).to_pylist()
        part = new[i * len(old) : (i + 1) * len(old)]
        kept = [None if before is None else after for before, after in zip(old, part, strict=True)]
        batch = batch.set_column(place, pa.field(name, pa.string()), pa.array(kept, pa.string()))
    return batch


def joined_text(posts: Table, columns: Sequence[str]) -> ibis.Value:
    """All text of a post in one column, line after line."""
    parts = [posts[name].cast("string").fill_null("") for name in columns]
    return ibis.literal("\n").join(parts)


def _check(posts: Any, columns: Sequence[str]) -> None:
    names = posts.columns if isinstance(posts, Table) else posts.schema.names
    for name in columns:
        if name not in names:
            raise InputError("there is no such column, named by text=; name one of the text columns", column=name)
        kind = posts.schema()[name] if isinstance(posts, Table) else posts.schema.field(name).type
        if not _is_text(kind):
            raise InputError("expected text in this column", column=name)


def _is_text(kind: Any) -> bool:
    if isinstance(kind, pa.DataType):
        return bool(
            pa.types.is_string(kind)
            or pa.types.is_large_string(kind)
            or pa.types.is_string_view(kind)
            or pa.types.is_null(kind)
        )
    return bool(kind.is_string() or kind.is_null())
