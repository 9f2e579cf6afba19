"""edX tracking logs: one JSON event per line, fields nested under `context`, the payload in `event`."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ibis.expr.types import Table

from sharewell.data.formats import ReadOptions
from sharewell.data.formats.nested import Record, nested, picked, records, write_records
from sharewell.errors import InputError

# column → where it is read; the first place is also where it is written
COLUMNS = {
    "user_id": ("$.context.user_id",),
    "username": ("$.username",),
    "time": ("$.time",),
    "event_type": ("$.event_type",),
    "name": ("$.name",),
    "event_source": ("$.event_source",),
    "course_id": ("$.context.course_id",),
    "org_id": ("$.context.org_id",),
    "path": ("$.context.path",),
    "module": ("$.context.module.usage_key", "$.event.id", "$.event.problem_id"),
    "module_name": ("$.context.module.display_name",),
    "session": ("$.session", "$.context.session"),
    "ip": ("$.ip",),
    "agent": ("$.agent",),
    "host": ("$.host",),
    "page": ("$.page",),
    "referer": ("$.referer",),
    "event": ("$.event",),
}

USERS = {"user_id", "username"}


def meant(names: Sequence[str]) -> Mapping[str, str]:
    """Say what `name` names: the event."""
    return {"name": "event name"}


def style(path: Path, options: ReadOptions) -> dict[str, Any]:
    return {"compression": options.compression}


def read(path: Path, options: ReadOptions) -> Table:
    flat = picked(records(path, options), COLUMNS)
    if not options.released and ("time" not in flat.columns or not USERS & set(flat.columns)):
        raise InputError("no event has a time and a user: is this an edX tracking log?", file=path)
    for name in USERS & set(flat.columns):
        flat = flat.mutate(**{name: flat[name].nullif("")})  # visitors have an empty name
    return flat


def write(table: Table, path: Path, compression: str | None = None) -> None:
    write_records(table, path, event, compression=compression, array=False)


def event(row: Record) -> dict[str, Any]:
    """A row as an event, with every field where it was; fields that we do not know are not written."""
    return nested({COLUMNS[name][0].removeprefix("$."): value for name, value in row.items() if name in COLUMNS})
