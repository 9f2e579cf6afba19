"""A large result in batches, in its order: what does not fit into memory at once passes through."""

from collections.abc import Iterator

import pyarrow as pa
from ibis.expr.types import Table

from sharewell.data import backends


def batches(expression: Table, rows: int = 100_000) -> Iterator[pa.RecordBatch]:
    """The rows of an expression, so many at a time."""
    yield from backends.batches(expression, rows)
