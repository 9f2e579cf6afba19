"""Tables of a PostgreSQL server: read once at the beginning, into a file of this run alone.

    file = "postgresql:///warehouse?table=events"            # or  ?table=schema.events,  or  ?query=select … from …

Nothing can be written through the connection: every transaction is read-only by the server's own setting. Columns that
the plan drops are never fetched; they arrive as empty ones, so that the rest of the house need not know. Rows are put
into an order of their own, since a server promises none. A password belongs into ~/.pgpass or PGPASSWORD, in no plan.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urlencode, urlsplit, urlunsplit

import pyarrow as pa
import pyarrow.parquet as pq

from sharewell.data import engine, taken
from sharewell.data.scratch import scratch
from sharewell.errors import InputError, MissingExtra
from sharewell.plan.document import Plan
from sharewell.plan.sections import Section

READ_ONLY = "-c default_transaction_read_only=on"


@dataclass(frozen=True, kw_only=True)
class Address:
    """Where a table is: the server without what is asked of it, and the query."""

    server: str
    query: str
    name: str


def parse(text: str) -> Address:
    """The parts of an address; one sentence about what is missing."""
    parts = urlsplit(text)
    asked = dict(parse_qsl(parts.query))
    table, query = asked.pop("table", None), asked.pop("query", None)
    if (table is None) == (query is None):
        raise InputError("name one table or one query: postgresql:///warehouse?table=events", file=_told(text))
    if parts.password is not None or "password" in asked:
        raise InputError("a plan holds no password; put it into ~/.pgpass or PGPASSWORD", file=_told(text))
    asked["options"] = f"{asked.get('options', '')} {READ_ONLY}".strip()
    # libpq decodes %20 and leaves a plus sign as it is
    rest = urlencode(asked).replace("+", "%20")
    server = f"{parts.scheme}://{parts.netloc}{parts.path}?{rest}"
    if query is not None:
        return Address(server=server, query=query.strip().rstrip(";"), name="query")
    quoted = ".".join(engine.named(part) for part in str(table).split("."))
    return Address(server=server, query=f"SELECT * FROM {quoted}", name=str(table).rpartition(".")[2])


def snapshot(section: Section, plan: Plan) -> Path:
    """The rows in a file."""
    address = parse(section.file)
    with _connected(address, section.file) as cursor:
        ways = taken.columns(section, plan, _columns(cursor, address), _told(section.file))
        rows = _stored(cursor, _query(address, ways), plan, section)
    path, in_order = taken.target(section, address.name).with_suffix(".parquet"), engine.read(rows)
    engine.copy(in_order.order_by(list(in_order.columns)), path, format="parquet")
    rows.unlink()
    return path


def _query(address: Address, ways: Mapping[str, taken.Way]) -> str:
    told = []
    for name, way in ways.items():
        column = engine.named(name)
        wanted = "NULL::text" if way == "empty" else f"{column}::text" if way == "text" else column
        told.append(f"{wanted} AS {column}")
    return f"SELECT {', '.join(told)} FROM ({address.query}) AS asked"


def _columns(cursor: Any, address: Address) -> list[str]:
    cursor.execute(f"SELECT * FROM ({address.query}) AS asked LIMIT 0")
    return list(cursor.fetch_arrow_table().column_names)


def _stored(cursor: Any, query: str, plan: Plan, section: Section) -> Path:
    path, written = scratch() / f"{section.label}-fetched.parquet", 0
    cursor.execute(query)
    reader = cursor.fetch_record_batch()
    schema = pa.schema([(field.name, _plain(field.type)) for field in reader.schema])
    with pq.ParquetWriter(path, schema) as writer:
        for batch in reader:
            writer.write_batch(batch.cast(schema))
            written += batch.num_rows
            plan.header.sizes.check_rows(written, Path(_told(section.file)))
    if not written:
        raise InputError("the table has no rows; expected at least one", file=_told(section.file))
    return path


def _plain(kind: pa.DataType) -> pa.DataType:
    """Types of the server's own (numeric, uuid, json) arrive under names of their own, as text or bytes."""
    stored = getattr(kind, "storage_type", kind)
    return pa.string() if pa.types.is_null(stored) or pa.types.is_binary(stored) else stored


@contextmanager
def _connected(address: Address, text: str) -> Iterator[Any]:
    try:
        from adbc_driver_postgresql import dbapi
    except ImportError:
        raise MissingExtra("adbc-driver-postgresql", extra="postgres") from None
    try:
        with dbapi.connect(address.server) as connection, connection.cursor() as cursor:
            yield cursor
    except dbapi.Error:  # what a server says may quote a value
        raise InputError(
            "the server did not answer as asked: check that it runs, that you may read the table, and its name; "
            "psql with the same address tells more",
            file=_told(text),
        ) from None


def _told(text: str) -> str:
    """An address as it may be printed: without what may be secret."""
    parts = urlsplit(text)
    return urlunsplit((parts.scheme, parts.hostname or "", parts.path, "", ""))
