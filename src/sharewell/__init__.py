"""Sharewell: share student data well.

Each kind of data is a module of its own, imported when it is first used: `sharewell.records`, `sharewell.traces`,
`sharewell.responses`, `sharewell.posts`, `sharewell.keystrokes`.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from sharewell.contract import Change, Curve, Measure, Protected, Results, Risk, Utility

if TYPE_CHECKING:
    from sharewell import keystrokes, posts, records, responses, traces

__version__ = "0.2.0"
__all__ = [
    "Change",
    "Curve",
    "Measure",
    "Protected",
    "Results",
    "Risk",
    "Utility",
    "keystrokes",
    "posts",
    "records",
    "responses",
    "traces",
]


def __getattr__(name: str) -> Any:
    kinds: Any = import_module("sharewell.kinds")  # `from sharewell import kinds` would ask here again
    if name in kinds.packages():
        return import_module(kinds.packages()[name])
    raise AttributeError(f"module 'sharewell' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
