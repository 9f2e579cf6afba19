"""Parquet: typed columns, zstd, and nothing in the footer that names a person or a machine.

A file is decoded once before it is trusted, in steps that its longest cell allows: a page of a few bytes can stand for
gigabytes. Types that only some steps know become text (a time of day, a UUID, JSON); those that are no value of a table
are refused. A structure becomes one column for each of its fields (`user.id`), a list or a map becomes JSON text; both
are written so.
"""

from collections.abc import Callable, Iterator, Mapping
from itertools import groupby
from pathlib import Path

import duckdb
import ibis
import pyarrow as pa
import pyarrow.parquet as pq
from ibis.expr.types import StructValue, Table, Value

from sharewell.data.backends import batches, connection, copy, figures, literal, named
from sharewell.data.formats import ReadOptions
from sharewell.data.formats.csv_check import MAX_FIELD
from sharewell.data.formats.names import check_names, told
from sharewell.data.formats.parts import files, is_in_parts, schema
from sharewell.errors import InputError
from sharewell.plan.sizes import Sizes

ROWS_PER_GROUP = 122_880  # DuckDB's own unit, so that groups do not depend on how threads hand over
GROUPS_PER_PART = 50  # about six million rows
BATCH = 65_536
BATCH_BYTES = 1 << 28

REFUSED: Mapping[str, tuple[Callable[[pa.DataType], bool], ...]] = {
    "lists or structures; expected one value per cell: flatten it first": (pa.types.is_nested,),
    "binary data; leave the column out, or write it as text": (
        pa.types.is_binary,
        pa.types.is_large_binary,
        pa.types.is_binary_view,
        pa.types.is_fixed_size_binary,
    ),
    "lengths of time; write them as a number of seconds": (pa.types.is_duration, pa.types.is_interval),
    "numbers of more digits than can be kept; write them as text": (pa.types.is_decimal256,),
}
EVERYWHERE: tuple[Callable[[pa.DataType], bool], ...] = (
    pa.types.is_string,
    pa.types.is_boolean,
    pa.types.is_signed_integer,
    pa.types.is_float32,
    pa.types.is_float64,
    pa.types.is_date32,
    lambda kind: pa.types.is_timestamp(kind) and kind.unit in ("us", "ms"),
)


def read(path: Path, options: ReadOptions) -> Table:
    try:
        parts = files(path)
        table = _flat(connection().read_parquet([literal(part) for part in parts]))
        table = _plain(table, _checked(path, parts, options))
        _check_cells(path, parts, options, table)
        return table
    except (
        OSError,
        UnicodeError,
        pa.ArrowException,
        duckdb.Error,
        OverflowError,
        RecursionError,
    ):  # may quote the data
        raise InputError("is not a complete Parquet file; export it again", file=path) from None


def elsewhere(path: Path, sizes: Sizes) -> list[Path] | None:
    """The files of a table that another engine reads by itself; none where there are types that only DuckDB knows."""
    parts = files(path)
    found = _checked(path, parts, ReadOptions(format="parquet", sizes=sizes))
    return parts if all(any(test(field.type) for test in EVERYWHERE) for field in found) else None


def _checked(path: Path, parts: list[Path], options: ReadOptions) -> pa.Schema:
    found, rows = schema(path, parts)
    found = pa.schema([flat for field in found for flat in _fields(field.name, field.type)])
    options.sizes.check_columns(len(found), path)
    options.sizes.check_rows(rows, path)
    check_schema(found, path)
    if rows == 0:
        raise InputError("has columns and no rows; expected at least one row", file=path)
    return found


def style(path: Path, options: ReadOptions) -> dict[str, bool]:
    """What came in parts leaves in parts."""
    return {"parts": True} if is_in_parts(path) else {}


def write(table: Table, path: Path, *, parts: bool = False) -> None:
    if parts:
        _write_parts(table, path)
    else:
        copy(table, path, format="parquet", compression="zstd", row_group_size=ROWS_PER_GROUP)


