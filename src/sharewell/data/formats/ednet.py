"""EdNet: a folder with one CSV file per user, whose name is the user; times are milliseconds since 1970."""

import csv
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path
from typing import IO, Any

import duckdb
from ibis.expr.types import Table

from sharewell.data.backends import connection, literal
from sharewell.data.formats import ReadOptions, check_regular
from sharewell.data.formats.formulas import without_formulas
from sharewell.data.formats.names import check_names
from sharewell.data.formats.nested import Record, rows
from sharewell.errors import InputError

USER, TIME = "user", "timestamp"


def read(path: Path, options: ReadOptions) -> Table:
    files = sorted(path.glob("*.csv")) if path.is_dir() else []
    if not files:
        raise InputError("expected a folder with one CSV file per user", file=path)
    on_disk = sum(check_regular(file) for file in files)
    options.sizes.check_bytes(on_disk, on_disk, path)
    try:
        table = connection().read_csv(
            f"{literal(path)}/*.csv",
            all_varchar=True,
            header=True,
            delim=options.delimiter or ",",
            quote='"',
            union_by_name=True,
            filename=True,
            nullstr=list(options.missing),
        )
        rows = int(connection().to_pyarrow(table.count()).as_py())
    except duckdb.Error:  # its message quotes the data
        raise InputError("a file in it is no CSV table with a header; export it again", file=path) from None
    options.sizes.check_rows(rows, path)
    check_names([name for name in table.columns if name != "filename"], path)
    if (TIME not in table.columns and not options.released) or USER in table.columns:
        raise InputError(f"every file needs a column '{TIME}' and none may have '{USER}'", file=path)
    user = table.filename.re_extract(r"([^/\\]+)\.csv$", 1)
    return table.mutate(**{USER: user}).drop("filename").relocate(USER)


def write(table: Table, path: Path) -> None:
    """One file per user again, in the order of their pseudonyms."""
    path.mkdir(parents=True)
    columns = [name for name in table.columns if name != USER]
    if TIME in table.columns and table[TIME].type().is_timestamp():
        table = table.mutate(**{TIME: table[TIME].epoch_seconds().cast("int64") * 1000})
    ordered = rows(without_formulas(table).order_by([name for name in (USER, TIME) if name in table.columns]))
    for user, events in groupby(ordered, key=lambda row: row[USER]):
        with (path / f"{user}.csv").open("w", newline="", encoding="utf-8") as file:
            _write_user(file, columns, events)


def _write_user(file: IO[str], columns: list[str], events: Iterator[Record]) -> None:
    writer: Any = csv.DictWriter(file, columns, restval="", extrasaction="ignore")
    writer.writeheader()
    writer.writerows(events)
