"""Packed files: gzip and zstd as the engine reads them itself, bzip2, xz and zip unpacked beside it.

A zip archive must hold exactly one file; what is written is an archive with one file, dated so that the same table
gives the same bytes.
"""

import bz2
import lzma
import zipfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, cast

import pyarrow as pa

from sharewell.errors import InputError

if TYPE_CHECKING:
    from ibis.expr.types import Table

READ_PACKED = (None, "gzip", "zstd")  # what the engine unpacks by itself
DATED = (1980, 1, 1, 0, 0, 0)  # the first day that zip knows


@contextmanager
def unpacked(path: Path, compression: str | None) -> Iterator[IO[bytes]]:
    """The bytes inside as a stream."""
    if compression == "xz":
        with lzma.LZMAFile(path) as stream:
            yield cast(IO[bytes], stream)
    elif compression == "zip":
        with zipfile.ZipFile(path) as archive, archive.open(_only_file(path, archive)) as inside:
            yield inside
    else:
        with pa.input_stream(str(path), compression=compression) as stream:
            yield stream


def _only_file(path: Path, archive: zipfile.ZipFile) -> str:
    names = [entry.filename for entry in archive.infolist() if not entry.is_dir()]
    names = [name for name in names if not name.startswith("__MACOSX/")]
    if len(names) != 1:
        raise InputError(f"holds {len(names)} files; expected one: unpack it and name the file you mean", file=path)
    if archive.getinfo(names[0]).flag_bits & 1:
        raise InputError("is locked with a password; unpack it first", file=path)
    return names[0]


def write(writer: Callable[..., None], table: "Table", path: Path, style: Mapping[str, Any]) -> None:
    """What a format's own writer makes, packed as it came where the engine cannot pack it."""
    if style.get("compression") in READ_PACKED:
        writer(table, path, **style)
        return
    plain = path.with_name(f".{path.name}.plain")
    try:
        writer(table, plain, **{**style, "compression": None})
        _pack(plain, path, style["compression"])
    finally:
        plain.unlink(missing_ok=True)


def _pack(plain: Path, path: Path, compression: str) -> None:
    with plain.open("rb") as source, _packed(path, compression) as target:
        while piece := source.read(1 << 20):
            target.write(piece)


@contextmanager
def _packed(path: Path, compression: str) -> Iterator[IO[bytes]]:
    if compression == "zip":
        entry = zipfile.ZipInfo(path.name.removesuffix(path.suffix), DATED)
        entry.compress_type = zipfile.ZIP_DEFLATED
        with zipfile.ZipFile(path, "w") as archive, archive.open(entry, "w", force_zip64=True) as inside:
            yield inside
    else:
        packer = {"bz2": bz2.BZ2File, "xz": lzma.LZMAFile}[compression]
        with packer(path, "wb") as stream:
            yield cast(IO[bytes], stream)
