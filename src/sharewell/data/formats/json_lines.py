"""JSON lines, one flat object per line; an array of flat objects is read as well.

JSON says what is a number and what is text, so columns keep their types; a column that mixes them is text. Ids are text
whatever they look like: a whole number beyond 2^53 beside a decimal would become another student's.
"""

import json
from pathlib import Path
from typing import Any

import duckdb
import ibis
import ibis.expr.datatypes as dt
from ibis.expr.types import Table

from sharewell.data.backends import connection, copy, figures, literal, named, quoted, view
from sharewell.data.formats import ReadOptions
from sharewell.data.formats.csv_check import MAX_FIELD
from sharewell.data.formats.json_check import check_json
from sharewell.data.formats.names import check_names, told
from sharewell.data.formats.rows import first_row
from sharewell.data.formats.text import as_utf8, decoded_head
from sharewell.errors import InputError

MAX_RECORD = 1 << 24  # DuckDB's buffers grow with it
WHOLE = {"UBIGINT", "BIGINT"}
MOST_STRUCTURES = 100_000  # kinds of records; more of them are no table


@ibis.udf.scalar.builtin(name="json_type", signature=((dt.json, dt.string), dt.string))
def type_at(record, path):  # type: ignore[no-untyped-def]
    """DuckDB's json_type: what stands at a path."""


@ibis.udf.scalar.builtin(name="json_keys", signature=((dt.json,), dt.Array(dt.string)))
def keys_of(record):  # type: ignore[no-untyped-def]
    """DuckDB's json_keys: the names in a record, doubles included."""


@ibis.udf.scalar.builtin(name="json_structure", signature=((dt.json,), dt.json))
def structure_of(record):  # type: ignore[no-untyped-def]
    """DuckDB's json_structure: the names in a record with the kinds of their values."""


@ibis.udf.scalar.builtin(name="json_extract_string", signature=((dt.json, dt.string), dt.string))
def text_at(record, path):  # type: ignore[no-untyped-def]
    """DuckDB's own: what stands at a path, as text."""


def style(path: Path, options: ReadOptions) -> dict[str, Any]:
    return {"array": is_array(path, options), "compression": options.compression}


def read(path: Path, options: ReadOptions) -> Table:
    plain, compression = as_utf8(path, options)
    start = decoded_head(plain, ReadOptions(format="json", compression=compression, encoding="utf-8")).lstrip()
    layout = "array" if start.startswith("[") else "newline_delimited"
    packing = {"format": layout, "compression": compression or "none", "maximum_object_size": MAX_RECORD}
    check_json(plain, compression, shown_as=path, sizes=options.sizes)
    try:
        columns = _columns(path, _records(plain, packing), options)
        table = connection().read_json(literal(plain), columns=columns, auto_detect=False, **packing)
        figures(table, [f"max({named(name)})" for name in columns])  # every value is read once
    except (duckdb.InvalidInputException, duckdb.ConversionException):  # its message quotes the data
        raise InputError(
            "is not valid JSON; expected one object per line or an array of them, none over 16 MB, and whole "
            "numbers of at most 18 digits",
            file=path,
        ) from None
    return _without_missing(table, options.missing)


def write(table: Table, path: Path, compression: str | None = None, array: bool = False) -> None:
    copy(table, path, format="json", array=array, compression=compression or "none")


def is_array(path: Path, options: ReadOptions) -> bool:
    return decoded_head(path, options).lstrip().startswith("[")


def _records(path: Path, packing: dict[str, Any]) -> Table:
    options = ", ".join(f"{name} = {quoted(value)}" for name, value in packing.items())
    source = f"read_json_objects({quoted(literal(path))}, ignore_errors = true, {options})"
    return view(f"SELECT json AS record FROM {source}")


def _columns(path: Path, records: Table, options: ReadOptions) -> dict[str, str]:
    """Every name in any record with the type of its values, after every record has been looked at."""
    record, names = records.record, keys_of(records.record)
    wrong = {
        "is not valid JSON; expected one object per line": record.isnull(),
        "is not an object; expected names with values in { }": type_at(record, "$") != "OBJECT",
        f"is over {MAX_FIELD // 1_000_000} MB; shorten it": record.cast("string").length() > MAX_FIELD,
        "has the same name twice; rename one": names.length() != names.unique().length(),
    }
    marks = records.aggregate([mark.any().name(problem) for problem, mark in wrong.items()])
    for problem, seen in connection().to_pyarrow(marks).to_pylist()[0].items():
        if seen:
            raise InputError(problem, file=path, row=first_row(records, wrong[problem]))
    kinds = _kinds(path, records, options)
    if not kinds:
        raise InputError("has no rows with values; expected one object per line", file=path)
    check_names(list(kinds), path)
    for name in (name for name, found in kinds.items() if "nested" in found):
        row = first_row(records, type_at(record, _place(name)).isin(["OBJECT", "ARRAY"]))
        raise InputError(
            "holds a list or an object; expected one value per name", file=path, column=told([*kinds], name), row=row
        )
    types = {name: "VARCHAR" if name in options.texts else _type(found) for name, found in kinds.items()}
    for name in (name for name, kind in types.items() if kind == "DOUBLE"):
        _refuse_changed(path, records, name, [*kinds])
    return types


def _refuse_changed(path: Path, records: Table, name: str, names: list[str]) -> None:
    """A whole number beyond 2^53 beside decimals, or one too large for the engine, would be read as another number."""
    cell = text_at(records.record, _place(name))
    changed = cell.re_search(r"^-?[0-9]{16,}$") & (cell.cast("float64").abs() >= 2**53)
    row = first_row(records, changed)
    if row is not None:
        raise InputError(
            "holds a whole number of so many digits that it would change; write the column as text",
            file=path,
            column=told(names, name),
            row=row,
        )


def _place(name: str) -> str:
    return '$."' + name.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _kinds(path: Path, records: Table, options: ReadOptions) -> dict[str, set[str]]:
    """Every name in any record with the kinds of its values, from the few distinct structures there are."""
    structures = records.select(found=structure_of(records.record).cast("string")).distinct()
    if connection().to_pyarrow(structures.limit(MOST_STRUCTURES + 1).count()).as_py() > MOST_STRUCTURES:
        raise InputError("its records have too many different names; expected the same names in all", file=path)
    kinds: dict[str, set[str]] = {}
    for text in connection().to_pyarrow(structures.order_by("found").found).to_pylist():
        found = json.loads(text)
        for name, kind in found.items() if isinstance(found, dict) else ():
            kinds.setdefault(name, set()).add(kind if isinstance(kind, str) else "nested")
        options.sizes.check_columns(len(kinds), path)
    return kinds


def _type(kinds: set[str]) -> str:
    known = kinds - {"NULL"}
    if known and known <= WHOLE:
        return "BIGINT"
    if known and known <= WHOLE | {"DOUBLE"}:
        return "DOUBLE"
    return "BOOLEAN" if known == {"BOOLEAN"} else "VARCHAR"


def _without_missing(table: Table, missing: tuple[str, ...]) -> Table:
    texts = [name for name, kind in table.schema().items() if kind.is_string()]
    cells = {name: ibis.ifelse(table[name].isin(missing), None, table[name]) for name in texts}
    return table.mutate(**cells) if missing and texts else table
