"""EdNet: a folder with one CSV file per user, whose name is the user; times are milliseconds since 1970."""

import csv
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path
from typing import IO, Any

from ibis.expr.types import Table

from sharewell.data.engine import connection
from sharewell.data.formats import ReadOptions
from sharewell.data.formats.delimited import without_formulas
from sharewell.data.formats.nested import Record, rows
from sharewell.errors import InputError

USER, TIME = "user", "timestamp"


def read(path: Path, options: ReadOptions) -> Table:
    files = next(path.glob("*.csv"), None) if path.is_dir() else None
    if files is None:
        raise InputError("expected a folder with one CSV file per user", file=path)
    table = connection().read_csv(
        f"{path}/*.csv",
        all_varchar=True,
        header=True,
        delim=options.delimiter or ",",
        quote='"',
        union_by_name=True,
        filename=True,
        nullstr=list(options.missing),
    )
    if TIME not in table.columns or USER in table.columns:
        raise InputError(f"every file needs a column '{TIME}' and none may have '{USER}'", file=path)
    user = table.filename.re_extract(r"([^/\\]+)\.csv$", 1)
    return table.mutate(**{USER: user}).drop("filename").relocate(USER)


def write(table: Table, path: Path) -> None:
    """One file per user again, in the order of their pseudonyms."""
    path.mkdir(parents=True)
    columns = [name for name in table.columns if name != USER]
    if table[TIME].type().is_timestamp():
        table = table.mutate(**{TIME: table[TIME].epoch_seconds().cast("int64") * 1000})
    ordered = rows(without_formulas(table).order_by([USER, TIME]))
    for user, events in groupby(ordered, key=lambda row: row[USER]):
        with (path / f"{user}.csv").open("w", newline="", encoding="utf-8") as file:
            _write_user(file, columns, events)


def _write_user(file: IO[str], columns: list[str], events: Iterator[Record]) -> None:
    writer: Any = csv.DictWriter(file, columns, restval="", extrasaction="ignore")
    writer.writeheader()
    writer.writerows(events)