def _write_parts(table: Table, folder: Path) -> None:
    """Files of so many rows, one after the other, in the order of the table: the same rows are the same bytes."""
    schema = table.schema().to_pyarrow()
    folder.mkdir()
    groups = enumerate(_of_equal_size(table, schema))
    for number, part in groupby(groups, lambda numbered: numbered[0] // GROUPS_PER_PART):
        file = folder / f"part-{number:05d}.parquet"
        with pq.ParquetWriter(file, schema, compression="zstd", store_schema=False) as writer:
            for _, group in part:
                writer.write_table(group)


def _of_equal_size(table: Table, schema: pa.Schema) -> Iterator[pa.Table]:
    """The rows of a table in groups, however the engine hands them over; one without rows where there are none."""
    held = schema.empty_table()
    for batch in batches(table, ROWS_PER_GROUP):
        held = pa.concat_tables([held, pa.Table.from_batches([batch]).cast(schema)])
        while held.num_rows > ROWS_PER_GROUP:
            yield held.slice(0, ROWS_PER_GROUP)
            held = held.slice(ROWS_PER_GROUP)
    yield held


def check_schema(schema: pa.Schema, path: Path) -> None:
    """Names and types that a table may have."""
    check_names(schema.names, path)
    for field in schema:
        kind = field.type.storage_type if isinstance(field.type, pa.JsonType) else field.type
        if isinstance(kind, pa.UuidType):
            continue
        for problem, tests in REFUSED.items():
            if isinstance(kind, pa.BaseExtensionType) or any(test(kind) for test in tests):
                raise InputError(f"holds {problem}", file=path, column=told(schema.names, field.name))


def _check_cells(path: Path, parts: list[Path], options: ReadOptions, table: Table) -> None:
    """The size that the texts stand for, added up where they stay in their dictionaries; then every page decoded."""
    texts = [name for name, kind in table.schema().items() if kind.is_string()]
    longest = 0
    if texts:
        on_disk = sum(part.stat().st_size for part in parts)
        longest = _check_texts(path, options, table, texts, on_disk)
    rows = max(1, min(BATCH, BATCH_BYTES // max(longest, 1)))
    for part in parts:
        # pyarrow would keep what it reads ahead until the file is closed: as much memory as the whole file takes
        with pq.ParquetFile(part, page_checksum_verification=True, pre_buffer=False) as file:
            for batch in file.iter_batches(rows):
                batch.validate(full=True)


def _check_texts(path: Path, options: ReadOptions, table: Table, texts: list[str], on_disk: int) -> int:
    """DuckDB reads a dictionary without copying its words for every row; returns the bytes of the longest cell."""
    measures = [f"{total}(strlen({named(name)}))::DOUBLE" for name in texts for total in ("sum", "max")]
    found = [value or 0.0 for value in figures(table, measures)]
    options.sizes.check_bytes(int(sum(found[::2])), on_disk, path)
    for name, longest in zip(texts, found[1::2], strict=True):
        if longest > MAX_FIELD:
            raise InputError(
                f"holds a cell over {MAX_FIELD // 1_000_000} MB; shorten it",
                file=path,
                column=told(table.columns, name),
            )
    return int(max(found[1::2]))


@ibis.udf.scalar.builtin  # type: ignore[untyped-decorator]
def to_json(value) -> str:  # type: ignore[no-untyped-def, empty-body]
    """DuckDB's own."""


def _flat(table: Table) -> Table:
    """The fields of structures as columns of their own, lists and maps as JSON."""
    return table.select([flat for name in table.columns for flat in _cells(name, table[name])])


def _cells(name: str, cells: Value) -> Iterator[Value]:
    if isinstance(cells, StructValue):
        for inner in cells.names:
            yield from _cells(f"{name}.{inner}", cells[inner])
    elif cells.type().is_nested():
        yield to_json(cells).name(name)
    else:
        yield cells.name(name)


def _fields(name: str, kind: pa.DataType) -> Iterator[pa.Field]:
    """The same columns in the words of Arrow."""
    if pa.types.is_struct(kind):
        for inner in kind:
            yield from _fields(f"{name}.{inner.name}", inner.type)
    else:
        yield pa.field(name, _binary_leaf(kind) or pa.string() if pa.types.is_nested(kind) else kind)


def _binary_leaf(kind: pa.DataType) -> pa.DataType | None:
    """The type of binary data inside of lists and maps, which is refused there as well."""
    if not pa.types.is_nested(kind):
        return kind if pa.types.is_binary(kind) or pa.types.is_fixed_size_binary(kind) else None
    leaves = (_binary_leaf(kind.field(number).type) for number in range(kind.num_fields))
    return next((leaf for leaf in leaves if leaf is not None), None)


def _plain(table: Table, schema: pa.Schema) -> Table:
    """Types that every step knows: a time of day, a UUID, JSON and a column without any value become text.

    Ibis has no word for a moment in nanoseconds with a time zone: such moments are kept to the microsecond.
    """
    odd = {field.name: "string" for field in schema if _becomes_text(field.type)}
    odd |= {field.name: "timestamp('UTC', 6)" for field in schema if _is_zoned_ns(field.type)}
    return table.mutate(**{name: table[name].cast(kind) for name, kind in odd.items()}) if odd else table


def _is_zoned_ns(kind: pa.DataType) -> bool:
    return pa.types.is_timestamp(kind) and kind.unit == "ns" and kind.tz is not None


def _becomes_text(kind: pa.DataType) -> bool:
    return pa.types.is_null(kind) or pa.types.is_time(kind) or isinstance(kind, pa.UuidType | pa.JsonType)
