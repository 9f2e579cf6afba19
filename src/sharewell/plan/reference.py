"""The reference of the plan file, made from what the sections say of themselves: every key, its meaning, its range.

    python -m sharewell.plan.reference docs/plan.md

writes the tables into the page, between the marks `<!-- keys: … -->` and `<!-- end -->`.
"""

import re
import sys
from collections.abc import Iterator, Mapping
from dataclasses import MISSING, Field, dataclass, fields, is_dataclass
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, Union, get_args, get_origin, get_type_hints

from sharewell import kinds
from sharewell.plan.audience_limits import AUDIENCES
from sharewell.plan.document import Header
from sharewell.plan.sections import Section

HEADER, SHARED = "release", "every section"
BLOCK = re.compile(r"(<!-- keys: (?P<name>[^>]+?) -->\n).*?(<!-- end -->)", re.S)
TYPES = {str: "text", int: "a whole number", float: "a number", bool: "true or false"}


@dataclass(frozen=True, kw_only=True)
class Key:
    """One key of a plan, for people."""

    name: str
    meaning: str
    default: str
    allowed: str


def parts() -> dict[str, list[Key]]:
    """Every key of a plan: of the header, of all sections, and of each kind."""
    shared = {item.name for item in fields(Section)}
    found = {HEADER: list(_keys(Header)), SHARED: list(_keys(Section))}
    for kind in kinds.OURS:
        section = kinds.load(kind).section
        limits = section.audience_limits
        found[kind] = [key for key in _keys(section, limits) if key.name not in shared]
    return found


def fill(page: str) -> str:
    """The page with its tables as they should be now."""
    known = parts()
    return BLOCK.sub(lambda block: f"{block[1]}{_table(known[block['name']])}{block[3]}", page)


def _keys(cls: Any, limits: Mapping[Any, Mapping[str, float]] | None = None, prefix: str = "") -> Iterator[Key]:
    hints = get_type_hints(cls)
    for item in fields(cls):
        if "internal" in item.metadata:
            continue
        nested = next((part for part in _options(hints[item.name]) if is_dataclass(part)), None)
        name = f"{prefix}{item.name}"
        yield Key(
            name=name,
            meaning=_sentence(item.metadata.get("says", "")),
            default=(limits and prefix and _by_audience(item.name, limits)) or _default(item, nested is not None),
            allowed="a table" if nested else _allowed(item, hints[item.name]),
        )
        if nested is not None:
            yield from _keys(nested, limits if item.name == "limit" else None, f"{name}.")


def _sentence(says: str) -> str:
    return f"{says[:1].upper()}{says[1:].rstrip('.')}." if says else ""


def _by_audience(name: str, limits: Mapping[Any, Mapping[str, float]]) -> str:
    """What each audience asks for where the plan is silent."""
    return ", ".join(f"{audience} {limits[audience][name]:g}" for audience in AUDIENCES if name in limits[audience])


def _default(item: Field[Any], nested: bool) -> str:
    if item.default is MISSING and item.default_factory is MISSING:
        return "required"
    value = item.default if item.default is not MISSING else None
    if value is None or value == () or value == "" or nested:
        return "none"
    return _toml(value)


def _toml(value: Any) -> str:
    """A value as one would write it in the plan."""
    if isinstance(value, bool):
        return f"`{str(value).lower()}`"
    if isinstance(value, tuple):
        return f"`[{', '.join(_toml(part).strip('`') for part in value)}]`"
    if isinstance(value, str):
        return f'`"{value}"`'
    return f"`{value:_}`" if isinstance(value, int) else f"`{value:g}`"


def _allowed(item: Field[Any], hint: Any) -> str:
    if item.metadata.get("one_of"):
        return ", ".join(_toml(choice) for choice in item.metadata["one_of"])
    if "role" in item.metadata or "mention" in item.metadata:
        return "columns" if item.metadata["many"] else "a column"
    low, high = item.metadata.get("low"), item.metadata.get("high")
    kind = " or ".join(_type(part) for part in _options(hint) if part is not NoneType)
    if low is None:
        return kind
    return f"{kind}, from {low:g}" + ("" if high is None or high == float("inf") else f" to {high:g}")


def _type(hint: Any) -> str:
    origin = get_origin(hint) or hint
    return TYPES.get(origin, "a list" if origin is tuple else "a table")


def _options(hint: Any) -> tuple[Any, ...]:
    return get_args(hint) if get_origin(hint) in (Union, UnionType) else (hint,)


def _table(keys: list[Key]) -> str:
    rows = [f"| `{key.name}` | {key.meaning} | {key.default} | {key.allowed} |".replace("  ", " ") for key in keys]
    return "\n".join(["", "| key | meaning | default | may be |", "|---|---|---|---|", *rows, "", ""])


if __name__ == "__main__":
    for name in sys.argv[1:]:
        Path(name).write_text(fill(Path(name).read_text(encoding="utf-8")), encoding="utf-8")
