"""Posts: names out of forum text, meaning kept (after Bosch, Crues, Shaik and Paquette 2020)."""

from importlib import import_module
from typing import Any

__all__ = ["authorship", "draw_sample", "find_names", "learn", "redact", "review"]

_HOMES = {
    "find_names": "protect",
    "redact": "protect",
    "learn": "learning",
    "review": "review",
    "draw_sample": "review",
    "authorship": "authorship",
}


def __getattr__(name: str) -> Any:
    """The public functions, each imported with what it needs when it is first used."""
    if name in _HOMES:
        home = import_module(f"sharewell.posts.{_HOMES[name]}")
        return getattr(home, name) if name != "review" else home
    raise AttributeError(f"module 'sharewell.posts' has no attribute {name!r}")
