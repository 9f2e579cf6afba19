"""The Ibis connection: DuckDB inside the process. Frames of any library come in and leave as they came."""

import os
import re
import uuid
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

import duckdb
import ibis
import pyarrow as pa
from ibis.expr.types import Table

from sharewell.data.scratch import scratch
from sharewell.errors import DiskError, InputError

MEMORY = "1200MB"  # what DuckDB may hold before it spills to disk; SHAREWELL_MEMORY overrides
LEAST_MEMORY = 100_000_000
UNITS = {"KB": 10**3, "MB": 10**6, "GB": 10**9, "TB": 10**12, "KIB": 2**10, "MIB": 2**20, "GIB": 2**30, "TIB": 2**40}
PATTERNS = frozenset("*?[]{}\\")  # what DuckDB reads as a pattern in the name of a file


@cache
def connection() -> Any:
    """One embedded database per process; larger than memory spills to its scratch folder."""
    backend = ibis.duckdb.connect()
    backend.raw_sql(f"SET memory_limit = {quoted(memory(os.environ.get('SHAREWELL_MEMORY', MEMORY)))}")
    backend.raw_sql(f"SET temp_directory = {quoted(str(scratch()))}")
    backend.raw_sql("SET preserve_insertion_order = true")
    backend.raw_sql("SET enable_progress_bar = false")
    backend.raw_sql("SET TimeZone = 'UTC'")
    return backend


def memory(stated: str) -> str:
    """What SHAREWELL_MEMORY says, once it is seen to be an amount of memory that can be worked with."""
    found = re.fullmatch(r"([0-9]{1,9}(?:\.[0-9]{1,3})?) ?([KMGT]i?B)", stated.strip(), re.IGNORECASE)
    if found is None or float(found[1]) * UNITS[found[2].upper()] < LEAST_MEMORY:
        raise InputError("SHAREWELL_MEMORY must be an amount of memory of at least 100MB, such as 2GB or 800MB")
    return f"{found[1]}{found[2]}"


def fresh(columns: Iterable[str], stem: str) -> str:
    """A name for a helper column that no column of the table has, whatever its case."""
    taken = {name.lower() for name in columns}
    name = f"__{stem}"
    while name.lower() in taken:
        name += "_"
    return name


def literal(path: Path) -> str:
    """A path that DuckDB takes by the letter: a name with the signs of a pattern goes by a link that has none."""
    if not PATTERNS & set(str(path)):
        return str(path)
    link = scratch() / f"{uuid.uuid4().hex}{path.suffix if not PATTERNS & set(path.suffix) else ''}"
    link.symlink_to(path.resolve())
    return str(link)


@contextmanager
def clear_sentences() -> Iterator[None]:
    """What the engine says of a full disk or too little memory, in one sentence; other errors pass."""
    try:
        yield
    except duckdb.OutOfMemoryException:
        raise DiskError(
            "the work needs more memory than it may have; set SHAREWELL_MEMORY to a larger amount, such as 4GB, or "
            "free space in the temporary folder"
        ) from None
    except (duckdb.IOException, OSError) as error:
        if not any(word in str(error).lower() for word in ("write", "space", "too large", "quota")):
            raise
        raise DiskError(
            f"the temporary folder {scratch().parent} cannot be written to: the disk is full or takes no file of this "
            "size; free some space, or name another folder in TMPDIR"
        ) from None


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


def figures(rows: Table, expressions: Sequence[str]) -> tuple[Any, ...]:
    """Aggregates of a wide table in DuckDB's own words: a thousand Ibis expressions take a minute to write down."""
    backend = connection()
    backend._run_pre_execute_hooks(rows)
    found = backend.raw_sql(f"SELECT {', '.join(expressions)} FROM ({backend.compile(rows)})").fetchall()
    return tuple(found[0])


def named(column: str) -> str:
    """The name of a column as DuckDB's SQL writes it."""
    return '"' + column.replace('"', '""') + '"'


def quoted(value: str | int | bool) -> str:
    """A value as DuckDB's SQL writes it."""
    return "'" + value.replace("'", "''") + "'" if isinstance(value, str) else str(value).lower()


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
    with clear_sentences():
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
