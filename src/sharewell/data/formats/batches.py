"""A large result in batches, in its order: what does not fit into memory at once passes through."""

from collections.abc import Iterator

import pyarrow as pa
from ibis.expr.types import Table

from sharewell.data.engine import connection


def batches(expression: Table, rows: int = 100_000) -> Iterator[pa.RecordBatch]:
    """The rows of an expression, so many at a time."""
    # Ibis 12 asks DuckDB for batches by a name that DuckDB 2 gave up: its relation is asked directly.
    yield from connection()._to_duckdb_relation(expression).to_arrow_reader(rows)
