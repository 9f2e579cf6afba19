"""Parquet: typed columns, zstd, and nothing in the footer that names a person or a machine."""

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
from ibis.expr.types import Table

from sharewell.data.engine import connection, copy
from sharewell.data.formats import ReadOptions
from sharewell.data.formats.names import check_names
from sharewell.errors import InputError

ROWS_PER_GROUP = 122_880  # DuckDB's own unit, so that groups do not depend on how threads hand over
BATCH = 65_536


def read(path: Path, options: ReadOptions) -> Table:
    try:
        with pq.ParquetFile(path, page_checksum_verification=True) as file:
            _check_schema(file.schema_arrow, path)
            rows = file.metadata.num_rows
            for batch in file.iter_batches(BATCH):
                batch.validate(full=True)
    except (OSError, pa.ArrowException):  # the message may quote the data
        raise InputError("is not a complete Parquet file; export it again", file=path) from None
    if rows == 0:
        raise InputError("has columns and no rows; expected at least one row", file=path)
    return connection().read_parquet(str(path))


def write(table: Table, path: Path) -> None:
    copy(table, path, format="parquet", compression="zstd", row_group_size=ROWS_PER_GROUP)


def _check_schema(schema: pa.Schema, path: Path) -> None:
    check_names(schema.names, path)
    for field in schema:
        if pa.types.is_nested(field.type):
            raise InputError(
                "holds lists or structures; expected one value per cell: flatten it first",
                file=path,
                column=field.name,
            )
