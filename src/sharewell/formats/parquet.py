"""Parquet: typed columns, zstd, and nothing in the footer that names a person or a machine."""

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
from ibis.expr.types import Table

from sharewell.engine import connection
from sharewell.errors import InputError
from sharewell.formats import ReadOptions

ROWS_PER_GROUP = 122_880  # DuckDB's own unit: row groups then end where its threads hand over


def read(path: Path, options: ReadOptions) -> Table:
    try:
        rows = pq.read_metadata(path).num_rows
    except (OSError, pa.ArrowException):
        raise InputError("is not a complete Parquet file; export it again", file=path) from None
    if rows == 0:
        raise InputError("has columns and no rows; expected at least one row", file=path)
    return connection().read_parquet(str(path))


def write(table: Table, path: Path) -> None:
    connection().to_parquet(table, str(path), compression="zstd", row_group_size=ROWS_PER_GROUP)
