"""From a table of events to arrays and back: times change, rows, keys and every other column stay."""

from dataclasses import dataclass, replace
from typing import Any

import ibis
import numpy as np
import pyarrow as pa
from ibis.expr.types import Table

from sharewell.data import engine, system
from sharewell.data.formats.clocks import PER_MS, guess_unit
from sharewell.errors import InputError
from sharewell.keystrokes.arrays import Array, TypedEvents
from sharewell.keystrokes.columns import KeyColumns, canonical
from sharewell.keystrokes.keygroups import key_kinds
from sharewell.keystrokes.samples import coded

BYTES_PER_EVENT = 650  # held while protecting, measured by benchmarks/keystrokes_speed.py


@dataclass(frozen=True, kw_only=True)
class Events:
    """One file of key events at work: the table with numbered rows, and its typing as arrays in order."""

    table: Table
    row_column: str  # the helper column that numbers the rows of the table
    columns: KeyColumns
    unit: str
    row: Array
    start: Array  # the first press of each event's session, in ms
    week: Array
    sessions: Array  # the original name of each session code
    students: Array  # names by code
    typing: TypedEvents


def load(table: Table, columns: KeyColumns, row: str | None = None) -> Events:
    """Number the rows, unless the column `row` does, and bring the times in, sorted by student, session and press."""
    _refuse_too_many(table)
    number_column = row or engine.fresh(table.columns, "row")
    numbered = table if row else engine.materialise(table.mutate(**{number_column: ibis.row_number()}))
    unit = columns.unit or guess_unit(numbered, columns.press)
    events = canonical(numbered, columns, row=number_column)
    rows = engine.arrow(events.order_by("student", "session", "press", "row"))
    if rows.num_rows == 0:
        raise InputError("there are no key events in the table", column=columns.press)
    students, student = coded(rows["student"])
    names, session = coded(rows["session"])
    keys, key = coded(rows["key"].fill_null(""))
    press = rows["press"].to_numpy().astype(float)
    first = _starts(student, session)
    number = np.cumsum(first) - 1
    latency = np.append(np.diff(press), np.nan)
    latency[np.append(first[1:], True)] = np.nan
    hold = rows["release"].to_numpy(zero_copy_only=False).astype(float) - press
    typing = TypedEvents(
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
        week=rows["week"].to_numpy().astype(float),
        sessions=names[session[first]],
        students=students,
        typing=typing,
    )


def recoded(typing: TypedEvents, keys: Array) -> TypedEvents:
    """The same typing under the codes of a longer list of keys, which is sorted."""
    return replace(typing, key=np.searchsorted(keys, typing.keys)[typing.key], keys=keys, kinds=key_kinds(keys))


def _refuse_too_many(table: Table) -> None:
    """Times are drawn from everyone's, so all stand in memory: better one sentence before than a crash after."""
    events = int(engine.value(table.count()))
    needed, free = events * BYTES_PER_EVENT, system.free_memory()
    if free is not None and needed > free:
        raise InputError(
            f"{events:,} key events need about {needed / 2**30:.0f} GB of memory and {free / 2**30:.0f} GB are free; "
            "release one course or one week at a time, or use a larger machine"
        )


def press_times(typing: TypedEvents, latency: Array) -> Array:
    """Times since the start of each session; latencies are never negative, so the order of events holds."""
    gaps = np.where(np.isnan(latency), 0.0, latency)
    total = np.concatenate([[0.0], np.cumsum(gaps)[:-1]])
    first = np.flatnonzero(np.diff(typing.session, prepend=-1))
    return np.asarray(total - np.repeat(total[first], np.diff(np.append(first, len(total)))))


def as_written(events: Events, typing: TypedEvents) -> TypedEvents:
    """Typing with what is left of its times once they are written in the resolution of the table's clock."""
    step = _resolution(events)
    if step == 0:
        return typing
    exact = press_times(typing, typing.latency)
    press, release = (np.floor(times / step + 0.5) * step for times in (exact, exact + typing.hold))
    latency = np.where(np.isnan(typing.latency), np.nan, np.diff(press, append=np.nan))
    return replace(typing, latency=latency, hold=release - press)


def _resolution(events: Events) -> float:
    """In ms; zero where any number can be written."""
    kind = events.table[events.columns.press].type()
    if kind.is_timestamp():
        return 1e-3
    if kind.is_floating() or (kind.is_string() and events.unit == "s"):
        return 0.0
    return 1 / PER_MS[events.unit]


