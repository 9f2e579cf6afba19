"""What an engine can do: all that differs between DuckDB and Spark, and nothing else.

Relational steps are Ibis expressions and the same for every engine. Here stands what Ibis has no words for, or says
differently from one engine to the next.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any, Protocol

import pyarrow as pa
from ibis.expr.types import Expr, FloatingValue, Table, TimestampValue, Value


class Engine(Protocol):
    """The verbs."""

    name: str

    def read(self, files: Sequence[Path]) -> Table:
        """Parquet files of the same columns as one table."""

    def arrow(self, expression: Table) -> pa.Table:
        """The rows of an expression in memory."""

    def value(self, expression: Expr) -> Any:
        """One value."""

    def batches(self, expression: Table, rows: int) -> Iterator[pa.RecordBatch]:
        """The rows of an expression in its order, so many at a time."""

    def parts(self, expression: Table) -> list[Path]:
        """The rows of an expression as Parquet files in the scratch folder: one after the other, in its order."""

    def materialise(self, expression: Table) -> Table:
        """The expression computed once, with its rows on disk."""

    def buckets(self, expression: Table, by: str) -> Mapping[int, tuple[Path, ...]]:
        """The rows of an expression as Parquet files in the scratch folder, those of one number in `by` together."""

    def each(self, work: Callable[[Any], pa.Table], tasks: Sequence[Any], like: pa.Schema) -> Iterator[pa.Table]:
        """What `work` makes of every task, wherever the engine has room; `like` says what it gives.

        Work is a function of a module, or one with some arguments filled in: it may run in another process.
        """

    def numbered(self, table: Table, name: str) -> Table:
        """Rows numbered from 0 in the order of the file that they come from; the numbers stay."""

    def in_file_order(self, table: Table) -> tuple[Table, tuple[str, ...]]:
        """The table, and what to sort ties by so that rows stay as they stand in the file."""

    def derived(self, table: Table, column: str, name: str, make: Callable[[Any], Value]) -> Table:
        """With a column that DuckDB makes of another, cell by cell, whatever the engine: a hash, a text of a number.

        What `make` holds, a secret say, never leaves this process; a missing cell stays missing.
        """

    def seconds(self, moment: TimestampValue) -> FloatingValue:
        """Seconds since 1970, with their fraction."""

    def window_start(self, moment: TimestampValue, *, seconds: int, origin: int) -> TimestampValue:
        """The start of the window that a moment falls into; windows are counted from an origin since 1970."""

    def month_start(self, moment: TimestampValue, months: int) -> TimestampValue:
        """The same for windows of whole months, which are counted from January."""

    def local_time(self, moment: TimestampValue, zone: str) -> TimestampValue:
        """A moment of UTC as the clock on the wall shows it."""

    def errors(self) -> AbstractContextManager[None]:
        """What goes wrong, in one sentence and without a value out of the data."""
