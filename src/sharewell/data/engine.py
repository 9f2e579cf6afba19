"""Tables of any library and any file on the engine that is chosen, and every verb of `backends`."""

from pathlib import Path
from typing import Any

import pyarrow as pa
from ibis.expr.types import Table

from sharewell.data import backends, formats
from sharewell.data.backends import (
    DUCKDB,
    NAMES,
    Engine,
    answers,
    batches,
    buckets,
    catalog,
    chosen,
    clear_sentences,
    connection,
    copy,
    current,
    derived,
    distinct,
    figures,
    fresh,
    here,
    in_file_order,
    keyed_digests,
    keyed_numbers,
    like,
    listed,
    literal,
    local_time,
    materialise,
    month_start,
    named,
    numbered,
    of,
    one_of,
    prepare,
    quoted,
    read,
    seconds,
    there,
    value,
    view,
    window_start,
    workers,
)
from sharewell.data.formats import parquet
from sharewell.data.formats.parts import is_in_parts
from sharewell.plan.sizes import Sizes

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
    "table",
    "there",
    "value",
    "view",
    "window_start",
    "workers",
]

PARQUET = (".parquet", ".pq")
MOST_ROWS, MOST_GIGABYTES = 100_000_000_000, 10_000.0


def table(data: Any) -> Table:
    """Open any frame, Ibis table or path as an Ibis table on the engine that is chosen."""
    if isinstance(data, Table):
        return data
    if isinstance(data, str | Path):
        return _opened(Path(data))
    return there(listed(data))


def _opened(path: Path) -> Table:
    """Hand Parquet straight to the engine that is chosen; DuckDB reads what only DuckDB can.

    The limits of a plan are for files that arrive: a file that is named in a call has none.
    """
    sizes = Sizes(rows=MOST_ROWS, gigabytes=MOST_GIGABYTES)
    typed = is_in_parts(path) or (path.suffix in PARQUET and path.is_file())
    current = backends.current()
    files = parquet.elsewhere(path, sizes) if typed and current is not DUCKDB else None
    return there(formats.read(path, sizes=sizes).table) if files is None else current.read(files)


def arrow(data: Any) -> pa.Table:
    """Collect any frame, table or file as a pyarrow table of plain columns."""
    return backends.arrow(table(data) if isinstance(data, str | Path) else data)
