"""Answers as bytes and back: what a kind said of a file, so that a second try need not ask again.

Only what the contract knows is written, tag by tag; nothing here can run code when it is read, unlike a pickle.
"""

import base64
import json
import math
from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass
from typing import Any

import pyarrow as pa

from sharewell.contract import Change, Count, Curve, CurvePoint, Measure, Risk, Utility

TAG = "@"
CLASSES: Mapping[str, type] = {kind.__name__: kind for kind in (Change, Curve, CurvePoint, Measure, Risk, Utility)}


class Unwritable(Exception):
    """Something of a kind's own: the answers are not kept, and asked for again next time."""


def to_bytes(answers: Mapping[str, Any]) -> bytes:
    return json.dumps(_plain(answers), ensure_ascii=False, sort_keys=True, allow_nan=False).encode()


def from_bytes(content: bytes) -> Any:
    return _back(json.loads(content))


def _plain(value: Any) -> Any:
    if isinstance(value, Count):
        return {TAG: "count", "of": int(value)}
    if value is None or isinstance(value, bool | str | int):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else {TAG: "float", "of": repr(float(value))}
    if is_dataclass(value) and CLASSES.get(type(value).__name__) is type(value):
        return {
            TAG: type(value).__name__,
            "of": {item.name: _plain(getattr(value, item.name)) for item in fields(value)},
        }
    return _collection(value)


def _collection(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {TAG: "mapping", "of": [[_plain(key), _plain(part)] for key, part in value.items()]}
    if isinstance(value, tuple):
        return {TAG: "tuple", "of": [_plain(part) for part in value]}
    if isinstance(value, list):
        return [_plain(part) for part in value]
    if isinstance(value, pa.Table):
        return {TAG: "table", "of": base64.b64encode(_arrow_bytes(value)).decode()}
    if hasattr(value, "item") and getattr(value, "ndim", 0) == 0:  # a number of numpy
        return _plain(value.item())
    raise Unwritable(type(value).__name__)


def _back(value: Any) -> Any:
    if isinstance(value, list):
        return [_back(part) for part in value]
    if not isinstance(value, dict):
        return value
    return _KINDS.get(value[TAG], _dataclass)(value)


def _dataclass(value: Mapping[str, Any]) -> Any:
    return CLASSES[value[TAG]](**{name: _back(part) for name, part in value["of"].items()})


def _arrow_bytes(table: pa.Table) -> bytes:
    """Compressed: a list of a million students is in memory several times on its way into the file."""
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema, options=pa.ipc.IpcWriteOptions(compression="zstd")) as writer:
        writer.write_table(table)
    content: bytes = sink.getvalue().to_pybytes()
    return content


_KINDS: Mapping[str, Callable[[Mapping[str, Any]], Any]] = {
    "count": lambda value: Count(value["of"]),
    "float": lambda value: float(value["of"]),
    "tuple": lambda value: tuple(_back(part) for part in value["of"]),
    "mapping": lambda value: {_back(key): _back(part) for key, part in value["of"]},
    "table": lambda value: pa.ipc.open_stream(base64.b64decode(value["of"])).read_all(),
}
