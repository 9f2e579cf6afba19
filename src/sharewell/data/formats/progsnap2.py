"""ProgSnap2 (Price et al. 2020): the main table of a dataset, with edits or code states, as key events.

Read is `MainTable.csv`; edits come from InsertText and DeleteText where the table has them, otherwise from the
difference of neighbouring code states: a column of the main table, or CodeStates beside it as a table or as folders.
Out come SubjectID, AssignmentID, `key`, `press_ms` and `edit`; written back are these key events, as CSV.
"""

from dataclasses import replace
from pathlib import Path

import ibis
import pyarrow as pa
from ibis.expr.types import StringColumn, Table

from sharewell.data.backends import arrow, fresh, listed
from sharewell.data.formats import ReadOptions, check_regular, delimited, edits, snapshots
from sharewell.data.formats.clocks import milliseconds
from sharewell.data.formats.columns import number
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
    order = fresh(table.columns, "order")
    edited = table.mutate(**{order: _order(table, path)}).filter(table.EventType.lower().isin(EDITS))
    states = edited.select(
        student=edited.SubjectID,
        session=_session(edited),
        time=_time(edited, path),
        code=_code(edited, path),
        row=edited[order],
    )
    if {"InsertText", "DeleteText"} <= set(table.columns):
        return _from_texts(edited, states, order, path)
    return snapshots.key_events(states, "SubjectID", "AssignmentID", path)


def _from_texts(edited: Table, states: Table, order: str, path: Path) -> Table:
    """Key events from the texts that were put in and taken out."""
    texts = edited.select(
        row=edited[order], inserted=edited.InsertText.fill_null(""), deleted=edited.DeleteText.fill_null("")
    )
    joined = states.drop("code").inner_join(texts, "row").order_by("student", "session", "time", "row")
    rows = arrow(joined).to_pylist()
    found = [(row, edits.named(row["deleted"], row["inserted"], "")) for row in rows]
    kept = [(row, edit) for row, edit in found if edit is not None]
    if not kept:
        raise InputError("no event puts text in or takes it out: there is nothing typed in it", file=path)
    return listed(
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


def _order(table: Table, path: Path) -> ibis.Column:
    if "Order" in table.columns:
        return number(table, "Order", file=path)
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
    if (folder / "CodeStates.csv").exists():
        states = arrow(delimited.read(folder / "CodeStates.csv", ReadOptions(format="csv", delimiter=",")))
        if not {"CodeStateID", "Code"} <= set(states.column_names):
            raise InputError("has no columns CodeStateID and Code", file=folder / "CodeStates.csv")
        return dict(zip(states["CodeStateID"].to_pylist(), map(_text, states["Code"].to_pylist()), strict=True))
    if not folder.is_dir():
        raise InputError("the main table names code states and no folder CodeStates is beside it", file=path)
    if (folder / ".git").exists():
        raise InputError("code states in a Git repository are not read; export them as a table", file=folder)
    return {state.name: _files(state) for state in sorted(folder.iterdir()) if state.is_dir()}


def _text(code: str | None) -> str:
    return code or ""


def _files(state: Path) -> str:
    return "\n".join(_source(file) for file in sorted(state.rglob("*")) if not file.is_dir())


def _source(file: Path) -> str:
    check_regular(file)
    try:
        return file.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        raise InputError("is not text in UTF-8; save it as UTF-8, or take it out", file=file) from None
