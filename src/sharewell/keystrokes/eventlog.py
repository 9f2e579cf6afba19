"""From a table of events to arrays and back: times change, rows, keys and every other column stay."""

from dataclasses import dataclass
from pathlib import Path

import ibis
import numpy as np
import pyarrow as pa
from ibis.expr.types import Column, Table

from sharewell.data import engine
from sharewell.data.formats.clocks import PER_MS, guess_unit
from sharewell.errors import InputError
from sharewell.keystrokes.arrays import Array, Typing
from sharewell.keystrokes.columns import Columns, canonical
from sharewell.keystrokes.keygroups import key_kinds
from sharewell.keystrokes.samples import coded

BYTES_PER_EVENT = 500  # held while protecting, measured by benchmarks/keystrokes_speed.py


@dataclass(frozen=True, kw_only=True)
class Events:
    """One file of key events at work: the table with numbered rows, and its typing as arrays in order."""

    table: Table
    row_column: str  # the helper column that numbers the rows of the table
    columns: Columns
    unit: str
    row: Array
    start: Array  # the first press of each event's session, in ms
    students: Array  # names by code
    typing: Typing


def load(table: Table, columns: Columns) -> Events:
    """Number the rows and bring the times in, sorted by student, session and press."""
    _refuse_too_many(table)
    number_column = engine.fresh(table.columns, "row")
    numbered = engine.materialise(table.mutate(**{number_column: ibis.row_number()}))
    unit = columns.unit or guess_unit(numbered, columns.press)
    events = canonical(numbered, columns, row=number_column)
    rows = engine.arrow(events.order_by("student", "session", "press", "row"))
    if rows.num_rows == 0:
        raise InputError("there are no key events in the table", column=columns.press)
    students, student = coded(rows["student"])
    _, session = coded(rows["session"])
    keys, key = coded(rows["key"])
    press = rows["press"].to_numpy().astype(float)
    first = _starts(student, session)
    number = np.cumsum(first) - 1
    latency = np.append(np.diff(press), np.nan)
    latency[np.append(first[1:], True)] = np.nan
    hold = rows["release"].to_numpy(zero_copy_only=False).astype(float) - press
    typing = Typing(
        student=student,
        session=number,
        key=key,
        latency=latency,
        hold=np.where(hold >= 0, hold, np.nan),
        keys=keys,
        kinds=key_kinds(keys),
    )
    return Events(
        table=numbered,
        row_column=number_column,
        columns=columns,
        unit=unit,
        row=rows["row"].to_numpy(),
        start=press[first][number],
        students=students,
        typing=typing,
    )


def _refuse_too_many(table: Table) -> None:
    """Times are drawn from everyone's, so all stand in memory: better one sentence before than a crash after."""
    events = int(engine.connection().execute(table.count()))
    needed, free = events * BYTES_PER_EVENT, _free_memory()
    if free is not None and needed > free:
        raise InputError(
            f"{events:,} key events need about {needed / 2**30:.0f} GB of memory and {free / 2**30:.0f} GB are free; "
            "release one course or one week at a time, or use a larger machine"
        )


def _free_memory() -> int | None:
    """Bytes that can be had without swapping; None where the system does not say."""
    try:
        lines = Path("/proc/meminfo").read_text(encoding="ascii").splitlines()
    except OSError:
        return None
    return next((int(line.split()[1]) * 1024 for line in lines if line.startswith("MemAvailable")), None)


def press_times(typing: Typing, latency: Array) -> Array:
    """Times since the start of each session; latencies are never negative, so the order of events holds."""
    gaps = np.where(np.isnan(latency), 0.0, latency)
    total = np.concatenate([[0.0], np.cumsum(gaps)[:-1]])
    first = np.flatnonzero(np.diff(typing.session, prepend=-1))
    return np.asarray(total - np.repeat(total[first], np.diff(np.append(first, len(total)))))


def as_written(events: Events, latency: Array, hold: Array) -> tuple[Array, Array]:
    """What is left of latencies and hold times once they are written in the resolution of the table's clock."""
    step = _resolution(events)
    if step == 0:
        return latency, hold
    exact = press_times(events.typing, latency)
    press, release = (np.floor(times / step + 0.5) * step for times in (exact, exact + hold))
    return np.where(np.isnan(latency), np.nan, np.diff(press, append=np.nan)), release - press


def _resolution(events: Events) -> float:
    """In ms; zero where any number can be written."""
    kind = events.table[events.columns.press].type()
    if kind.is_timestamp():
        return 1e-3
    if kind.is_floating() or (kind.is_string() and events.unit == "s"):
        return 0.0
    return 1 / PER_MS[events.unit]


def with_times(events: Events, press: Array, release: Array) -> Table:
    """The table with new times (ms), in the unit and type of the old ones."""
    row, named = events.row_column, events.table.columns
    press_column, release_column = engine.fresh(named, "press"), engine.fresh(named, "release")
    columns = {row: events.row, press_column: press, release_column: pa.array(release, from_pandas=True)}
    joined = events.table.inner_join(engine.materialise(ibis.memtable(pa.table(columns))), row)
    names = {events.columns.press: press_column, events.columns.release: release_column}
    new = {
        name: _in_unit(joined[source], events.table[name], events.unit)
        for name, source in names.items()
        if name is not None
    }
    return joined.mutate(**new).select(*events.table.columns)


def _in_unit(ms: Column, old: Column, unit: str) -> Column:
    kind = old.type()
    if kind.is_timestamp():
        return (ms * 1000).round().cast("int64").as_timestamp("us").cast(kind)
    value = ms * PER_MS[unit]
    if kind.is_floating():
        return value.cast(kind)
    whole = value.round().cast("int64")
    return whole.cast("string") if kind.is_string() and unit != "s" else (value if unit == "s" else whole).cast(kind)


def in_order(table: Table, events: Events) -> Table:
    """A table with numbered rows as its rows stood, without the numbers."""
    return table.order_by(events.row_column).drop(events.row_column)


def _starts(student: Array, session: Array) -> Array:
    return np.asarray((np.diff(student, prepend=-1) != 0) | (np.diff(session, prepend=-1) != 0))
