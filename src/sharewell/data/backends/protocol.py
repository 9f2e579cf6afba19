"""What an engine can do: all that differs between DuckDB and Spark, and nothing else.

Relational steps are Ibis expressions and the same for every engine. Here stands what Ibis has no words for; its
`dialect` holds what Ibis says differently from one engine to the next.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any, Protocol

import pyarrow as pa
from ibis.expr.types import FloatingValue, Table, TimestampValue


class Dialect(Protocol):
    """Moments in the words of an engine."""

    def seconds(self, moment: TimestampValue) -> FloatingValue:
        """Count seconds since 1970, with their fraction."""

    def window_start(self, moment: TimestampValue, *, seconds: int, origin: int) -> TimestampValue:
        """Find the start of a moment's window; windows are counted from an origin since 1970."""

    def month_start(self, moment: TimestampValue, months: int) -> TimestampValue:
        """Find the start of a window of whole months, which are counted from January."""

    def local_time(self, moment: TimestampValue, zone: str) -> TimestampValue:
        """Convert a moment of UTC to local time in a time zone."""


class Engine(Protocol):
    """The verbs."""

    name: str

    @property
    def dialect(self) -> Dialect:
        """How this engine speaks of moments."""

    def read(self, files: Sequence[Path]) -> Table:
        """Read Parquet files of the same columns as one table."""

    def arrow(self, expression: Table) -> pa.Table:
        """Collect the rows of an expression in memory."""

    def parts(self, expression: Table, by: str | None = None) -> list[Path]:
        """Write an expression to Parquet files in the scratch folder, in its order.

        With `by` the rows of one whole number in that column lie together, in a folder `by=number`.
        """

    def each(self, work: Callable[[Any], pa.Table], tasks: Sequence[Any], like: pa.Schema) -> Iterator[pa.Table]:
        """Do `work` for every task, wherever the engine has room; `like` is the schema of what it gives.

        Work is a function of a module, or one with some arguments filled in: it may run in another process.
        """

    def numbered(self, table: Table, name: str) -> Table:
        """Number rows from 0 in the order of the file that they come from; the numbers stay."""

    def errors(self) -> AbstractContextManager[None]:
        """Put what goes wrong into one sentence, without a value out of the data."""
