"""DataShop transaction export: tab-separated, unquoted, one row per transaction.

A step with several skills repeats its columns ("KC (Default)", "KC Category (Default)"): repeated names get a number, so
that every column can have a role. Outcomes are CORRECT, INCORRECT or HINT; the student is "Anon Student Id".
"""

from collections import Counter
from dataclasses import replace
from pathlib import Path

from ibis.expr.types import Table

from sharewell.engine import connection
from sharewell.errors import InputError
from sharewell.formats import ReadOptions
from sharewell.formats.delimited import NEVER, header_line
from sharewell.formats.delimited import write as write_delimited

NEEDED = ("Anon Student Id", "Outcome")


def read(path: Path, options: ReadOptions) -> Table:
    """Every cell as text, as in other text files."""
    names = column_names(header_line(path, replace(options, delimiter="\t")))
    absent = [name for name in NEEDED if name not in names]
    if absent:
        raise InputError(f"no DataShop transaction export: the column {absent[0]} is missing", file=path)
    return connection().read_csv(
        str(path),
        columns=dict.fromkeys(names, "VARCHAR"),
        header=False,
        skip=1,
        auto_detect=False,
        delim="\t",
        quote="",
        escape="",
        nullstr=list(options.missing) or [NEVER],
        strict_mode=True,
        compression=options.compression or "none",
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
