"""Logs of nested JSON: picked fields become columns on the way in, columns become nested fields on the way out."""

import json
from collections.abc import Callable, Iterator, Mapping
from datetime import datetime
from pathlib import Path
from typing import IO, Any

import duckdb
import ibis
import pyarrow as pa
from ibis.expr.types import Table

from sharewell.data.backends import connection, literal, quoted, view
from sharewell.data.formats import ReadOptions
from sharewell.data.formats.batches import batches
from sharewell.data.formats.json_check import check_json
from sharewell.data.formats.json_lines import text_at, type_at
from sharewell.data.formats.rows import first_row
from sharewell.data.formats.text import as_utf8
from sharewell.errors import InputError

Record = Mapping[str, Any]


def records(path: Path, options: ReadOptions, *, wrapped_in: str | None = None) -> Table:
    """One row per JSON object, from lines, an array, or an array under the key `wrapped_in`."""
    plain, compression = as_utf8(path, options)
    check_json(plain, compression, shown_as=path, sizes=options.sizes)
    source = (
        f"read_json_objects({quoted(literal(plain))}, format = 'auto', compression = {quoted(compression or 'none')})"
    )
    table = view(f"SELECT json AS record FROM {source}")
    try:
        first = connection().to_pyarrow(table.limit(1)).to_pylist()
        if first and wrapped_in is not None and wrapped_in in json.loads(first[0]["record"]):
            table = view(f"SELECT unnest(json_extract(json, '$.{wrapped_in}[*]')) AS record FROM {source}")
        row = first_row(table, type_at(table.record, "$") != "OBJECT")
    except (duckdb.Error, json.JSONDecodeError, TypeError):
        raise InputError("is not valid JSON; expected one object per line, or an array of them", file=path) from None
    if row is not None:
        raise InputError("is not an object; expected names with values in { }", file=path, row=row)
    if connection().to_pyarrow(table.count()).as_py() == 0:
        raise InputError("has no record; expected at least one", file=path)
    return table


def picked(table: Table, paths: Mapping[str, tuple[str, ...]]) -> Table:
    """The first value found at the paths of each column; columns without any value are left out."""
    columns = {
        name: ibis.coalesce(*(text_at(table.record, path) for path in choices)) for name, choices in paths.items()
    }
    wide = table.select(**columns)
    present = connection().to_pyarrow(wide.aggregate(**{name: wide[name].notnull().any() for name in columns}))
    found = [name for name, seen in present.to_pylist()[0].items() if seen]
    return wide.select(*(found or list(columns)[:1]))


def write_records(
    table: Table, path: Path, nest: Callable[[Record], dict[str, Any]], *, compression: str | None, array: bool
) -> None:
    """One JSON object per row, streamed; as an array where the file was one."""
    with path.open("wb") as raw, _packed(raw, compression) as out:
        if array:
            out.write(b"[")
        for number, row in enumerate(rows(table)):
            ending = (b",\n" if number else b"\n") if array else b""
            text = json.dumps(nest(row), ensure_ascii=False, separators=(",", ":"))
            out.write(ending + text.encode() + (b"" if array else b"\n"))
        if array:
            out.write(b"\n]\n")


def rows(table: Table) -> Iterator[Record]:
    """The rows of a table in order, a batch at a time, with times as ISO text in UTC."""
    for batch in batches(table):
        for row in batch.to_pylist():
            yield {name: _plain(value) for name, value in row.items() if value is not None}


def nested(values: Mapping[str, Any]) -> dict[str, Any]:
    """{"a.b": 1} → {"a": {"b": 1}}."""
    out: dict[str, Any] = {}
    for dotted, value in values.items():
        *parents, last = dotted.split(".")
        place = out
        for parent in parents:
            place = place.setdefault(parent, {})
        place[last] = value
    return out


def _packed(raw: IO[bytes], compression: str | None) -> Any:
    if compression is None:
        return pa.PythonFile(raw)
    return pa.CompressedOutputStream(pa.PythonFile(raw), compression)


def _plain(value: Any) -> Any:
    return value.isoformat(timespec="milliseconds") + "Z" if isinstance(value, datetime) else value


def without_marks(table: Table, marks: Mapping[str, str]) -> Table:
    """Columns without what a release writes where a record must say something; one that holds nothing else is none."""
    for name, mark in marks.items():
        if name in table.columns:
            cells = table[name].nullif(mark)
            if connection().to_pyarrow(cells.count()).as_py():
                table = table.mutate(**{name: cells})
            else:
                table = table.drop(name)
    return table
