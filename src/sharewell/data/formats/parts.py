"""Tables in parts: a folder of Parquet files as Spark and warehouses write them, or a Delta table.

The log of a Delta table says which files count (Delta transaction log protocol, https://github.com/delta-io/delta,
PROTOCOL.md): it is replayed here, so that nothing has to be installed. What a reader would need beyond the files
(deletion vectors, renamed columns, partitions) is refused in a sentence rather than read wrongly.
"""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pyarrow as pa
import pyarrow.parquet as pq

from sharewell.data.formats.names import told
from sharewell.errors import InputError

LOG = "_delta_log"
HARMLESS = {"timestampNtz", "vacuumProtocolCheck"}  # features of a Delta table that leave its files as they are
COMMIT = re.compile(r"([0-9]{20})\.json")
CHECKPOINT = re.compile(r"([0-9]{20})\.checkpoint(?:\.([0-9]{10})\.([0-9]{10}))?\.parquet")


def is_in_parts(path: Path) -> bool:
    """Whether a folder holds one table: Parquet files, or a Delta table."""
    try:
        there = path.is_dir()
    except OSError:  # a name that no system takes; whoever opens it says so
        return False
    return there and ((path / LOG).is_dir() or any(path.glob("*.parquet")) or any(path.glob("*=*")))


def files(path: Path) -> list[Path]:
    """The files of a table, in their order: the file itself, or the parts of a folder that count."""
    if not path.is_dir():
        return [path]
    found = _of_delta(path) if (path / LOG).is_dir() else _of_folder(path)
    if not found:
        raise InputError("has no part with rows; expected a folder of Parquet files", file=path)
    for number, part in enumerate(found, start=1):
        if not part.is_file():
            raise InputError(
                f"part {number} of {len(found)} is missing; copy the whole folder, or export the table again", file=path
            )
    return found


def schema(path: Path, parts: list[Path]) -> tuple[pa.Schema, int]:
    """The columns that all parts have in common, and the number of rows; a part with other columns is refused."""
    first, rows = None, 0
    for number, part in enumerate(parts, start=1):
        which = f"part {number} of {len(parts)}"
        here, more = _footer(path, part, which if path.is_dir() else "")
        first, rows = first or here, rows + more
        if not here.equals(first):
            _check_alike(path, first, here, which)
    assert first is not None
    return first, rows


def _footer(path: Path, part: Path, which: str) -> tuple[pa.Schema, int]:
    try:
        with pq.ParquetFile(part, page_checksum_verification=True) as file:
            columns = [pa.field(field.name, _stored(field.type)) for field in file.schema_arrow]
            return pa.schema(columns), file.metadata.num_rows
    except (OSError, pa.ArrowException):
        problem = f"{which} is not a complete Parquet file".strip()
        raise InputError(f"{problem}; export it again", file=path) from None


def _stored(kind: pa.DataType) -> pa.DataType:
    """The type as it is in the file: how a program held texts in memory when it wrote them makes no difference."""
    kind = kind.value_type if pa.types.is_dictionary(kind) else kind
    return pa.string() if pa.types.is_large_string(kind) or pa.types.is_string_view(kind) else kind


def _check_alike(path: Path, first: pa.Schema, here: pa.Schema, which: str) -> None:
    for one, other, lacks in ((first, here, which), (here, first, "the first part")):
        for name in one.names:
            if name not in other.names:
                raise InputError(
                    f"{lacks} has no such column; write all parts with the same columns",
                    file=path,
                    column=told(one.names, name),
                )
    for name in first.names:
        if first.field(name).type != here.field(name).type:
            raise InputError(
                f"is {here.field(name).type} in {which} and {first.field(name).type} in the first; write parts alike",
                file=path,
                column=told(first.names, name),
            )


def _of_folder(folder: Path) -> list[Path]:
    if (folder / "_temporary").exists():
        raise InputError("is still being written (it holds _temporary); wait, or write it again", file=folder)
    if any(part.is_dir() for part in folder.glob("*=*")):
        raise _partitioned(folder)
    return sorted(part for part in folder.glob("*.parquet") if not part.name.startswith(("_", ".")))


def _partitioned(folder: Path) -> InputError:
    return InputError(
        "is partitioned by columns, whose values stand in the names of folders; write the table without partitions",
        file=folder,
    )


@dataclass
class _Replayed:
    """A Delta table as far as its log was read."""

    table: Path
    files: dict[str, None] = field(default_factory=dict)

    def take(self, action: dict[str, Any]) -> None:
        if added := action.get("add"):
            self._add(added)
        if removed := action.get("remove"):
            self.files.pop(unquote(removed["path"]), None)
        if protocol := action.get("protocol"):
            self._check_protocol(protocol)
        if about := action.get("metaData"):
            self._check_columns(about)

    def _add(self, added: dict[str, Any]) -> None:
        if added.get("deletionVector"):
            raise self._refused("deletion vectors", "PURGE it")
        name = unquote(added["path"])
        if "://" in name or name.startswith("/") or ".." in name.split("/"):
            raise self._refused("files of another place", "copy it as a whole")
        self.files[name] = None

    def _check_protocol(self, protocol: dict[str, Any]) -> None:
        more = set(protocol.get("readerFeatures") or ()) - HARMLESS
        if protocol["minReaderVersion"] > 3 or more - {"deletionVectors", "columnMapping"}:
            raise self._refused("features of a later version", "write it for readers of version 1")

    def _check_columns(self, about: dict[str, Any]) -> None:
        settings = about.get("configuration") or {}
        settings = dict(settings) if not isinstance(settings, dict) else settings
        if settings.get("delta.columnMapping.mode", "none") != "none":
            raise self._refused("renamed columns", "write it without column mapping")
        if about.get("partitionColumns"):
            raise _partitioned(self.table)

    def _refused(self, what: str, cure: str) -> InputError:
        return InputError(
            f"is a Delta table with {what}, which are not read; {cure}, or export Parquet", file=self.table
        )


def _of_delta(folder: Path) -> list[Path]:
    log, replayed = folder / LOG, _Replayed(folder)
    commits = {int(found[1]): path for path in log.iterdir() if (found := COMMIT.fullmatch(path.name))}
    version, checkpoint = _checkpoint(log)
    try:
        for part in checkpoint:
            for action in pq.read_table(part).to_pylist():
                replayed.take(action)
        for action in _later(folder, commits, version):
            replayed.take(action)
    except (OSError, ValueError, LookupError, TypeError, AttributeError, pa.ArrowException):  # may quote the table
        raise InputError("has a Delta log that cannot be read; export the table again", file=folder) from None
    return [folder / name for name in sorted(replayed.files)]


def _checkpoint(log: Path) -> tuple[int, list[Path]]:
    """The version of the last checkpoint that is there whole, and its files; version -1 if there is none."""
    found: dict[int, list[tuple[int, Path]]] = {}
    for path in log.iterdir():
        if match := CHECKPOINT.fullmatch(path.name):
            found.setdefault(int(match[1]), []).append((int(match[3] or 1), path))
    whole = {version: parts for version, parts in found.items() if len(parts) >= parts[0][0]}
    last = max(whole, default=-1)
    return last, sorted(path for _, path in whole.get(last, []))


def _later(folder: Path, commits: dict[int, Path], version: int) -> Iterator[dict[str, Any]]:
    """What was done to the table since a version, one after the other."""
    for number in range(version + 1, max(commits, default=version) + 1):
        if number not in commits:
            raise InputError("has a Delta log in which a version is missing; copy the whole folder", file=folder)
        with commits[number].open(encoding="utf-8") as lines:
            yield from (json.loads(line) for line in lines if line.strip())
