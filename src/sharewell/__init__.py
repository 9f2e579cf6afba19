"""Sharewell: share student data well.

Each kind of data is a module of its own, imported when it is first used: `sharewell.records`, `sharewell.traces`,
`sharewell.responses`, `sharewell.posts`, `sharewell.keystrokes`.
"""

from importlib import import_module
from typing import Any

from sharewell.contract import Change, Curve, Protected, Results, Risk, Utility

__version__ = "0.1.0"
__all__ = [
    "Change",
    "Curve",
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

_KINDS = {"records", "traces", "responses", "posts", "keystrokes"}


def __getattr__(name: str) -> Any:
    if name in _KINDS:
        return import_module(f"sharewell.{name}")
    raise AttributeError(f"module 'sharewell' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*globals(), *_KINDS])
