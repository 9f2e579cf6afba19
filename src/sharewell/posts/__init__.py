"""Posts: names out of forum text, meaning kept (after Bosch, Crues, Shaik and Paquette 2020)."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sharewell.posts.protection.redaction import find_names, redact
    from sharewell.posts.teaching import learn

__all__ = ["find_names", "learn", "redact"]

_HOMES = {"find_names": "protection.redaction", "redact": "protection.redaction", "learn": "teaching"}


def __getattr__(name: str) -> Any:
    """The public functions, each imported with what it needs when it is first used."""
    if name in _HOMES:
        return getattr(import_module(f"sharewell.posts.{_HOMES[name]}"), name)
    raise AttributeError(f"module 'sharewell.posts' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
