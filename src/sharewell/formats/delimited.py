"""CSV and TSV: every cell stays text, the header is the first row."""

import csv
from pathlib import Path

import pyarrow as pa
from ibis.expr.types import Table

from sharewell.engine import connection
from sharewell.formats import ReadOptions

DELIMITERS = (",", ";", "\t", "|")
NEVER = "\0"  # refused in any file, so no cell is taken for missing when the plan names none


def find_delimiter(path: Path, options: ReadOptions) -> str:
    header = header_line(path, options)
    return max(DELIMITERS, key=header.count)


def header_line(path: Path, options: ReadOptions) -> str:
    with pa.input_stream(str(path), compression=options.compression) as stream:
        return stream.read(1 << 20).decode(options.encoding or "utf-8-sig", errors="replace").splitlines()[0]


def read(path: Path, options: ReadOptions) -> Table:
    names = next(csv.reader([header_line(path, options)], delimiter=options.delimiter or ","))
    return connection().read_csv(
        str(path),
        columns=dict.fromkeys(names, "VARCHAR"),
        header=True,
        auto_detect=False,
        delim=options.delimiter,
        quote='"',
        escape='"',
        nullstr=list(options.missing) or [NEVER],
        allow_quoted_nulls=True,
        strict_mode=True,
        compression=options.compression or "none",
    )


def write(table: Table, path: Path, delimiter: str = ",", compression: str | None = None) -> None:
    connection().to_csv(
        table, str(path), header=True, delimiter=delimiter, quote='"', escape='"', compression=compression or "none"
    )
