"""Moodle's export of a forum ("Export" in a forum's menu): CSV, or JSON with a list of rows inside a list.

The columns are Moodle's own (id, discussion, parent, userid, userfullname, created, subject, message …) and keep their
names; messages are HTML as Moodle stores them. What is written has the form of what was read.
"""

import json
from pathlib import Path
from typing import Any

import pyarrow as pa
from ibis.expr.types import Table

from sharewell.data import backends
from sharewell.data.formats import ReadOptions, delimited
from sharewell.data.formats.batches import batches
from sharewell.data.formats.json_check import check_json
from sharewell.data.formats.names import check_names
from sharewell.data.formats.text import as_utf8
from sharewell.errors import InputError

EXPECTED = ("userid", "subject", "message")


def read(path: Path, options: ReadOptions) -> Table:
    table = _from_json(path, options) if path.suffix.lower() == ".json" else delimited.read(path, options)
    missing = [name for name in EXPECTED if name not in table.columns]
    if missing and not options.released:
        raise InputError(f"is no forum export of Moodle: the column {missing[0]} is not there", file=path)
    return table


def write(table: Table, path: Path) -> None:
    if path.suffix.lower() != ".json":
        delimited.write(table, path)
        return
    rows = [row for batch in batches(table) for row in batch.to_pylist()]
    path.write_text(json.dumps([rows], ensure_ascii=False, indent=1), encoding="utf-8")


def _from_json(path: Path, options: ReadOptions) -> Table:
    plain, compression = as_utf8(path, options)
    check_json(plain, compression, shown_as=path, sizes=options.sizes)
    try:
        rows = json.loads(plain.read_text(encoding="utf-8-sig"))
    except (UnicodeDecodeError, json.JSONDecodeError):
        raise InputError("is not JSON in UTF-8; export the forum again", file=path) from None
    while isinstance(rows, list) and len(rows) == 1 and isinstance(rows[0], list):
        rows = rows[0]
    if not isinstance(rows, list) or not rows or not all(isinstance(row, dict) for row in rows):
        raise InputError("expected a list with one object per post", file=path)
    names = list(dict.fromkeys(name for row in rows for name in row))
    options.sizes.check_columns(len(names), path)
    check_names(names, path)
    columns = {name: pa.array([_cell(row.get(name)) for row in rows], pa.string()) for name in names}
    return backends.listed(pa.table(columns))


def _cell(value: Any) -> str | None:
    return None if value is None or value == "" else str(value)
