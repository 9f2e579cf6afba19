"""ProgSnap2 (Price et al. 2020): the main table of a dataset, with edits or code states, as key events.

Read is `MainTable.csv`; edits come from InsertText and DeleteText where the table has them, otherwise from the
difference of neighbouring code states: a column of the main table, or CodeStates beside it as a table or as folders.
Out come SubjectID, AssignmentID, `key`, `press_ms` and `edit`; written back are these key events, as CSV.
"""

import csv
from dataclasses import replace
from pathlib import Path

import ibis
import pyarrow as pa
from ibis.expr.types import StringColumn, Table

from sharewell.data.engine import arrow
from sharewell.data.formats import ReadOptions, delimited, edits, snapshots
from sharewell.data.formats.clocks import milliseconds
from sharewell.errors import InputError

EDITS = ("file.edit", "keystroke", "x-keystroke")
TIMES = ("ClientTimestamp", "ServerTimestamp", "X-Timestamp", "X-ElapsedMs", "X-ElapsedTime")
SECONDS = ("X-ElapsedTime",)
STATES = ("X-CodeState", "CodeState", "X-Code")

write = snapshots.write


def read(path: Path, options: ReadOptions) -> Table:
    inner = replace(options, format="csv", delimiter=options.delimiter or ",")
    table = delimited.read(path, inner)
    for name in ("SubjectID", "EventType"):
        if name not in table.columns:
            raise InputError("this is no ProgSnap2 main table: the column is missing", file=path, column=name)
    edited = table.mutate(__order=_order(table)).filter(table.EventType.lower().isin(EDITS))
    states = edited.select(
        student=edited.SubjectID,
        session=_session(edited),
        time=_time(edited, path),
        code=_code(edited, path),
        row=edited["__order"],
    )
    if {"InsertText", "DeleteText"} <= set(table.columns):
        return _from_texts(edited, states, path)
    return snapshots.key_events(states, "SubjectID", "AssignmentID", path)


def _from_texts(edited: Table, states: Table, path: Path) -> Table:
    """Key events from the texts that were put in and taken out."""
    texts = edited.select(
        row=edited["__order"], inserted=edited.InsertText.fill_null(""), deleted=edited.DeleteText.fill_null("")
    )
    joined = states.drop("code").inner_join(texts, "row").order_by("student", "session", "time", "row")
    rows = arrow(joined).to_pylist()
    found = [(row, edits.named(row["deleted"], row["inserted"], "")) for row in rows]
    kept = [(row, edit) for row, edit in found if edit is not None]
    if not kept:
        raise InputError("no event puts text in or takes it out: there is nothing typed in it", file=path)
    return ibis.memtable(
        pa.table(
            {
                "SubjectID": [row["student"] for row, _ in kept],
                "AssignmentID": [row["session"] for row, _ in kept],
                "key": [key for _, (_, key) in kept],
                "press_ms": [row["time"] for row, _ in kept],
                "edit": [edit for _, (edit, _) in kept],
            }
        )
    )


def _order(table: Table) -> ibis.Column:
    if "Order" in table.columns:
        return table.Order.cast("int64")
    return ibis.row_number()


def _session(table: Table) -> StringColumn:
    known = [name for name in ("AssignmentID", "ProblemID", "SessionID") if name in table.columns]
    return table[known[0]].cast("string").fill_null("") if known else ibis.literal("")


def _time(table: Table, path: Path) -> ibis.Column:
    for name in TIMES:
        if name in table.columns:
            return milliseconds(table, name, unit="s" if name in SECONDS else None, file=path)
    raise InputError(f"no column tells the time; expected one of {', '.join(TIMES)}", file=path)


def _code(table: Table, path: Path) -> StringColumn:
    """The code after each event, from a column or from the dataset's code states."""
    for name in STATES:
        if name in table.columns:
            return table[name].fill_null("")
    if "CodeStateID" not in table.columns:
        return ibis.literal("")
    known = _code_states(path.parent / "CodeStates", path)
    return table.CodeStateID.cast("string").substitute(known, else_="") if known else ibis.literal("")


def _code_states(folder: Path, path: Path) -> dict[str, str]:
    """Code by state: CodeStates/CodeStates.csv, or one folder of files per state."""
    if (folder / "CodeStates.csv").is_file():
        csv.field_size_limit(2**31 - 1)
        with (folder / "CodeStates.csv").open(encoding="utf-8-sig", newline="") as file:
            return {row["CodeStateID"]: row["Code"] for row in csv.DictReader(file)}
    if not folder.is_dir():
        raise InputError("the main table names code states and no folder CodeStates is beside it", file=path)
    if (folder / ".git").exists():
        raise InputError("code states in a Git repository are not read; export them as a table", file=folder)
    return {state.name: _files(state) for state in sorted(folder.iterdir()) if state.is_dir()}


def _files(state: Path) -> str:
    return "\n".join(file.read_text(encoding="utf-8") for file in sorted(state.rglob("*")) if file.is_file())
