"""xAPI statements (xAPI 1.0.3, Data): JSON lines, an array, or what a learning record store answers.

Read as flat columns; written as valid statements whose actors are pseudonymous accounts at no home page that exists.
"""

import uuid
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ibis.expr.types import Table

from sharewell.data.formats import ReadOptions
from sharewell.data.formats.json_lines import style as style
from sharewell.data.formats.nested import Record, nested, picked, records, without_marks, write_records
from sharewell.data.formats.rows import first_row
from sharewell.errors import InputError

HOME = "https://pseudonym.invalid"  # RFC 2606: never resolves
WITHHELD = "urn:sharewell:withheld"
NAMESPACE = uuid.UUID("5b1f60d5-2a53-5d3a-9c5e-6d7f0a3f8b11")

COLUMNS = {
    "id": ("$.id",),
    "actor": ("$.actor.account.name", "$.actor.mbox", "$.actor.mbox_sha1sum", "$.actor.openid"),
    "actor_name": ("$.actor.name",),
    "actor_home": ("$.actor.account.homePage",),
    "verb": ("$.verb.id",),
    "object": ("$.object.id", "$.object.account.name", "$.object.mbox"),
    "object_name": ("$.object.definition.name.*",),
    "object_type": ("$.object.definition.type",),
    "result_score": ("$.result.score.scaled", "$.result.score.raw"),
    "result_success": ("$.result.success",),
    "result_completion": ("$.result.completion",),
    "result_duration": ("$.result.duration",),
    "result_response": ("$.result.response",),
    "result_extensions": ("$.result.extensions",),
    "context_registration": ("$.context.registration",),
    "context_course": (
        "$.context.contextActivities.grouping[0].id",
        "$.context.contextActivities.parent[0].id",
        "$.context.contextActivities.grouping.id",
        "$.context.contextActivities.parent.id",
    ),
    "context_platform": ("$.context.platform",),
    "context_language": ("$.context.language",),
    "context_instructor": ("$.context.instructor.account.name", "$.context.instructor.mbox"),
    "context_extensions": ("$.context.extensions",),
    "timestamp": ("$.timestamp",),
    "stored": ("$.stored",),
}


def read(path: Path, options: ReadOptions) -> Table:
    flat = picked(records(path, options, wrapped_in="statements"), _first_names(COLUMNS))
    flat = without_marks(flat, {"actor_home": HOME, "verb": WITHHELD, "object": WITHHELD})
    if options.released:
        return flat
    for name in ("actor", "verb", "timestamp"):
        if name not in flat.columns:
            raise InputError(f"no statement has the field '{name}': is this an xAPI log?", file=path)
    for name in ("actor", "verb"):
        row = first_row(flat, flat[name].isnull())
        if row is not None:
            raise InputError(f"the statement has no {name}; take it out of the file", file=path, row=row)
    return flat


def write(table: Table, path: Path, compression: str | None = None, array: bool | None = None) -> None:
    as_array = path.suffixes[:1] == [".json"] if array is None else array
    write_records(table, path, statement, compression=compression, array=as_array)


def statement(row: Record) -> dict[str, Any]:
    """A row as a statement that an LRS takes: an actor, a verb and an object, whatever else is left of it."""
    given = dict(row)
    actor, verb, thing = (given.pop(name, None) for name in ("actor", "verb", "object"))
    out: dict[str, Any] = {}
    if "id" in given:
        out["id"] = _uuid(str(given.pop("id")))
    out["actor"] = {"objectType": "Agent", "account": {"homePage": HOME, "name": str(actor)}}
    out["verb"] = {"id": _iri(verb)}
    out["object"] = {"objectType": "Activity", "id": _iri(thing)} | _definition(given)
    out |= nested(dict(_rest(given)))
    return out


def _definition(given: dict[str, Any]) -> dict[str, Any]:
    name, kind = given.pop("object_name", None), given.pop("object_type", None)
    definition = ({"name": {"und": str(name)}} if name is not None else {}) | (
        {"type": _iri(kind)} if kind is not None else {}
    )
    return {"definition": definition} if definition else {}


def _rest(given: dict[str, Any]) -> list[tuple[str, Any]]:
    """Result, context and times; whatever could name a person or a machine again is not written."""
    readers: dict[str, tuple[str, Callable[[Any], Any]]] = {
        "result_score": ("result.score.scaled", float),
        "result_success": ("result.success", _truth),
        "result_completion": ("result.completion", _truth),
        "result_duration": ("result.duration", str),
        "result_response": ("result.response", str),
        "context_registration": ("context.registration", _uuid),
        "context_platform": ("context.platform", str),
        "context_language": ("context.language", str),
        "timestamp": ("timestamp", str),
        "stored": ("stored", str),
    }
    rest = [(place, read(given[name])) for name, (place, read) in readers.items() if name in given]
    if "context_course" in given:
        rest.append(("context.contextActivities.grouping", [{"id": _iri(given["context_course"])}]))
    return [_within_range(*pair) for pair in rest]


def _within_range(place: str, value: Any) -> tuple[str, Any]:
    """A scaled score lies between -1 and 1; others are raw ones."""
    raw = place == "result.score.scaled" and not -1 <= value <= 1
    return ("result.score.raw", value) if raw else (place, value)


def _iri(value: Any) -> str:
    """An IRI: what is none, such as the name of merged values, becomes one of ours."""
    if value is None:
        return WITHHELD
    text = str(value)
    return text if ":" in text and " " not in text else f"urn:sharewell:{_slug(text)}"


def _slug(text: str) -> str:
    return "-".join("".join(letter if letter.isalnum() else " " for letter in text).split()) or "other"


def _uuid(value: Any) -> str:
    try:
        return str(uuid.UUID(str(value)))
    except ValueError:
        return str(uuid.uuid5(NAMESPACE, str(value)))


def _truth(value: Any) -> bool:
    return value if isinstance(value, bool) else str(value).lower() == "true"


def _first_names(columns: dict[str, tuple[str, ...]]) -> dict[str, tuple[str, ...]]:
    """A name comes in languages: the commonest are asked for in turn."""
    languages = ("und", "en", "en-US", "en-GB", "de", "fr", "es", "ja", "ja-JP", "pt", "it", "nl")
    names = tuple(f'$.object.definition.name."{language}"' for language in languages)
    return columns | {"object_name": names}
