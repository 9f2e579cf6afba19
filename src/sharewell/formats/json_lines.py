"""JSON lines: one flat object per line; an array of flat objects is read as well."""

from pathlib import Path

from ibis.expr.types import Table

from sharewell.engine import connection
from sharewell.formats import ReadOptions


def read(path: Path, options: ReadOptions) -> Table:
    return connection().read_json(str(path), format="auto", compression=options.compression or "none")


def write(table: Table, path: Path, compression: str | None = None) -> None:
    connection().to_json(table, str(path), compression=compression or "none")
