"""DuckDB inside the process: the engine unless another is chosen, and the reader and writer of files for all."""

import os
import uuid
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from functools import cache
from pathlib import Path
from typing import Any

import duckdb
import ibis
import pyarrow as pa
from ibis.expr.types import FloatingValue, NumericValue, StringValue, Table, TimestampValue, Value

from sharewell.data import workers
from sharewell.data.memory import memory
from sharewell.data.scratch import scratch
from sharewell.errors import DiskError

WAITING = 32_768  # rows that wait to be written in buckets: sixteen times as many, as usual, took six times the memory
NOISE_DIGITS = 5  # hexadecimal
HMAC = """
CREATE TEMP MACRO hmac_sha256(inner_pad, outer_pad, cell) AS
sha256(unhex(outer_pad) || unhex(sha256(unhex(inner_pad) || encode(cell))))
"""
TOO_LITTLE_MEMORY = (
    "the work needs more memory than it may have; set SHAREWELL_MEMORY to a larger amount, such as 4GB, or free space "
    "in the temporary folder"
)
PATTERNS = frozenset("*?[]{}\\")  # what DuckDB reads as a pattern in the name of a file


@cache
def connection() -> Any:
    """One embedded database per process; larger than memory spills to its scratch folder."""
    backend = ibis.duckdb.connect()
    backend.raw_sql(f"SET memory_limit = {quoted(memory())}")
    backend.raw_sql(f"SET temp_directory = {quoted(str(scratch()))}")
    backend.raw_sql("SET preserve_insertion_order = true")
    backend.raw_sql(f"SET partitioned_write_flush_threshold = {WAITING}")
    backend.raw_sql("SET enable_progress_bar = false")
    if (threads := os.environ.get("OMP_NUM_THREADS", "")).isdecimal() and int(threads) > 0:
        backend.raw_sql(f"SET threads = {int(threads)}")  # what linear algebra keeps to, so does DuckDB
    backend.raw_sql("SET TimeZone = 'UTC'")
    backend.raw_sql(HMAC)
    return backend


def literal(path: Path) -> str:
    """A path that DuckDB takes by the letter: a name with the signs of a pattern goes by a link that has none."""
    if not PATTERNS & set(str(path)):
        return str(path)
    link = scratch() / f"{uuid.uuid4().hex}{path.suffix if not PATTERNS & set(path.suffix) else ''}"
    link.symlink_to(path.resolve())
    return str(link)


def view(sql: str) -> Table:
    """A query of DuckDB's that Ibis has no words for, as an Ibis table."""
    name = ibis.util.gen_name("sharewell")
    connection().raw_sql(f'CREATE TEMP VIEW "{name}" AS {sql}').fetchall()
    return connection().table(name)


def copy(rows: Table, path: Path, **options: str | int | bool) -> None:
    """Stream a table to disk with DuckDB's COPY; Ibis' own writers quote paths and tabs as Python would."""
    backend = connection()
    backend._run_pre_execute_hooks(rows)  # frames in memory become known to DuckDB
    if options["format"] == "parquet":
        options["write_bloom_filter"] = False  # one for every group of rows, all held until the file ends
    choices = ", ".join(f"{name.upper()} {quoted(value)}" for name, value in options.items())
    copying = f"COPY ({backend.compile(rows)}) TO {quoted(str(path))} ({choices})"
    try:
        backend.raw_sql(copying).fetchall()
    except duckdb.OutOfMemoryException:
        _by_one_thread(copying)


def _by_one_thread(copying: str) -> None:
    """To the same bytes: rows wait for those before them, which another thread may take long to read.

    Files of others may have millions of rows in a group, which is what a thread reads; one thread holds nothing back.
    """
    backend = connection()
    ((threads,),) = backend.raw_sql("SELECT current_setting('threads')").fetchall()
    backend.raw_sql("SET threads = 1")
    try:
        backend.raw_sql(copying).fetchall()
    except duckdb.OutOfMemoryException:
        raise DiskError(TOO_LITTLE_MEMORY) from None
    finally:
        backend.raw_sql(f"SET threads = {threads}")


def figures(rows: Table, expressions: Sequence[str]) -> tuple[Any, ...]:
    """Aggregates of a wide table in DuckDB's own words: a thousand Ibis expressions take a minute to write down."""
    backend = connection()
    backend._run_pre_execute_hooks(rows)
    found = backend.raw_sql(f"SELECT {', '.join(expressions)} FROM ({backend.compile(rows)})").fetchall()
    return tuple(found[0])


def named(column: str) -> str:
    """Return a column's name, quoted for DuckDB's SQL."""
    return '"' + column.replace('"', '""') + '"'


