"""Where tables are computed: DuckDB inside the process, or Spark where one machine ends.

A table knows its engine, so that callers say what they want and not where. `SHAREWELL_ENGINE`, or `--engine`, chooses
where new tables go; the plan does not: it describes the data. `data.engine` adds frames and files.
"""

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from multiprocessing.reduction import ForkingPickler
from pathlib import Path
from typing import TYPE_CHECKING, Any

import ibis
import pyarrow as pa
from ibis.expr.types import Expr, FloatingValue, Table, TimestampValue, Value

from sharewell.data.backends.answers import answers
from sharewell.data.backends.duckdb import (
    DuckDB,
    connection,
    copy,
    figures,
    keyed_digest,
    keyed_number,
    literal,
    named,
    quoted,
    streamed,
    view,
)
from sharewell.data.backends.frames import fresh, plain
from sharewell.data.backends.protocol import Engine
from sharewell.errors import InputError, PlanError

if TYPE_CHECKING:
    from sharewell.data.backends.spark import Spark

__all__ = [
    "DUCKDB",
    "NAMES",
    "Engine",
    "answers",
    "arrow",
    "batches",
    "buckets",
    "catalog",
    "chosen",
    "clear_sentences",
    "connection",
    "copy",
    "current",
    "derived",
    "distinct",
    "figures",
    "fresh",
    "here",
    "in_file_order",
    "keyed_digests",
    "keyed_numbers",
    "like",
    "listed",
    "literal",
    "local_time",
    "materialise",
    "month_start",
    "named",
    "numbered",
    "of",
    "one_of",
    "prepare",
    "quoted",
    "read",
    "seconds",
    "there",
    "value",
    "view",
    "window_start",
    "workers",
]

VARIABLE = "SHAREWELL_ENGINE"
NAMES = ("duckdb", "spark", "sail")
DUCKDB: Engine = DuckDB()
_ASKED_FOR: ContextVar[str | None] = ContextVar("the engine that was chosen outside of `one_of`", default=None)


def chosen() -> str:
    """The name of the engine that new tables go to."""
    name = os.environ.get(VARIABLE) or DUCKDB.name
    if name not in NAMES:
        raise PlanError([f"{VARIABLE} and --engine know {', '.join(NAMES)}; expected one of them"])
    return name


@contextmanager
def one_of(names: Sequence[str]) -> Iterator[None]:
    """In this block new tables go to DuckDB, unless the engine that is chosen is one of these."""
    name, before = chosen(), os.environ.get(VARIABLE)
    os.environ[VARIABLE] = name if name in names else DUCKDB.name
    outside = _ASKED_FOR.set(_ASKED_FOR.get() or name)
    try:
        yield
    finally:
        _ASKED_FOR.reset(outside)
        if before is None:
            del os.environ[VARIABLE]
        else:
            os.environ[VARIABLE] = before


def prepare() -> None:
    """Start the engine that is chosen, or say what is missing: before any work is done."""
    current()


def of(expression: Expr) -> Engine:
    """The engine of an expression. Lists that a step brings along have none: they go where the rest of it is."""
    backends, _ = expression._find_backends()
    others = [backend.engine for backend in backends if hasattr(backend, "engine")]
    return others[0] if others else DUCKDB


def workers() -> Engine:
    """Whose workers take the parts of a file, one at a time: also where the tables of a kind stay on DuckDB."""
    return _named(_ASKED_FOR.get() or chosen())


def current() -> Engine:
    """Start, or find, the engine that new tables go to."""
    return _named(chosen())


def _named(name: str) -> Engine:
    return DUCKDB if name == DUCKDB.name else _spark(name)


def _spark(name: str) -> "Spark":
    from sharewell.data.backends.spark import spark

    return spark(name)


def listed(data: Any) -> Table:
    """A frame of a step's own, such as a list of students: part of whatever table it is joined with."""
    return ibis.memtable(plain(data))


def there(table: Table) -> Table:
    """Hand a table over to the engine that is chosen, as Parquet files, unless it is there."""
    return table if of(table) is current() else current().read(of(table).parts(table))


def here(table: Table) -> Table:
    """The table on DuckDB, which reads and writes files: as it is, or handed over as Parquet files, in its order."""
    return table if of(table) is DUCKDB else DUCKDB.read(of(table).parts(table))


def read(*files: Path) -> Table:
    """Parquet files that the house itself wrote, on DuckDB."""
    return DUCKDB.read(files)


def _as_files(table: Table) -> tuple[Callable[..., Table], tuple[Path, ...]]:
    """How a table reaches a worker, or comes back from it: by files in the folder of the run."""
    return read, tuple(of(table).parts(table))


ForkingPickler.register(Table, _as_files)


def catalog(name: str) -> Table:
    """The table that Spark's catalog has under this name."""
    if chosen() == DUCKDB.name:
        raise InputError("is a table of Spark's catalog; choose Spark: --engine spark", file=f"catalog:{name}")
    return _spark(chosen()).catalog(name)


