"""Files as bytes: their digest, and JSON that is the same bytes for the same content."""

import hashlib
import json
import math
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa


def file_digest(path: Path) -> str:
    """The sha256 of a file, in hexadecimal; of a folder that of its files and their names."""
    if path.is_dir():
        return digest_of(*((file.relative_to(path).as_posix(), file_digest(file)) for file in _files(path)))
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def size_on_disk(path: Path) -> int:
    """The bytes of a file; of a folder those of its files, since what a folder itself takes differs between disks."""
    return sum(file.stat().st_size for file in (_files(path) if path.is_dir() else [path]))


def _files(folder: Path) -> list[Path]:
    return [file for file in sorted(folder.rglob("*")) if file.is_file()]


def digest_of(*parts: Any) -> str:
    """The sha256 of arrays, columns and plain values: equal only if all of them are."""
    sum_ = hashlib.sha256()
    for part in parts:
        for chunk in _chunks(part):
            sum_.update(hashlib.sha256(chunk).digest())
    return sum_.hexdigest()


def _chunks(part: Any) -> Iterator[bytes]:
    if isinstance(part, np.ndarray):
        yield f"{part.dtype} {part.shape}".encode()
        yield np.ascontiguousarray(part).tobytes()
    elif isinstance(part, pa.Array | pa.ChunkedArray | pa.Table):
        yield repr(part.to_pylist()).encode()
    else:
        yield repr(part).encode()


def to_json(content: Mapping[str, Any]) -> bytes:
    """Stable bytes: sorted keys, no NaN (which is not JSON)."""
    text = json.dumps(_plain(content), indent=1, sort_keys=True, ensure_ascii=False, allow_nan=False)
    return text.encode() + b"\n"


def _plain(value: Any) -> Any:
    """Numbers of numpy, tuples and missing numbers as JSON knows them."""
    if isinstance(value, Mapping):
        return {str(key): _plain(part) for key, part in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [_plain(part) for part in value]
    if hasattr(value, "item"):
        value = value.item()
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if value is None or isinstance(value, str | int | float | bool):
        return value
    return str(value)