def quoted(value: str | int | bool) -> str:
    """Return a value as a literal of DuckDB's SQL."""
    return "'" + value.replace("'", "''") + "'" if isinstance(value, str) else str(value).lower()


@ibis.udf.scalar.builtin  # type: ignore[untyped-decorator]
def timezone(zone: str, moment: datetime) -> datetime:  # type: ignore[empty-body]
    """Call DuckDB's `timezone`: local time to instant, or instant to local time."""


@ibis.udf.scalar.builtin  # type: ignore[untyped-decorator]
def hmac_sha256(inner_pad: str, outer_pad: str, cell: str) -> str:  # type: ignore[empty-body]
    """Call HMAC-SHA-256 (RFC 2104) in DuckDB, on all cores; pads are hexadecimal."""


def keyed_digest(pads: tuple[bytes, bytes], cell: Value) -> StringValue:
    """What `Keyed.digest` makes of the text of a cell: for `derived`, which keeps it in this process."""
    inner, outer = pads
    return hmac_sha256(inner.hex(), outer.hex(), cell.cast("string"))


def keyed_number(secret: str, label: StringValue) -> FloatingValue:
    """A number in [0, 1) that only the holder of the key can compute: digits of a keyed hash."""
    digest = (ibis.literal(secret) + label).hexdigest("sha256")
    letters = ibis.literal("0123456789abcdef")
    value: NumericValue = ibis.literal(0)
    for place in range(NOISE_DIGITS):
        value = value * 16 + letters.find(digest[place])
    return value / float(16**NOISE_DIGITS)


def streamed(rows: Table, many: int) -> Iterator[pa.RecordBatch]:
    """Stream a table in its order, so many rows at a time."""
    # Ibis 12 asks DuckDB for batches by a name that DuckDB 2 gave up: its relation is asked directly.
    yield from connection()._to_duckdb_relation(rows).to_arrow_reader(many)


def _written(rows: Table) -> Path:
    path = scratch() / f"{uuid.uuid4().hex}.parquet"
    copy(rows, path, format="parquet")
    return path


def _in_buckets(rows: Table, by: str) -> list[Path]:
    folder, backend = scratch() / uuid.uuid4().hex, connection()
    backend._run_pre_execute_hooks(rows)
    written = f"(FORMAT parquet, PARTITION_BY ({named(by)}), COMPRESSION zstd, WRITE_BLOOM_FILTER false)"
    backend.raw_sql(f"COPY ({backend.compile(rows)}) TO {quoted(str(folder))} {written}").fetchall()
    return sorted(folder.glob("*/*.parquet"))


class DuckDBDialect:
    """Moments in DuckDB's words."""

    def seconds(self, moment: TimestampValue) -> FloatingValue:
        return moment.epoch_seconds().cast("float64")

    def window_start(self, moment: TimestampValue, *, seconds: int, origin: int) -> TimestampValue:
        return moment.bucket(ibis.interval(seconds=seconds), offset=ibis.interval(seconds=origin))

    def month_start(self, moment: TimestampValue, months: int) -> TimestampValue:
        return moment.truncate("M") - ibis.interval(months=1) * ((moment.month() - 1) % months).cast("int32")

    def local_time(self, moment: TimestampValue, zone: str) -> TimestampValue:
        return timezone(zone, timezone("UTC", moment))


class DuckDB:
    """The verbs of an engine (see `protocol`) on DuckDB."""

    name = "duckdb"
    dialect = DuckDBDialect()

    def read(self, files: Sequence[Path]) -> Table:
        return connection().read_parquet([literal(file) for file in files])

    def arrow(self, expression: Table) -> pa.Table:
        return connection().to_pyarrow(expression)

    def parts(self, expression: Table, by: str | None = None) -> list[Path]:
        with self.errors():
            return [_written(expression)] if by is None else _in_buckets(expression, by)

    def each(self, work: Callable[[Any], pa.Table], tasks: Sequence[Any], like: pa.Schema) -> Iterator[pa.Table]:
        yield from workers.each(work, tasks, processes=workers.number())

    def numbered(self, table: Table, name: str) -> Table:
        return table.mutate(**{name: ibis.row_number()})  # DuckDB keeps the order of the file

    @contextmanager
    def errors(self) -> Iterator[None]:
        """What DuckDB says of a full disk or too little memory, in one sentence; other errors pass."""
        try:
            yield
        except duckdb.OutOfMemoryException:
            raise DiskError(TOO_LITTLE_MEMORY) from None
        except (duckdb.IOException, OSError) as error:
            if not any(word in str(error).lower() for word in ("write", "space", "too large", "quota")):
                raise
            raise DiskError(
                f"the temporary folder {scratch().parent} cannot be written to: the disk is full or takes no file of "
                "this size; free some space, or name another folder in TMPDIR"
            ) from None
