"""Readers and writers: a path comes in, an Ibis table goes out, and a table leaves in the format it came in.

A format is one module of this folder with two functions, `read(path, options) -> Table` and
`write(table, path)`, listed by name in `FORMATS`. Text formats also come compressed (`csv.gz`, `jsonl.zst`);
their modules have a third function, `style(path, options)`: what the writer must know of the file read.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sharewell.errors import DiskError, InputError

if TYPE_CHECKING:
    from ibis.expr.types import Table

FORMATS: Mapping[str, str] = {
    "csv": "sharewell.data.formats.delimited",
    "datashop": "sharewell.data.formats.datashop",
    "essays": "sharewell.data.formats.essays",
    "ednet": "sharewell.data.formats.ednet",
    "edx": "sharewell.data.formats.edx",
    "moodle": "sharewell.data.formats.moodle",
    "oulad": "sharewell.data.formats.oulad",
    "xapi": "sharewell.data.formats.xapi",
    "tsv": "sharewell.data.formats.delimited",
    "json": "sharewell.data.formats.json_lines",
    "jsonl": "sharewell.data.formats.json_lines",
    "moodle_forum": "sharewell.data.formats.moodle_forum",
    "parquet": "sharewell.data.formats.parquet",
    "progsnap2": "sharewell.data.formats.progsnap2",
    "snapshots": "sharewell.data.formats.snapshots",
}
SUFFIXES = {
    ".csv": "csv",
    ".tsv": "tsv",
    ".tab": "tsv",
    ".json": "json",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
}
SUFFIXES |= {".parquet": "parquet", ".pq": "parquet"}
COMPRESSIONS = {".gz": "gzip", ".zst": "zstd"}
TEXT = ("csv", "tsv", "datashop", "json", "jsonl", "edx", "moodle", "oulad", "xapi")  # what may come compressed
FOLDERS = ("ednet", "essays")  # what comes as a folder of files


@dataclass(frozen=True, kw_only=True)
class ReadOptions:
    """What is known of a file before it is read; None where the reader is to find out."""

    format: str
    compression: str | None = None  # "gzip", "zstd"
    encoding: str | None = None
    delimiter: str | None = None
    missing: tuple[str, ...] = ("",)


@dataclass(frozen=True, kw_only=True)
class Source:
    """A table that was read, with what is needed to write one like it."""

    table: "Table"
    format: str
    path: Path
    style: Mapping[str, Any] = field(default_factory=dict)  # for the writer: delimiter, compression, array


def read(
    path: str | Path,
    *,
    format: str | None = None,
    encoding: str | None = None,
    delimiter: str | None = None,
    missing: tuple[str, ...] = ("",),
) -> Source:
    """The table in a file, every row of it checked; anything wrong with the file is an InputError."""
    path = Path(path)
    if format not in FOLDERS:
        check_readable(path)
    name, compression = resolve(path, format)
    options = ReadOptions(
        format=name, compression=compression, encoding=encoding, delimiter=delimiter, missing=tuple(missing)
    )
    module = import_module(FORMATS[name])
    style = module.style(path, options) if name in TEXT else {}
    options = replace(options, delimiter=style.get("delimiter"))
    return Source(table=module.read(path, options), format=full_name(options), path=path, style=style)


def write(table: "Table", path: str | Path, like: Source | str) -> None:
    """Write a table as `like` was read, or in the format that `like` names; same rows, same bytes."""
    import duckdb

    path = Path(path)
    if isinstance(like, Source):
        name, style = like.format.split(".")[0], like.style
    else:
        name, compression = resolve(path, like)
        style = _default_style(name, compression)
    try:
        import_module(FORMATS[name]).write(table, path, **style)
    except (OSError, duckdb.IOException):
        raise DiskError(
            f"{path}: cannot be written; check that the folder is there, that you may write to it, and that "
            "the disk is not full"
        ) from None


def check_readable(path: Path) -> None:
    if path.is_dir():
        raise InputError("expected a file and found a folder; name one of the files in it", file=path)
    if not path.exists():
        raise InputError("there is no such file; check the name and the folder", file=path)
    try:
        with path.open("rb") as file:
            empty = not file.read(1)
    except OSError as error:
        raise InputError(f"cannot be opened ({error.strerror}); check who may read it", file=path) from None
    if empty:
        raise InputError("is empty; expected a header and at least one row", file=path)


def resolve(path: Path, format: str | None) -> tuple[str, str | None]:
    """The format's name and the compression: as the plan names them, else by the file's name."""
    if format is not None:
        return _named(path, format)
    suffixes = [suffix.lower() for suffix in path.suffixes]
    compression = COMPRESSIONS.get(suffixes[-1]) if suffixes else None
    ending = suffixes[-2:-1] if compression else suffixes[-1:]
    name = SUFFIXES.get(ending[0]) if ending else None
    if name is None or (compression and name not in TEXT):
        known = ", ".join(sorted({*FORMATS}))
        raise InputError(
            f'the name does not tell the format; write format = "…" in the plan, one of {known}',
            file=path,
        )
    return name, compression


def full_name(options: ReadOptions) -> str:
    endings = {compression: suffix for suffix, compression in COMPRESSIONS.items()}
    return options.format + endings.get(options.compression or "", "")


def _named(path: Path, format: str) -> tuple[str, str | None]:
    name, _, ending = format.partition(".")
    compression = COMPRESSIONS.get(f".{ending}") if ending else COMPRESSIONS.get(path.suffix.lower())
    if name not in FORMATS or (ending and compression is None):
        known = ", ".join(sorted({*FORMATS}))
        raise InputError(f"format '{format}' is not known; use one of {known}, with .gz or .zst if packed", file=path)
    return name, compression if name in TEXT else None


def _default_style(name: str, compression: str | None) -> dict[str, Any]:
    particular: dict[str, dict[str, Any]] = {"tsv": {"delimiter": "\t"}, "json": {"array": True}}
    return {"compression": compression, **particular.get(name, {})} if name in TEXT else {}
