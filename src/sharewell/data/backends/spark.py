"""Spark, where one machine ends; Sail, which speaks its protocol and starts at once, for tests.

Tables pass between the engines, and from memory to Spark, as Parquet files in the scratch folder: no value of a student
becomes part of a plan, and none passes through pandas, which turns missing numbers into others. On a cluster that
folder (TMPDIR) must be one that every worker sees.
"""

import os
import pickle
import sys
import threading
import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import date, datetime
from functools import cache, lru_cache
from importlib import import_module
from pathlib import Path
from typing import Any

import ibis
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from ibis.expr.types import FloatingValue, Table, TimestampValue

from sharewell.data.backends.frames import fresh
from sharewell.data.scratch import scratch
from sharewell.errors import DiskError, EngineError, InputError, MissingExtra

MASTER = "SHAREWELL_SPARK"  # where Spark runs: local[2], spark://host:7077, sc://host:15002
SETTINGS = {
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.timestampType": "TIMESTAMP_NTZ",  # a time without a zone stays one, as in DuckDB
    "spark.sql.parquet.outputTimestampType": "TIMESTAMP_MICROS",
    "spark.sql.parquet.compression.codec": "zstd",
    "spark.sql.ansi.enabled": "true",  # an overflow or a cell that cannot be read stops; it does not become null
    "spark.sql.execution.arrow.pyspark.enabled": "true",
    "spark.sql.maxConcurrentOutputFileWriters": "32",  # buckets are written as rows come, where they need not be sorted
    "spark.sql.autoBroadcastJoinThreshold": "20MB",  # some two million students, in a heap of a gigabyte
}
GROUPS = {  # of rows in Parquet, in bytes: DuckDB reads one at a time and holds more of larger ones (Spark: 128 MB)
    "parquet.block.size": "2000000"
}
QUIET = {
    "spark.ui.enabled": "false",  # its pages show plans
    "spark.log.level": "OFF",  # its log quotes cells
    "spark.sql.debug.maxToStringFields": "0",
    "spark.ui.showConsoleProgress": "false",
}
LOCAL = {"spark.driver.host": "127.0.0.1", "spark.driver.bindAddress": "127.0.0.1", "spark.sql.shuffle.partitions": "8"}
SAYS: Mapping[tuple[str, ...], str] = {  # what stands in the words of Spark → what a person is told
    ("outofmemory", "executorlost", "executor lost", "worker exited", "container killed", "exitcode", "heartbeat"): (
        "a worker of Spark was lost or ran out of memory; give Spark more memory or smaller parts, and run again"
    ),
    ("modulenotfounderror", "python_version_mismatch", "importerror"): (
        "the workers of Spark cannot do a step: install Sharewell and the same version of Python on each of them, and "
        "name that Python in PYSPARK_PYTHON"
    ),
    ("filenotfound", "path_not_found", "file_not_exist", "no such file"): (
        "a part of a table is missing; name a folder in TMPDIR that every worker sees, and leave it alone while it runs"
    ),
    ("connection refused", "connectionrefused", "unavailable", "answer from java side is empty", "failed to connect"): (
        f"Spark cannot be reached or has stopped; check that it runs, and what {MASTER} says"
    ),
}
LOGGERS = ("SQLQueryContextLogger", "DataFrameQueryContextLogger")  # of pyspark; they print cells
MICRO = 1_000_000.0
ONE_AT_A_TIME = threading.Lock()  # workers of Sail are threads of one process, whose DuckDB serves one of them
PARTITION_BITS = 33  # Spark: monotonically_increasing_id holds the partition above, the row of the partition below


@ibis.udf.scalar.builtin  # type: ignore[untyped-decorator]
def monotonically_increasing_id() -> int:  # type: ignore[empty-body]
    """Spark's own: grows with the rows of a partition, and from one partition to the next."""


@ibis.udf.scalar.builtin  # type: ignore[untyped-decorator]
def timestamp_seconds(seconds: int) -> datetime:  # type: ignore[empty-body]
    """Spark's own: seconds since 1970 as a moment."""


@ibis.udf.scalar.builtin  # type: ignore[untyped-decorator]
def from_utc_timestamp(moment: datetime, zone: str) -> datetime:  # type: ignore[empty-body]
    """Spark's own: what the clock on the wall shows."""


@ibis.udf.scalar.builtin  # type: ignore[untyped-decorator]
def unix_micros(moment: datetime) -> int:  # type: ignore[empty-body]
    """Spark's own: microseconds since 1970; its whole seconds are rounded towards 1970."""


@ibis.udf.scalar.builtin  # type: ignore[untyped-decorator]
def add_months(day: date, months: int) -> date:  # type: ignore[empty-body]
    """Spark's own."""