def arrow(data: Any) -> pa.Table:
    """Collect any frame as a pyarrow table of plain columns: no categories, no index."""
    return of(data).arrow(data) if isinstance(data, Table) else plain(data)


def value(expression: Expr) -> Any:
    """Compute an expression of one value."""
    return of(expression).arrow(expression.as_table()).column(0)[0].as_py()


def batches(expression: Table, rows: int = 100_000) -> Iterator[pa.RecordBatch]:
    """A large result in its order, so many rows at a time: what does not fit into memory at once passes through."""
    yield from streamed(here(expression), rows)


def like(result: Any, original: Any) -> Any:
    """A result as the same kind of frame that came in; paths give pyarrow."""
    if isinstance(original, Table):
        return result if isinstance(result, Table) else listed(result)
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
    return of(expression).read(of(expression).parts(expression))


def buckets(expression: Table, by: str) -> Mapping[int, tuple[Path, ...]]:
    """The rows of an expression on disk, those of one whole number in `by` together: a bucket fits where all do not."""
    start, found = f"{by}=", dict[int, tuple[Path, ...]]()
    for file in of(expression).parts(expression, by):
        number = int(file.parent.name.removeprefix(start))
        found[number] = (*found.get(number, ()), file)
    return found


def distinct(table: Table, columns: Sequence[str]) -> Table:
    """Every combination of some columns once, to be sorted or counted.

    Ibis writes a sorted DISTINCT of filtered rows such that the filter's columns count as well.
    """
    return table.group_by(list(columns)).agg(__rows=table.count()).select(*columns)


def numbered(table: Table, name: str) -> Table:
    """Rows with their place in the file, counted from 0, in a column of this name."""
    return of(table).numbered(table, name)


def in_file_order(table: Table) -> tuple[Table, tuple[str, ...]]:
    """The table, and columns to sort ties by so that rows stay as they stand in the file."""
    place = fresh(table.columns, "place")
    return numbered(table, place), (place,)  # a sort by less leaves ties in any order


def derived(table: Table, column: str, name: str, make: Callable[[Any], Value]) -> Table:
    """With a column that DuckDB makes of another, cell by cell, whatever the engine: the same everywhere."""
    where = of(table)
    if where is DUCKDB:
        return table.mutate(**{name: make(table[column])})
    cells = table.select(cell=table[column], key=_comparable(table[column])).distinct()
    home = DUCKDB.read(where.parts(cells.filter(cells["cell"].notnull())))
    key, value = fresh([*table.columns, name], "key"), fresh([*table.columns, name], "made")
    made = where.read(DUCKDB.parts(home.select(key="key", made=make(home["cell"])))).rename({key: "key", value: "made"})
    joined = table.left_join(made, _comparable(table[column]) == made[key])
    return joined.mutate(**{name: joined[value]}).select(*dict.fromkeys([*table.columns, name]))


def _comparable(cells: Value) -> Value:
    """Numbers with decimals by their text: whether two that are none are equal depends on the engine."""
    return cells.cast("string") if cells.type().is_floating() else cells


def keyed_numbers(table: Table, column: str, name: str, secret: str) -> Table:
    """With a number in [0, 1) for every cell of a column that only the holder of the key can compute.

    The secret stays with DuckDB in this process: in an expression it would enter the event log of Spark.
    """
    return derived(table, column, name, lambda cell: keyed_number(secret, cell))


def keyed_digests(table: Table, column: str, pads: tuple[bytes, bytes], letters: int) -> Table:
    """With the beginning of a keyed hash in place of every cell of a column; DuckDB holds the secret, as above."""
    return derived(table, column, column, lambda cell: keyed_digest(pads, cell)[:letters])


def seconds(moment: TimestampValue) -> FloatingValue:
    """Seconds since 1970, with their fraction."""
    return of(moment).dialect.seconds(moment)


def window_start(moment: TimestampValue, *, seconds: int, origin: int) -> TimestampValue:
    """Return the start of a moment's window; windows are counted from an origin."""
    return of(moment).dialect.window_start(moment, seconds=seconds, origin=origin)


def month_start(moment: TimestampValue, months: int) -> TimestampValue:
    """Return the start of a moment's window of months, counted from January."""
    return of(moment).dialect.month_start(moment, months)


def local_time(moment: TimestampValue, zone: str) -> TimestampValue:
    """Convert a moment of UTC to local time in a time zone."""
    return of(moment).dialect.local_time(moment, zone)


@contextmanager
def clear_sentences() -> Iterator[None]:
    """What an engine says of a full disk, too little memory or a lost worker, in one sentence."""
    with DUCKDB.errors():
        if chosen() == DUCKDB.name:
            yield
        else:
            with _spark(chosen()).errors():
                yield
