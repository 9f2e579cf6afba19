"""Canvas Data 2 tables as JSON lines: the key and the values of a row stand in objects of their own.

`{"key": {"id": 1}, "value": {"user_id": 7}, "meta": {"ts": …}}` becomes the columns `id` and `user_id`; the time of the
export is left out. Tables that were exported as CSV or Parquet are read as such.
"""

from pathlib import Path
from typing import Any

import ibis
import ibis.expr.datatypes as dt
from ibis.expr.types import Table

from sharewell.data.backends import connection
from sharewell.data.formats import ReadOptions
from sharewell.data.formats.json_lines import keys_of
from sharewell.data.formats.json_lines import style as style
from sharewell.data.formats.names import check_names
from sharewell.data.formats.nested import Record, picked, records, write_records
from sharewell.errors import InputError

PARTS = ("key", "value")


@ibis.udf.scalar.builtin(name="json_extract", signature=((dt.json, dt.string), dt.json))
def part_of(record, path):  # type: ignore[no-untyped-def]
    """DuckDB's own: the object at a path."""


def read(path: Path, options: ReadOptions) -> Table:
    rows = records(path, options)
    paths = {name: (place,) for part in PARTS for name, place in _names(rows, part)}
    if not paths:
        raise InputError('no row has a "key" or a "value": is this a table of Canvas Data 2?', file=path)
    check_names(list(paths), path)
    return picked(rows, paths)


def write(table: Table, path: Path, compression: str | None = None, array: bool = False) -> None:
    write_records(table, path, row_of, compression=compression, array=array)


def row_of(row: Record) -> dict[str, Any]:
    """A row as Canvas writes it; the column `id` is its key."""
    return {"key": {"id": row.get("id")}, "value": {name: cell for name, cell in row.items() if name != "id"}}


def _names(rows: Table, part: str) -> list[tuple[str, str]]:
    """The names inside one part of any row, with the path to each."""
    found = rows.select(name=keys_of(part_of(rows.record, f"$.{part}")).unnest()).distinct().order_by("name")
    names = connection().to_pyarrow(found)["name"].to_pylist()
    return [(name, f"$.{part}." + '"' + name.replace('"', '\\"') + '"') for name in names if name]
