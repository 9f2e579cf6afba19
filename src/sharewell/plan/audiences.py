"""One plan for several audiences: `[audience.public]`, `[audience.agreement]`, each with what differs for it.

A table of an audience may give any key of `[release]` another value, choose `files`, and change sections in tables of
its own (`[audience.public.records.students]`): what it says stands instead of what the plan says.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from sharewell.errors import PlanError
from sharewell.plan.audience_limits import AUDIENCES

TABLE = "audience"


def named(document: Mapping[str, Any]) -> list[str]:
    """The audiences of a plan, the widest first: what everybody holds, the later ones hold as well."""
    given = document.get(TABLE)
    if given is None:
        return []
    known = given if isinstance(given, Mapping) else {}
    odd = [name for name in known if name not in AUDIENCES or not isinstance(known[name], Mapping)]
    if odd or not known:
        listed = ", ".join(f"[{TABLE}.{name}]" for name in AUDIENCES)
        raise PlanError([f"[{TABLE}]: name audiences as tables of their own: {listed}"])
    return [name for name in AUDIENCES if name in known]


def for_one(document: Mapping[str, Any], audience: str) -> dict[str, Any]:
    """The plan as it is for one audience."""
    own = dict(document[TABLE][audience])
    files = own.pop("files", None)
    sections = {kind: value for kind, value in own.items() if isinstance(value, Mapping) and kind in document}
    heading = {key: value for key, value in own.items() if key not in sections}
    plain = {kind: value for kind, value in document.items() if kind != TABLE}
    merged = _merged(plain, {"release": {**heading, "audience": audience}, **sections})
    return merged if files is None else _chosen(merged, files, audience)


def _merged(one: Mapping[str, Any], over: Mapping[str, Any]) -> dict[str, Any]:
    """Tables are merged key by key; anything else is replaced."""
    merged = dict(one)
    for key, value in over.items():
        both = isinstance(value, Mapping) and isinstance(merged.get(key), Mapping)
        merged[key] = _merged(merged[key], value) if both else value
    return merged


def _chosen(document: Mapping[str, Any], files: Any, audience: str) -> dict[str, Any]:
    """Only the files that this audience gets."""
    labels = {f"{kind}.{name}" for kind, tables in document.items() if isinstance(tables, Mapping) for name in tables}
    if not isinstance(files, Sequence) or isinstance(files, str) or not set(files) <= labels:
        raise PlanError([f'[{TABLE}.{audience}] files: name sections of the plan, as in files = ["records.students"]'])
    kept: dict[str, Any] = {}
    for kind, tables in document.items():
        if kind in ("release", "describe") or not isinstance(tables, Mapping):
            kept[kind] = tables
        elif inside := {name: table for name, table in tables.items() if f"{kind}.{name}" in files}:
            kept[kind] = inside
    if isinstance(document.get("describe"), Mapping):
        kept["describe"] = _described(document["describe"], kept)
    return kept


def _described(described: Mapping[str, Any], kept: Mapping[str, Any]) -> dict[str, Any]:
    """What the plan says of columns, without those of files that this audience does not get."""
    sections = [value for kind, value in kept.items() if kind not in ("release", "describe")]
    names = {name for tables in sections for name in tables}
    words = {word for tables in sections for table in tables.values() for word in _words(table)}
    return {
        name: told
        for name, told in described.items()
        if (name in names if isinstance(told, Mapping) else name in words)
    }


def _words(table: Any) -> Iterator[str]:
    """Every text in a table: the names of its columns are among them."""
    if isinstance(table, str):
        yield table
    elif isinstance(table, Mapping):
        for value in table.values():
            yield from _words(value)
    elif isinstance(table, Sequence):
        for value in table:
            yield from _words(value)
