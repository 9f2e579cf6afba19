"""The Ibis connection: DuckDB inside the process. Frames of any library come in and leave as they came."""

import atexit
import os
import shutil
import tempfile
import uuid
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any

import ibis
import pyarrow as pa
from ibis.expr.types import Table

from sharewell.errors import InputError

MEMORY = "1200MB"  # what DuckDB may hold before it spills to disk; SHAREWELL_MEMORY overrides
SPILL = "sharewell-spill-"


@cache
def scratch() -> Path:
    """A folder for this process alone (0700), gone when it ends: for spills and for copies in UTF-8."""
    _sweep_spills()
    folder = Path(tempfile.mkdtemp(prefix=f"{SPILL}{os.getpid()}-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


def _sweep_spills() -> None:
    """What killed runs left behind holds student data: away with it."""
    for folder in Path(tempfile.gettempdir()).glob(f"{SPILL}*"):
        owner = folder.name.removeprefix(SPILL).split("-")[0]
        if owner.isdigit() and not Path(f"/proc/{owner}").exists() and Path("/proc").exists():
            shutil.rmtree(folder, ignore_errors=True)


@cache
def connection() -> Any:
    """One embedded database per process; larger than memory spills to its scratch folder."""
    backend = ibis.duckdb.connect()
    backend.raw_sql(f"SET memory_limit = '{os.environ.get('SHAREWELL_MEMORY', MEMORY)}'")
    backend.raw_sql(f"SET temp_directory = '{scratch()}'")
    backend.raw_sql("SET preserve_insertion_order = true")
    backend.raw_sql("SET enable_progress_bar = false")
    backend.raw_sql("SET TimeZone = 'UTC'")
    return backend


def view(sql: str) -> Table:
    """A query of DuckDB's that Ibis has no words for, as an Ibis table."""
    name = ibis.util.gen_name("sharewell")
    connection().raw_sql(f'CREATE TEMP VIEW "{name}" AS {sql}').fetchall()
    return connection().table(name)


def copy(rows: Table, path: Path, **options: str | int | bool) -> None:
    """Stream a table to disk with DuckDB's COPY; Ibis' own writers quote paths and tabs as Python would."""
    backend = connection()
    backend._run_pre_execute_hooks(rows)  # frames in memory become known to DuckDB
    choices = ", ".join(f"{name.upper()} {quoted(value)}" for name, value in options.items())
    backend.raw_sql(f"COPY ({backend.compile(rows)}) TO {quoted(str(path))} ({choices})").fetchall()


def quoted(value: str | int | bool) -> str:
    """A value as DuckDB's SQL writes it."""
    return "'" + value.replace("'", "''") + "'" if isinstance(value, str) else str(value).lower()


def fresh(columns: Iterable[str], stem: str) -> str:
    """A name for a helper column that no column of the data has."""
    taken, name = set(columns), f"__{stem}"
    while name in taken:
        name += "_"
    return name


def table(data: Any) -> Table:
    """Any frame, Ibis table or path as an Ibis table on this engine."""
    if isinstance(data, Table):
        return data
    if isinstance(data, str | Path):
        from sharewell.data.formats import read

        return read(Path(data)).table
    return ibis.memtable(arrow(data))


def arrow(data: Any) -> pa.Table:
    """Any frame as a pyarrow table of plain columns: categories decoded, a pandas index left out."""
    if isinstance(data, Table):
        return connection().to_pyarrow(data)
    if isinstance(data, str | Path):
        return arrow(table(data))
    if isinstance(data, pa.Table):
        return _plain(data)
    if type(data).__module__.startswith("pandas"):
        return _plain(_from_pandas(data))
    if type(data).__name__ == "LazyFrame":
        data = data.collect()
    if hasattr(data, "__arrow_c_stream__"):
        return _plain(pa.table(data))
    raise TypeError(f"expected a pandas, polars or pyarrow frame or a path, not {type(data).__name__}")


def like(result: Any, original: Any) -> Any:
    """A result as the same kind of frame that came in; paths give pyarrow."""
    if isinstance(original, Table):
        return result if isinstance(result, Table) else ibis.memtable(result)
    out = arrow(result)
    module = type(original).__module__
    if module.startswith("pandas"):
        return out.to_pandas()
    if module.startswith("polars"):
        import polars

        return polars.from_arrow(out)
    return out


def materialise(expression: Table) -> Table:
    """Compute an expression once and keep the rows on disk: later steps read them without computing them again."""
    path = scratch() / f"{uuid.uuid4().hex}.parquet"
    connection().to_parquet(expression, path)
    return connection().read_parquet(path)


def _from_pandas(frame: Any) -> pa.Table:
    names = [str(name) for name in frame.columns]
    columns = {}
    for place, name in enumerate(names):
        try:
            columns[name] = pa.Array.from_pandas(frame.iloc[:, place])
        except pa.ArrowException:  # its message quotes a value
            raise InputError("mixes kinds of values; make them all text or all numbers", column=name) from None
    if len(columns) < len(names):
        raise InputError("the frame has two columns of the same name; rename one")
    return pa.table(columns)


def _plain(data: pa.Table) -> pa.Table:
    """Types that every step knows: no dictionaries, one kind of string, no metadata of a library's own."""
    columns = [_plain_column(data.column(place)) for place in range(data.num_columns)]
    return pa.table(columns, names=data.column_names)


def _plain_column(column: pa.ChunkedArray) -> pa.ChunkedArray:
    if pa.types.is_dictionary(column.type):
        decoded = [_plain_text(chunk.dictionary).take(chunk.indices) for chunk in column.chunks]
        return pa.chunked_array(decoded, None if decoded else pa.string())
    return _plain_text(column)


def _plain_text(values: pa.Array | pa.ChunkedArray) -> pa.Array | pa.ChunkedArray:
    texts = (pa.types.is_large_string, pa.types.is_string_view, pa.types.is_null)
    return values.cast(pa.string()) if any(is_text(values.type) for is_text in texts) else values