@cache
def spark(name: str) -> "Spark":
    """One session per process."""
    try:
        session = _sail_session() if name == "sail" else _session()
    except ImportError:
        raise MissingExtra("pyspark and, for Sail, pysail", extra="spark") from None
    _silence()
    return Spark(name, _connected(session))


def _silence() -> None:
    from pyspark.logger import PySparkLogger

    for name in LOGGERS:
        PySparkLogger.getLogger(name).disabled = True


def _session() -> Any:
    from pyspark.sql import SparkSession

    master, builder = os.environ.get(MASTER, "local[*]"), SparkSession.builder.appName("sharewell")
    if master.startswith("sc://"):
        return _set(builder.remote(master).getOrCreate(), {**SETTINGS, **GROUPS})
    import py4j  # noqa: F401 — where only the client of Spark is installed, there is none to be started

    for key, setting in {**SETTINGS, **QUIET}.items():
        builder = builder.config(key, setting)
    if master.startswith("local"):
        os.environ.setdefault("PYSPARK_PYTHON", sys.executable)  # or workers take the first Python on the path
        folders = dict.fromkeys(("spark.local.dir", "spark.sql.warehouse.dir"), str(scratch()))  # rows on their way
        for key, setting in {**LOCAL, **folders}.items():
            builder = builder.config(key, setting)
    session = builder.master(master).getOrCreate()
    session.sparkContext.setLogLevel("OFF")
    return _set(session, GROUPS)


def _sail_session() -> Any:
    os.environ.setdefault("RUST_LOG", "off")  # its log quotes plans
    from pysail.spark import SparkConnectServer
    from pyspark.sql import SparkSession

    server = SparkConnectServer("127.0.0.1", 0)
    server.start(background=True)
    _, port = server.listening_address
    session = _set(SparkSession.builder.remote(f"sc://127.0.0.1:{port}").getOrCreate(), SETTINGS)
    session._server = server  # it ends with its last reference
    return session


def _set(session: Any, settings: Mapping[str, str]) -> Any:
    for key, setting in settings.items():
        session.conf.set(key, setting)
    return session


def _connected(session: Any) -> Any:
    """Ibis on Spark; what a step brings along in memory comes as a file, and a number that is none is not missing."""
    import sqlglot.expressions as sge
    from ibis.backends.pyspark import Backend

    ibis.pyspark  # noqa: B018 — by this name Ibis sets its options, too

    class Strict(type(Backend.compiler)):  # type: ignore[misc]
        def visit_IsNull(self, op: Any, *, arg: Any) -> Any:
            return arg.is_(sge.null())

        def visit_NotNull(self, op: Any, *, arg: Any) -> Any:
            return arg.is_(sge.null()).not_()

        def visit_DefaultLiteral(self, op: Any, *, value: Any, dtype: Any) -> Any:
            """0.5 is a decimal number in Spark's words, and Sail rounds what stands beside it to as many digits."""
            said = super().visit_DefaultLiteral(op, value=value, dtype=dtype)
            return self.cast(said, dtype) if dtype.is_floating() else said

    class ByFiles(Backend):  # type: ignore[misc]
        compiler = Strict()

        def _register_in_memory_table(self, op: Any) -> None:
            path = _written(op.data.to_pyarrow(op.schema))
            self._session.read.parquet(str(path)).createOrReplaceTempView(op.name)

    return ByFiles().connect(session)


def _written_down(work: Callable[[Any], pa.Table]) -> Path:
    """The work in a file of the scratch folder, where workers take it up."""
    cloudpickle: Any = import_module("pyspark.cloudpickle")  # by which Spark itself sends functions
    path = scratch() / f"{uuid.uuid4().hex}.work"
    path.write_bytes(cloudpickle.dumps(work))
    return path


@lru_cache(maxsize=1)  # a worker is given one task after the other
def _taken_up(order: Path) -> Callable[[Any], pa.Table]:
    found: Callable[[Any], pa.Table] = pickle.loads(order.read_bytes())
    return found


def _worked(order: Path, task: Any) -> pa.Table:
    with ONE_AT_A_TIME:
        return _taken_up(order)(task)


def _written(data: pa.Table) -> Path:
    path = scratch() / f"{uuid.uuid4().hex}.parquet"
    pq.write_table(data, path)
    return path


class SparkDialect:
    """Moments in Spark's words."""

    def seconds(self, moment: TimestampValue) -> FloatingValue:
        return unix_micros(from_utc_timestamp(moment, "UTC")).cast("float64") / MICRO

    def window_start(self, moment: TimestampValue, *, seconds: int, origin: int) -> TimestampValue:
        number = ((self.seconds(moment) - origin) / seconds).floor().cast("int64")
        return timestamp_seconds(number * seconds + origin).cast("timestamp")

    def month_start(self, moment: TimestampValue, months: int) -> TimestampValue:
        back = ((moment.month() - 1) % months).cast("int32")
        return add_months(moment.truncate("M").date(), -back).cast("timestamp")

    def local_time(self, moment: TimestampValue, zone: str) -> TimestampValue:
        return from_utc_timestamp(moment, zone).cast("timestamp")


