"""Files as bytes: their digest, and JSON that is the same bytes for the same content."""

import hashlib
import json
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any


def file_digest(path: Path) -> str:
    """The sha256 of a file, in hexadecimal."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


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
