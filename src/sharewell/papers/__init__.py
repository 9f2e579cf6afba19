"""The five papers that Sharewell comes from, each as a procedure that runs as printed and gives its own tables.

`papers.stinar` (records), `papers.ito` (traces), `papers.vie` (responses), `papers.bosch` (posts) and
`papers.leinonen` (keystrokes). Where a paper and its code or its own text differ, the step says so, and the corrected
variant is one argument away. Every table is a `PaperTable`: published figures stand beside what was measured.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sharewell.papers import bosch, ito, leinonen, stinar, vie

__all__ = ["bosch", "ito", "leinonen", "stinar", "vie"]


def __getattr__(name: str) -> Any:
    if name in __all__:
        return import_module(f"sharewell.papers.{name}")
    raise AttributeError(f"module 'sharewell.papers' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
