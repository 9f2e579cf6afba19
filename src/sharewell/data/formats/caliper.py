"""Caliper 1.2 events (1EdTech): JSON lines, an array, or a sensor's envelope with the events under `data`.

Read as flat columns; written as events whose actors are pseudonymous entities that no system knows.
"""

from pathlib import Path
from typing import Any

import ibis
from ibis.expr.types import StringColumn, Table

from sharewell.data.formats import ReadOptions
from sharewell.data.formats.json_lines import style as style
from sharewell.data.formats.nested import Record, nested, picked, records, without_marks, write_records
from sharewell.errors import InputError

OURS = "urn:sharewell:"
CONTEXT = "http://purl.imsglobal.org/ctx/caliper/v1p2"

# column → where it is read; the last name of the path is also what it is called where it is written
COLUMNS = {
    "id": ("$.id",),
    "type": ("$.type",),
    "actor": ("$.actor.id", "$.actor"),
    "actor_name": ("$.actor.name",),
    "action": ("$.action",),
    "object": ("$.object.id", "$.object"),
    "object_type": ("$.object.type",),
    "object_name": ("$.object.name",),
    "target": ("$.target.id", "$.target"),
    "generated": ("$.generated.id", "$.generated"),
    "score": ("$.generated.scoreGiven",),
    "score_max": ("$.generated.maxScore",),
    "attempt": ("$.generated.attempt.id", "$.generated.attempt"),
    "group": ("$.group.id", "$.group"),
    "session": ("$.session.id", "$.session"),
    "application": ("$.edApp.id", "$.edApp"),
    "time": ("$.eventTime",),
}
ENTITIES = {"object_type": "object.type", "object_name": "object.name", "score": "generated.scoreGiven"}
ENTITIES |= {"score_max": "generated.maxScore", "actor_name": "actor.name"}
NAMED = {"time": "eventTime", "application": "edApp"}
TYPED = {"actor": "Person", "object": "Entity", "generated": "Score", "group": "CourseSection", "session": "Session"}


def read(path: Path, options: ReadOptions) -> Table:
    flat = picked(records(path, options, wrapped_in="data"), COLUMNS)
    flat = flat.mutate(**{name: _named(flat[name]) for name in TYPED if name in flat.columns})
    flat = without_marks(flat, dict.fromkeys((name for name in TYPED if name in flat.columns), ""))
    for name in ("actor", "action", "time"):
        if name not in flat.columns and not options.released:
            raise InputError(f"no event has the field '{NAMED.get(name, name)}': is this a Caliper log?", file=path)
    return flat


def write(table: Table, path: Path, compression: str | None = None, array: bool = False) -> None:
    write_records(table, path, event, compression=compression, array=array)


def _named(cells: StringColumn) -> StringColumn:
    """An entity by its id; one that has none is nobody, and one that a release wrote goes by its pseudonym."""
    return ibis.ifelse(cells.startswith("{"), "", cells.re_replace(f"^{OURS}", ""))


def event(row: Record) -> dict[str, Any]:
    """A row as an event; entities are named by what stands in their column, which is no address any more."""
    values: dict[str, Any] = {"@context": CONTEXT}
    for name, value in row.items():
        if name in TYPED:
            values[f"{name}.id"] = f"{OURS}{value}" if name == "actor" else value
            values.setdefault(f"{name}.type", TYPED[name])
        else:
            values[ENTITIES.get(name, NAMED.get(name, name))] = value
    return nested(values)