class Spark:
    """The verbs of an engine (see `protocol`) on Spark."""

    dialect = SparkDialect()

    def __init__(self, name: str, backend: Any) -> None:
        self.name, self.backend, self.session = name, backend, backend._session
        backend.engine = self  # by which a table knows it

    def read(self, files: Sequence[Path]) -> Table:
        with self.errors():
            return self._viewed(self.session.read.parquet(*(str(file) for file in files)))

    def catalog(self, name: str) -> Table:
        """A table that Spark itself knows by name."""
        from pyspark.errors import AnalysisException, IllegalArgumentException

        with self.errors():
            try:
                return self._viewed(self.session.table(name))
            except (AnalysisException, IllegalArgumentException):
                raise InputError(
                    "Spark's catalog has no such table; SHOW TABLES in Spark tells the names", file=f"catalog:{name}"
                ) from None

    def arrow(self, expression: Table) -> pa.Table:
        with self.errors():
            return self._frame(expression).toArrow().cast(expression.schema().to_pyarrow())

    def parts(self, expression: Table, by: str | None = None) -> list[Path]:
        folder = scratch() / uuid.uuid4().hex
        with self.errors():
            if by is None:
                self._frame(expression).write.parquet(str(folder))
            else:
                self._frame(expression).repartition(by).write.partitionBy(by).parquet(str(folder))
        return sorted(folder.glob("*.parquet" if by is None else "*/*.parquet"))

    def each(self, work: Callable[[Any], pa.Table], tasks: Sequence[Any], like: pa.Schema) -> Iterator[pa.Table]:
        """One row stands for each task: what it needs is read from files, so that no row passes through Java.

        The work itself goes by a file, too: what it has to know may be larger than a message to Spark may be.
        """
        from pyspark.sql.pandas.types import from_arrow_schema

        order = _written_down(work)

        def made(numbers: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
            for batch in numbers:
                for number in batch["id"].to_pylist():
                    yield from _worked(order, tasks[number]).cast(like).to_batches()

        try:
            with self.errors():
                numbers = self.session.range(0, len(tasks), 1, len(tasks))
                yield numbers.mapInArrow(made, from_arrow_schema(like)).toArrow().cast(like)
        finally:
            order.unlink()  # it may hold names

    def numbered(self, table: Table, name: str) -> Table:
        """By the partition and the place in it, once and for all: a number that is computed twice may differ."""
        id_, part = fresh([*table.columns, name], "id"), fresh([*table.columns, name], "part")
        placed = self.read(self.parts(table.mutate(**{id_: monotonically_increasing_id()})))
        placed = placed.mutate(**{part: placed[id_] >> PARTITION_BITS})
        counts = self.arrow(placed.group_by(part).agg(rows=placed.count())).sort_by(part)
        before = pc.subtract(pc.cumulative_sum(counts["rows"]), counts["rows"])
        starts = ibis.memtable(pa.table({"part": counts[part], "before": before}))
        joined = placed.join(starts, placed[part] == starts["part"])
        place = joined["before"] + (joined[id_] & (2**PARTITION_BITS - 1))
        return joined.mutate(**{name: place}).select(*table.columns, name)

    def _frame(self, expression: Table) -> Any:
        self.backend._run_pre_execute_hooks(expression)
        return self.session.sql(self.backend.compile(expression))

    def _viewed(self, frame: Any) -> Table:
        name = ibis.util.gen_name("sharewell")
        frame.createOrReplaceTempView(name)
        return self.backend.table(name)

    @contextmanager
    def errors(self) -> Iterator[None]:
        """Spark's own words quote cells: they are replaced, and only the kind of the error is told."""
        try:
            yield
        except _stops() as error:
            raise _in_one_sentence(error) from None


def _stops() -> tuple[type[Exception], ...]:
    """What Spark raises; whoever has its client alone has no Java beside it, and none of its errors."""
    from pyspark.errors import PySparkException

    try:
        from py4j.protocol import Py4JError
    except ImportError:
        return PySparkException, ConnectionError
    return PySparkException, Py4JError, ConnectionError


def _in_one_sentence(error: BaseException) -> Exception:
    words = str(error).lower()
    if "no space left" in words or "disk quota" in words:
        return DiskError("a disk that Spark works on is full; free some space, or name another folder in TMPDIR")
    for signs, sentence in SAYS.items():
        if any(sign in words for sign in signs):
            return EngineError(sentence)
    condition = getattr(error, "getCondition", lambda: None)()
    return RuntimeError(f"Spark stopped at a step: {type(error).__name__} {condition or ''}".strip())
