"""What the files of a release hold, read from the finished files: columns, types, sizes, and what was done to each."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sharewell import kinds
from sharewell.data import formats
from sharewell.data.files import file_digest, size_on_disk
from sharewell.disclosure import Disclosed
from sharewell.findings import FileFindings
from sharewell.plan.document import Plan

if TYPE_CHECKING:
    from ibis.expr.types import Table

WHOLE = r"^\s*[+-]?[0-9]+\s*$"
NUMBER = r"^\s*[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?\s*$"

ROLES = {  # of columns in every kind; a kind says what its own roles hold
    "direct": "identifies a person by itself; not in the release",
    "drop": "not needed; not in the release",
    "student": "pseudonym of the student",
    "peers": "pseudonym of another student",
    "ids": "pseudonym of a row, post or thread",
    "keep": "passed on as it was",
}


@dataclass(frozen=True, kw_only=True)
class Column:
    """One column as a recipient finds it."""

    name: str
    type: str
    holds: str
    done: str


@dataclass(frozen=True, kw_only=True)
class Content:
    """One data file as a recipient finds it."""

    file: FileFindings
    path: str
    size: int
    digest: str
    columns: tuple[Column, ...]


def describe(built: Path, plan: Plan, disclosed: Disclosed) -> list[Content]:
    """Every data file of a built release, in the order of the plan."""
    roles = {section.label: {name: role for role, name in section.roles()} for section in plan.sections}
    return [_content(built, file, roles[file.label], plan.describe.get(file.label, {})) for file in disclosed.files]


def _content(built: Path, file: FileFindings, roles: Mapping[str, str], described: Mapping[str, str]) -> Content:
    path = built / "data" / file.file
    return Content(
        file=file,
        path=f"data/{file.file}",
        size=size_on_disk(path),
        digest=file_digest(path),
        columns=tuple(_columns(formats.read_released(built, f"data/{file.file}", file.format), file, roles, described)),
    )


def _columns(
    table: "Table", file: FileFindings, roles: Mapping[str, str], described: Mapping[str, str]
) -> Iterator[Column]:
    """What the plan says of a column comes first; without a word of it, its role says what it contains."""
    types = _types(table)
    meanings = {**ROLES, **kinds.load(file.kind).roles}
    for name in table.columns:
        done = dict.fromkeys(change.what for change in file.changes if name in change.columns)
        role = roles.get(name)
        holds = described.get(name) or (meanings.get(role, role) if role else "made for this release")
        yield Column(name=name, type=types[name], holds=holds, done="; ".join(done))


def _types(table: "Table") -> dict[str, str]:
    """The type of every column; text that reads as numbers throughout counts as numbers. One pass over the file."""
    types = {name: _type(table[name].type()) for name in table.columns}
    texts = [name for name, type in types.items() if type == "text"]
    if not texts:
        return types
    checks: dict[str, Any] = {}
    for place, name in enumerate(texts):
        checks |= {f"whole{place}": table[name].re_search(WHOLE).all()}
        checks |= {f"number{place}": table[name].re_search(NUMBER).all()}
    found = table.agg(**checks).to_pyarrow().to_pylist()[0]
    for place, name in enumerate(texts):
        if found[f"number{place}"]:  # None where the column holds no value at all
            types[name] = "whole number" if found[f"whole{place}"] else "number"
    return types


def _type(type: Any) -> str:
    """An Ibis type in plain words."""
    named = (
        (type.is_boolean(), "yes or no"),
        (type.is_integer(), "whole number"),
        (type.is_numeric(), "number"),
        (type.is_timestamp(), "date and time"),
        (type.is_date(), "date"),
    )
    return next((name for fits, name in named if fits), "text")
