"""Readers and writers: a path comes in, an Ibis table goes out, and a table leaves in the format it came in.

A format is one module of this folder with two functions, `read(path, options) -> Table` and
`write(table, path)`, listed by name in `FORMATS`. Text formats also come compressed (`csv.gz`, `jsonl.zst`);
their modules have a third function, `style(path, options)`: what the writer must know of the file read. A module that
makes columns of its own names them in `plan.formats.DERIVED`, each with where it comes from.
"""

import os
import stat
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sharewell.data import system
from sharewell.errors import DiskError, InputError
from sharewell.plan.formats import FORMATS
from sharewell.plan.sizes import Sizes

if TYPE_CHECKING:
    from ibis.expr.types import Table

SUFFIXES = {
    ".csv": "csv",
    ".tsv": "tsv",
    ".tab": "tsv",
    ".json": "json",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
}
SUFFIXES |= {".parquet": "parquet", ".pq": "parquet", ".xlsx": "xlsx", ".duckdb": "duckdb"}
SUFFIXES |= {".sqlite": "sqlite", ".sqlite3": "sqlite", ".db": "sqlite"}
COMPRESSIONS = {".gz": "gzip", ".zst": "zstd", ".bz2": "bz2", ".xz": "xz", ".zip": "zip"}
DELIMITED = ("csv", "tsv", "blackboard", "canvas_gradebook", "datashop", "moodle", "moodle_quiz", "oulad")
TEXT = (*DELIMITED, "json", "jsonl", "caliper", "canvas", "edx", "edx_forum", "xapi")  # what may come compressed
STYLED = (*TEXT, "duckdb", "parquet", "sqlite", "xlsx")  # what the writer must know more of than the format
PLAIN = ("csv", "tsv", "json", "jsonl", "parquet", "xlsx", "sqlite", "duckdb")
KNOWN = f"{', '.join(PLAIN)}, or that of a learning system (the plan reference lists them)"
FOLDERS = ("ednet", "essays")  # what comes as a folder of files
LEFT_AS: Mapping[str, str] = {  # what the writer of an import format leaves, where that is a plain table
    **dict.fromkeys(("blackboard", "canvas_gradebook", "moodle", "moodle_quiz", "progsnap2", "snapshots"), "csv"),
    "datashop": "tsv",
}


@dataclass(frozen=True, kw_only=True)
class ReadOptions:
    """What is known of a file before it is read; None where the reader is to find out."""

    format: str
    compression: str | None = None  # "gzip", "zstd"
    encoding: str | None = None
    delimiter: str | None = None
    missing: tuple[str, ...] = ("",)
    table: str | None = None  # of a database, or the sheet of a workbook
    texts: tuple[str, ...] = ()  # columns that stay text in formats that have numbers: ids
    sizes: Sizes = field(default_factory=Sizes)
    released: bool = False  # written by us: columns that the import needs may have been dropped


@dataclass(frozen=True, kw_only=True)
class Source:
    """A table that was read, with what is needed to write one like it."""

    table: "Table"
    format: str
    path: Path
    style: Mapping[str, Any] = field(default_factory=dict)  # for the writer: delimiter, compression, array
    dates: Mapping[str, Any] = field(default_factory=dict)  # how columns of times were written (see `dated`)


def read(
    path: str | Path,
    *,
    format: str | None = None,
    encoding: str | None = None,
    delimiter: str | None = None,
    missing: tuple[str, ...] = ("",),
    table: str | None = None,
    texts: tuple[str, ...] = (),
    sizes: Sizes | None = None,
) -> Source:
    """The table in a file, every row of it checked; anything wrong with the file is an InputError.

    A folder of Parquet files, or a Delta table, is one table.
    """
    from sharewell.data.formats.parts import is_in_parts

    path = Path(path)
    if format in (None, "parquet") and is_in_parts(path):
        format = "parquet"
    elif format not in FOLDERS:
        check_readable(path)
    name, compression = resolve(path, format)
    options = ReadOptions(
        format=name,
        compression=compression,
        encoding=encoding,
        delimiter=delimiter,
        missing=tuple(missing),
        table=table,
        texts=tuple(texts),
        sizes=sizes or Sizes(),
    )
    return _read(path, options)


def _read(path: Path, options: ReadOptions) -> Source:
    module = import_module(FORMATS[options.format])
    style = module.style(path, options) if options.format in STYLED else {}
    options = replace(options, delimiter=style.get("delimiter"))
    try:
        table = module.read(path, options)
    except UnicodeEncodeError:  # JSON can write half of a pair, which no text may hold
        raise InputError("holds half of a character (\\ud800 to \\udfff); export the file again", file=path) from None
    return Source(table=table, format=full_name(options), path=path, style=style)


