"""DataShop transaction export: tab-separated, unquoted, one row per transaction.

A step with several skills repeats its columns ("KC (Default)", "KC Category (Default)"): repeated names get a number,
so that every column can have a role. Outcomes are CORRECT, INCORRECT or HINT; the student is "Anon Student Id".
"""

import io
from collections import Counter
from pathlib import Path

import pyarrow as pa
from ibis.expr.types import Table

from sharewell.data.backends import connection, literal
from sharewell.data.formats import ReadOptions
from sharewell.data.formats.delimited import NEVER
from sharewell.data.formats.delimited import write as write_delimited
from sharewell.data.formats.names import check_names
from sharewell.data.formats.text import as_utf8
from sharewell.errors import InputError

NEEDED = ("Anon Student Id", "Outcome")


def style(path: Path, options: ReadOptions) -> dict[str, str | None]:
    return {"compression": options.compression}


def read(path: Path, options: ReadOptions) -> Table:
    """Every cell as text, as in other text files; every row must have as many cells as the header."""
    plain, compression = as_utf8(path, options)
    names = _checked(path, plain, compression, options)
    return connection().read_csv(
        literal(plain),
        columns=dict.fromkeys(names, "VARCHAR"),
        header=False,
        skip=1,
        auto_detect=False,
        delim="\t",
        quote="",
        escape="",
        nullstr=list(options.missing) or [NEVER],
        strict_mode=True,
        compression=compression or "none",
    )


def write(table: Table, path: Path, compression: str | None = None) -> None:
    write_delimited(table, path, delimiter="\t", compression=compression)


def column_names(header: str) -> list[str]:
    """The names of the header; the second of a kind becomes "name 2"."""
    seen: Counter[str] = Counter()
    names = []
    for name in header.rstrip("\r\n").split("\t"):
        seen[name] += 1
        names.append(name if seen[name] == 1 else f"{name} {seen[name]}")
    return names


def _checked(path: Path, plain: Path, compression: str | None, options: ReadOptions) -> list[str]:
    """The names of the columns, once every line is seen to have as many cells."""
    with pa.input_stream(str(plain), compression=compression) as stream:
        lines = io.BufferedReader(stream)
        names = column_names(next(lines).decode("utf-8-sig"))
        options.sizes.check_columns(len(names), path)
        check_names(names, path)
        absent = [name for name in NEEDED if name not in names]
        if absent:
            raise InputError(f"no DataShop transaction export: the column {absent[0]} is missing", file=path)
        if any("\r" in name for name in names):
            raise InputError("the header holds a carriage return; export the file again", file=path)
        for row, line in enumerate(lines, start=1):
            if b"\r" in line.removesuffix(b"\n").removesuffix(b"\r"):
                raise InputError("holds a carriage return inside a cell; take it out", file=path, row=row)
            cells = line.count(b"\t") + 1
            if cells != len(names):
                problem = f"expected {len(names)} cells and found {cells}; correct the line"
                raise InputError(problem, file=path, row=row)
    return names
