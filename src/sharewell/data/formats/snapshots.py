"""Snapshots of source code with times: the difference of neighbours gives the key that was struck.

The file is a table (CSV, JSON lines, Parquet) with one row per snapshot; what comes out are key events: the student
and session columns as they were, `key`, `press_ms` and `edit` (typed, erased, deletion, paste, completion). What is
written back are the key events, as CSV.
"""

import logging
from collections.abc import Collection, Iterator
from dataclasses import replace
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import Any

import ibis
import pyarrow as pa
from ibis.expr.types import Table

from sharewell.data import backends
from sharewell.data.formats import SUFFIXES, ReadOptions, delimited, edits, json_lines, parquet
from sharewell.data.formats.batches import batches
from sharewell.data.formats.clocks import milliseconds
from sharewell.errors import InputError

STUDENT = ("student", "student_id", "user", "user_id", "subject", "subjectid", "participant")
SESSION = ("session", "exercise", "assignment", "assignment_id", "assignmentid", "task", "file")
TIME = ("time", "timestamp", "at", "created_at", "time_ns", "time_us", "time_ms", "timestamp_ns", "timestamp_ms")
CODE = ("code", "source", "snapshot", "text", "content", "state")

log = logging.getLogger("sharewell")


def is_log(names: Collection[str]) -> bool:
    """Whether these are the columns of snapshots: what they hold must be called source code, not any text."""
    known = {name.lower() for name in names}
    return all(known & set(group) for group in (STUDENT, SESSION, TIME, CODE[:3]))


def read(path: Path, options: ReadOptions) -> Table:
    """Key events from the snapshots of a file."""
    table = _table(path, options)
    student, session = _named(table, STUDENT, "the student", path), _named(table, SESSION, "the session", path)
    time, code = _named(table, TIME, "the time", path), _named(table, CODE, "the source code", path)
    states = table.select(
        student=table[student],
        session=table[session],
        time=milliseconds(table, time, file=path),
        code=table[code].cast("string").fill_null(""),
        row=ibis.row_number(),
    )
    return key_events(states, student, session, path)


def write(table: Table, path: Path) -> None:
    delimited.write(table, path, compression=None, delimiter=",")


def key_events(states: Table, student: str, session: str, path: Path) -> Table:
    """Edits between neighbouring states (student, session, time, code, row) as a table of key events."""
    ordered = states.order_by("student", "session", "time", "row").drop("row")
    rows: dict[str, list[Any]] = {name: [] for name in (student, session, "key", "press_ms", "edit")}
    for (who, where), group in groupby(_rows(ordered), key=itemgetter(0, 1)):
        for edit, key, time in edits.of_states((code, time) for _, _, time, code in group):
            for name, value in zip(rows, (who, where, key, time, edit), strict=True):
                rows[name].append(value)
    if not rows["key"]:
        raise InputError("no neighbouring snapshots differ: there is nothing typed in it", file=path)
    log.info("%s: %s", path.name, edits.counted(rows["edit"]))
    return backends.listed(pa.table(rows))


def _rows(ordered: Table) -> Iterator[tuple[Any, ...]]:
    for batch in batches(ordered):
        yield from zip(
            *(batch.column(name).to_pylist() for name in ("student", "session", "time", "code")), strict=True
        )


def _table(path: Path, options: ReadOptions) -> Table:
    suffixes = [suffix for suffix in path.suffixes if suffix not in (".gz", ".zst")]
    kind = SUFFIXES.get(suffixes[-1].lower() if suffixes else "", "csv")
    inner = replace(options, format=kind)
    if kind == "parquet":
        return parquet.read(path, inner)
    if kind in ("json", "jsonl"):
        return json_lines.read(path, inner)
    return delimited.read(path, replace(inner, delimiter=options.delimiter or delimited.find_delimiter(path, inner)))


def _named(table: Table, names: tuple[str, ...], what: str, path: Path) -> str:
    known = {column.lower(): column for column in table.columns}
    for name in names:
        if name in known:
            return str(known[name])
    raise InputError(f"no column holds {what}; name one of them {', '.join(names[:3])} or the like", file=path)