def read_released(folder: Path, name: str, format: str) -> "Table":
    """The table in a file of a release, as our writer left it: nothing that only an import needs is asked of it.

    A problem names the file inside the release: a release that is not finished lies in a folder that nobody knows.
    """
    try:
        kind, compression = resolve(folder / name, left_as(format))
        if kind != "parquet" and kind not in FOLDERS:
            check_readable(folder / name)
        return _read(folder / name, ReadOptions(format=kind, compression=compression, released=True)).table
    except InputError as error:
        raise InputError(error.problem, file=name, column=error.column, row=error.row) from None


def left_as(format: str) -> str:
    """The format of what `write` makes of a file of this format; compression stays."""
    name, dot, compression = format.partition(".")
    return f"{LEFT_AS.get(name, name)}{dot}{compression}"


def left_name(name: str, format: str | None) -> str:
    """What a file is called once it is written: by what it then is, where that is another kind of file."""
    kind = SUFFIXES.get(Path(name).suffix.lower())
    if format is None or LEFT_AS.get(format) != "csv" or kind in (None, "csv", "tsv"):
        return name
    return f"{Path(name).stem}.csv"


def meant(format: str | None, columns: Sequence[str]) -> Mapping[str, str]:
    """Translate column names into English, for formats that exist in several languages."""
    if format is None or format.partition(".")[0] not in FORMATS:
        return {}
    in_english = getattr(import_module(FORMATS[format.partition(".")[0]]), "meant", None)
    return {} if in_english is None else dict(in_english(columns))


def write(table: "Table", path: str | Path, like: Source | str) -> None:
    """Write a table as `like` was read, or in the format that `like` names; same rows, same bytes."""
    import duckdb

    from sharewell.data import backends
    from sharewell.data.formats import dated, packing

    path, table = Path(path), backends.here(table)
    if isinstance(like, Source):
        table = dated.written(table, like.dates)
        name, style = like.format.split(".")[0], like.style
    else:
        name, compression = resolve(path, like)
        style = _default_style(name, compression)
    try:
        packing.write(import_module(FORMATS[name]).write, table, path, style)
    except (OSError, duckdb.IOException):
        raise DiskError(
            f"{path.name}: cannot be written; check that the folder is there, that you may write to it, and that "
            "the disk is not full"
        ) from None


def check_readable(path: Path) -> None:
    """A file of this machine with something in it."""
    if check_regular(path) == 0:
        raise InputError("is empty; expected a header and at least one row", file=path)


def check_regular(path: Path) -> int:
    """The size of a file: no folder, and no pipe or device, which might never end."""
    try:
        handle = os.open(path, os.O_RDONLY | system.NONBLOCK)  # a pipe would be waited for
    except FileNotFoundError:
        raise InputError("there is no such file; check the name and the folder", file=path) from None
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else "no name of a file"
        raise InputError(f"cannot be opened ({reason}); check its name and who may read it", file=path) from None
    try:
        found = os.fstat(handle)
    finally:
        os.close(handle)
    if stat.S_ISDIR(found.st_mode):
        raise InputError("expected a file and found a folder; name one of the files in it", file=path)
    if not stat.S_ISREG(found.st_mode):
        raise InputError("is a pipe or a device; expected a file that stays as it is: copy it to one", file=path)
    return found.st_size


def resolve(path: Path, format: str | None) -> tuple[str, str | None]:
    """The format's name and the compression: as the plan names them, else by the file's name."""
    if format is not None:
        return _named(path, format)
    suffixes = [suffix.lower() for suffix in path.suffixes]
    compression = COMPRESSIONS.get(suffixes[-1]) if suffixes else None
    ending = suffixes[-2:-1] if compression else suffixes[-1:]
    name = SUFFIXES.get(ending[0]) if ending else None
    if name is None or (compression and name not in TEXT):
        raise InputError(f'the name does not tell the format; write format = "…" in the plan: {KNOWN}', file=path)
    return name, compression


def full_name(options: ReadOptions) -> str:
    endings = {compression: suffix for suffix, compression in COMPRESSIONS.items()}
    return options.format + endings.get(options.compression or "", "")


def _named(path: Path, format: str) -> tuple[str, str | None]:
    name, _, ending = format.partition(".")
    compression = COMPRESSIONS.get(f".{ending}") if ending else COMPRESSIONS.get(path.suffix.lower())
    if name not in FORMATS or (ending and compression is None):
        raise InputError(f"format '{format}' is not known; use {KNOWN}", file=path)
    return name, compression if name in TEXT else None


def _default_style(name: str, compression: str | None) -> dict[str, Any]:
    particular: dict[str, dict[str, Any]] = {"tsv": {"delimiter": "\t"}, "json": {"array": True}}
    return {"compression": compression, **particular.get(name, {})} if name in TEXT else {}