@dataclass(frozen=True, kw_only=True)
class Rewritten:
    """New cells for some rows of the table; keys, givers and sessions only where they change."""

    row: Array
    press: Array  # ms
    release: Array
    key: Array | None = None  # names
    giver: Array | None = None  # the row from which columns that belong to single events are taken
    session: Array | None = None
    order: Array | None = None  # written as a helper column of its own


def with_times(events: Events, press: Array, release: Array) -> Table:
    """The table with new times (ms), in the unit and type of the old ones."""
    return rewritten(events, Rewritten(row=events.row, press=press, release=release))[0]


def rewritten(events: Events, new: Rewritten, moving: tuple[str, ...] = ()) -> tuple[Table, str]:
    """The rows that stay, with their new cells, and the name of the column that orders them.

    The columns `moving` go with the keys.
    """
    columns, taken = events.columns, list(events.table.columns)
    cells = {columns.press: _as_column(new.press, events, columns.press)}
    if columns.release is not None:
        cells[columns.release] = _as_column(new.release, events, columns.release)
    if new.key is not None and columns.key is not None:
        cells[columns.key] = _keys_as_column(new.key, events.table[columns.key].type())
    if new.session is not None:
        cells[columns.session] = pa.array(new.session.tolist(), pa.string())
    order, giver = engine.fresh(taken, "order"), engine.fresh(taken, "giver")
    names = {name: engine.fresh([*taken, order, giver], f"new_{place}") for place, name in enumerate(cells)}
    extra = {} if new.order is None else {order: new.order}
    given = {} if new.giver is None else {giver: new.giver}
    made = pa.table({events.row_column: new.row, **extra, **given, **{names[name]: cells[name] for name in cells}})
    joined = events.table.inner_join(engine.materialise(engine.listed(made)), events.row_column)
    fresh = {name: joined[names[name]].cast(_new_type(events, name, new)) for name in cells}
    table = joined.mutate(**fresh)
    if given:
        table = _with_given(table, giver, events, moving)
    return table.select(*taken, *extra), order


def _new_type(events: Events, name: str, new: Rewritten) -> Any:
    """A column keeps its type; sessions become text."""
    return "string" if new.session is not None and name == events.columns.session else events.table[name].type()


def moving_columns(table: Table, columns: KeyColumns, row: str) -> tuple[str, ...]:
    """Columns that differ from event to event go with the keys; those of a whole session stay with it."""
    known = {*columns.named().values(), row}
    others = [name for name in table.columns if name not in known]
    if not others:
        return ()
    whole = table.group_by(columns.student, columns.session)
    counted = whole.agg(**{name: table[name].nunique() for name in others})
    most = engine.arrow(counted.aggregate(**{name: counted[name].max() for name in others}))
    return tuple(name for name in others if (most[name][0].as_py() or 0) > 1)


def _with_given(table: Table, giver: str, events: Events, moving: tuple[str, ...]) -> Table:
    if not moving:
        return table
    names = {name: engine.fresh([*table.columns, giver], f"given_{place}") for place, name in enumerate(moving)}
    given = {names[name]: events.table[name] for name in moving}
    joined = table.inner_join(events.table.select(**{giver: events.table[events.row_column]}, **given), giver)
    return joined.mutate(**{name: joined[names[name]] for name in moving})


def _as_column(ms: Array, events: Events, name: str) -> pa.Array:
    """Times in the unit of the clock: numbers, or moments where the column holds moments."""
    kind = events.table[name].type()
    if kind.is_timestamp():
        whole = pa.array(np.where(np.isnan(ms), 0, np.round(ms * 1000)).astype(np.int64), mask=np.isnan(ms))
        return whole.cast(pa.timestamp("us"))
    value = ms * PER_MS[events.unit]
    if kind.is_floating() or events.unit == "s":
        return pa.array(value, from_pandas=True)
    return pa.array(np.where(np.isnan(value), 0, np.round(value)).astype(np.int64), mask=np.isnan(value))


def _keys_as_column(names: Array, kind: Any) -> pa.Array:
    texts = pa.array([name or None for name in names.tolist()], pa.string())
    return texts if kind.is_string() else texts.cast(pa.int64())


def in_order(table: Table, events: Events) -> Table:
    """A table with numbered rows as its rows stood, without the numbers."""
    return table.order_by(events.row_column).drop(events.row_column)


def _starts(student: Array, session: Array) -> Array:
    return np.asarray((np.diff(student, prepend=-1) != 0) | (np.diff(session, prepend=-1) != 0))
