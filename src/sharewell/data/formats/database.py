"""Database files: one table of an SQLite or DuckDB file, read only; what is written is a file with that one table."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import quote

import duckdb
import ibis
import pyarrow as pa
import pyarrow.parquet as pq
from ibis.expr.types import Table

from sharewell.data.backends import connection
from sharewell.data.formats import ReadOptions
from sharewell.data.formats.batches import batches
from sharewell.data.formats.names import check_names
from sharewell.data.scratch import scratch
from sharewell.errors import InputError

BATCH = 50_000


def style(path: Path, options: ReadOptions) -> dict[str, Any]:
    return {"table_name": _chosen(path, options), "engine": options.format}


def read(path: Path, options: ReadOptions) -> Table:
    name = _chosen(path, options)
    rows = _sqlite_rows(path, name, options.texts) if options.format == "sqlite" else _duckdb_rows(path, name)
    target = scratch() / f"{ibis.util.gen_name('database')}.parquet"
    written = 0
    schema = next(rows).schema
    check_names(schema.names, path)
    options.sizes.check_columns(len(schema), path)
    with pq.ParquetWriter(target, schema) as writer:
        for batch in rows:
            writer.write_batch(batch)
            written += batch.num_rows
            options.sizes.check_rows(written, path)
    if not written:
        raise InputError(f"the table '{name}' has no rows; expected at least one", file=path)
    return connection().read_parquet(str(target))


def write(table: Table, path: Path, table_name: str = "data", engine: str = "sqlite") -> None:
    if engine == "duckdb":
        _write_duckdb(table, path, table_name)
    else:
        _write_sqlite(table, path, table_name)


def tables(path: Path, format: str, *, views: bool = True) -> list[str]:
    """The names of the tables in a file, and of the views of an SQLite file."""
    return _sqlite_tables(path, views=views) if format == "sqlite" else _duckdb_tables(path)


def _chosen(path: Path, options: ReadOptions) -> str:
    """The table that the plan names, or the only one there is."""
    names = tables(path, options.format)
    if options.table is not None:
        if options.table not in names:
            raise InputError(f"there is no table '{options.table}'; the file has {_listed(names)}", file=path)
        return options.table
    if len(names) != 1:
        raise InputError(f"has {len(names)} tables; name one in the plan: table = … ({_listed(names)})", file=path)
    return names[0]


def _listed(names: list[str]) -> str:
    return ", ".join(f"'{name}'" for name in names) or "none"


def _sqlite_tables(path: Path, *, views: bool) -> list[str]:
    kinds = "'table', 'view'" if views else "'table'"
    sql = f"SELECT name FROM sqlite_master WHERE type IN ({kinds}) AND name NOT LIKE 'sqlite_%' ORDER BY name"
    with _sqlite(path) as database:
        return [row[0] for row in database.execute(sql)]


def _sqlite_rows(path: Path, name: str, texts: tuple[str, ...]) -> Iterator[pa.RecordBatch]:
    """First an empty batch with the columns, then the rows. SQLite types cells, not columns: mixed ones are text."""
    quoted = '"' + name.replace('"', '""') + '"'
    with _sqlite(path) as database:
        columns = [row[1] for row in database.execute(f"PRAGMA table_info({quoted})")]
        kinds = [pa.string() if column in texts else _sqlite_type(path, database, quoted, column) for column in columns]
        schema = pa.schema(list(zip(columns, kinds, strict=True)))
        yield pa.record_batch([pa.array([], kind) for kind in kinds], schema=schema)
        cursor = database.execute(f"SELECT * FROM {quoted}")
        while rows := cursor.fetchmany(BATCH):
            cells = zip(*rows, strict=True)
            yield pa.record_batch([_array(part, kind) for part, kind in zip(cells, kinds, strict=True)], schema=schema)


def _sqlite_type(path: Path, database: sqlite3.Connection, table: str, column: str) -> pa.DataType:
    quoted = '"' + column.replace('"', '""') + '"'
    sql = f"SELECT DISTINCT typeof({quoted}) FROM {table}"
    found = {row[0] for row in database.execute(sql)} - {"null"}
    if "blob" in found:
        raise InputError("holds binary cells; leave the column out of the table", file=path, column=column)
    if found == {"integer"}:
        return pa.int64()
    return pa.float64() if found and found <= {"integer", "real"} else pa.string()


def _array(cells: tuple[Any, ...], kind: pa.DataType) -> pa.Array:
    if pa.types.is_string(kind):
        return pa.array([None if cell is None else str(cell) for cell in cells], kind)
    return pa.array(cells, kind)


@contextmanager
def _sqlite(path: Path) -> Iterator[sqlite3.Connection]:
    """The file, read only: nothing in its schema is run, and what is broken in it is one sentence."""
    try:
        with closing(sqlite3.connect(f"file:{quote(str(path.absolute()))}?mode=ro", uri=True)) as database:
            database.execute("PRAGMA trusted_schema = OFF")
            yield database
    except (sqlite3.Error, UnicodeError):
        raise InputError("is not a complete SQLite file; copy or export it again", file=path) from None


def _duckdb_tables(path: Path) -> list[str]:
    with _duckdb(path) as database:
        return [row[0] for row in database.sql("SELECT table_name FROM duckdb_tables() ORDER BY 1").fetchall()]


def _duckdb_rows(path: Path, name: str) -> Iterator[pa.RecordBatch]:
    quoted = '"' + name.replace('"', '""') + '"'
    with _duckdb(path) as database:
        reader = database.sql(f"SELECT * FROM {quoted}").to_arrow_reader(BATCH)
        yield pa.record_batch([pa.array([], field.type) for field in reader.schema], schema=reader.schema)
        yield from reader


@contextmanager
def _duckdb(path: Path) -> Iterator[duckdb.DuckDBPyConnection]:
    """The file, read only; its blocks are checked as they are read, not when it is opened."""
    try:
        with closing(duckdb.connect(str(path), read_only=True)) as database:
            yield database
    except (duckdb.Error, pa.ArrowException, UnicodeError):
        raise InputError("is not a complete DuckDB file, or another program has it open", file=path) from None


def _write_sqlite(table: Table, path: Path, name: str) -> None:
    quoted, marks = '"' + name.replace('"', '""') + '"', ", ".join("?" * len(table.columns))
    columns = ", ".join('"' + column.replace('"', '""') + '"' for column in table.columns)
    with closing(sqlite3.connect(path)) as database, database:
        database.execute(f"CREATE TABLE {quoted} ({columns})")
        for batch in batches(table.mutate(**_as_text(table))):
            rows = zip(*(column.to_pylist() for column in batch.columns), strict=True)
            database.executemany(f"INSERT INTO {quoted} VALUES ({marks})", rows)


def _as_text(table: Table) -> dict[str, ibis.Value]:
    """SQLite knows numbers and text; dates are written as text in ISO order."""
    plain = {name: kind for name, kind in table.schema().items() if not (kind.is_numeric() or kind.is_string())}
    return {name: table[name].cast("string") for name in plain}


def _write_duckdb(table: Table, path: Path, name: str) -> None:
    with closing(duckdb.connect(str(path))) as database:
        quoted = '"' + name.replace('"', '""') + '"'
        for number, batch in enumerate(batches(table)):
            rows = pa.Table.from_batches([batch])
            database.register("rows_now", rows)
            database.execute(
                f"{'INSERT INTO' if number else 'CREATE TABLE'} {quoted} {'' if number else 'AS '}FROM rows_now"
            )
            database.unregister("rows_now")
