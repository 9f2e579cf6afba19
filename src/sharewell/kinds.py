"""The kinds of data that are installed. A kind is a folder: adding one changes nothing here but its name.

The five of Sharewell stand below; others come as installed packages with an entry point in the group
`sharewell.kinds` (name → package that holds `kind.py`). Nothing here imports a kind before it is asked for.
"""

from functools import cache
from importlib import import_module, metadata
from typing import cast

from sharewell.contract import Kind
from sharewell.errors import PlanError

OURS = ("records", "traces", "responses", "posts", "keystrokes")
GROUP = "sharewell.kinds"


@cache
def packages() -> dict[str, str]:
    """Every kind by name, with the package that holds it."""
    others = {point.name: point.value for point in metadata.entry_points(group=GROUP)}
    return {**others, **{name: f"sharewell.{name}" for name in OURS}}


def names() -> tuple[str, ...]:
    return tuple(sorted(packages(), key=lambda name: (name not in OURS, OURS.index(name) if name in OURS else 0, name)))


def load(name: str) -> Kind:
    """Load a kind by its name; refuse one that is not installed."""
    if name not in packages():
        known = ", ".join(names())
        raise PlanError([f"[{name}]: no such kind of data is installed; take the section out (known: {known})"])
    return cast(Kind, import_module(f"{packages()[name]}.kind").KIND)
