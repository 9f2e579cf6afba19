"""Profiles of logs larger than memory: events pass once, in the order of the file, through a kernel.

The kernel remembers, per student, the session, the key and the time of the last event. Names travel as 64-bit hashes.
A file in which a session is torn apart or runs backwards is noticed, sorted by the engine and read again.
"""

from dataclasses import dataclass
from typing import Any, NamedTuple

import ibis
import numpy as np
from ibis.expr.types import Table

from sharewell.data import engine
from sharewell.data.formats.batches import batches
from sharewell.errors import InputError
from sharewell.keystrokes.arrays import Array
from sharewell.keystrokes.latencies import LONGEST_MS, SHORTEST_MS, TO
from sharewell.keystrokes.samples import TypingSample
from sharewell.stats.compiled import njit

ROWS = 1_000_000  # per batch
CELLS = 40_000_000  # students × features held at once; beyond it rare keys are taken together
COUNT, TOTAL, LOG, SQUARE = range(4)


@dataclass(frozen=True, kw_only=True)
class Codes:
    """Names in order, and the hashes by which the kernel knows them."""

    names: Array
    lookup: Any  # numba's dictionary of whole numbers


def stream(events: Table) -> TypingSample:
    """The sample of canonical events (see `events.canonical`), read once."""
    students = _codes(events, "student", None)
    most = int(np.sqrt(CELLS / max(1, len(students.names))))
    keys = _codes(events, "key", max(2, most - 1))
    cells = _pass(events, students, keys)
    if cells is None:
        cells = _pass(events.order_by("student", "session", "press", "row"), students, keys)
    if cells is None:
        raise InputError("two students share one identifier of a session and cannot be kept apart", column="session")
    return _sample(cells, students.names, keys.names)


def _codes(events: Table, column: str, most: int | None) -> Codes:
    """The distinct names of a column; only the `most` frequent where that is given."""
    counted = events.group_by(name=events[column]).agg(uses=events.count())
    counted = counted.mutate(hash=counted.name.hash()).order_by(ibis.desc("uses"), "name")
    rows = engine.arrow(counted if most is None else counted.limit(most))
    names, hashes = np.array(rows["name"].to_pylist(), dtype=str), rows["hash"].to_numpy().astype(np.int64)
    order = np.argsort(names)
    lookup = _dictionary()
    for code, position in enumerate(order):
        lookup[hashes[position]] = code
    return Codes(names=names[order], lookup=lookup)


def _dictionary() -> Any:
    from numba import types
    from numba.typed import Dict

    return Dict.empty(key_type=types.int64, value_type=types.int64)


def _pass(events: Table, students: Codes, keys: Codes) -> Array | None:
    """Counts and sums per student and feature; None where the order of the rows did not allow it."""
    width = len(keys.names) + 1
    cells = np.zeros((len(students.names), width * width + width, 4))
    last = np.full((len(students.names), 2), -1, dtype=np.int64)
    pressed = np.zeros(len(students.names))
    closed = _dictionary()
    tally = StreamTally(cells=cells, last=last, pressed=pressed, closed=closed)
    hashed = events.select(
        student=events.student.hash(),
        session=events.session.hash(),
        key=events.key.hash(),
        press=events.press,
        release=events.release.fill_null(np.nan),
    )
    for batch in batches(hashed, ROWS):
        columns = [batch.column(name).to_numpy(zero_copy_only=False) for name in hashed.columns]
        batch_of = Batch(*(column.view(np.int64) for column in columns[:3]), *columns[3:])
        if not _add(batch_of, students.lookup, keys.lookup, tally):
            return None
    return cells


class Batch(NamedTuple):
    """Events in the order of the file: hashes of student, session and key, and two times."""

    who: Array
    where: Array
    key: Array
    press: Array
    release: Array


class StreamTally(NamedTuple):
    """What a pass carries from batch to batch: counts and sums, the last session and key, and sessions that ended."""

    cells: Array
    last: Array
    pressed: Array
    closed: Any


@njit(cache=True)
def _add(batch: Batch, students: Any, keys: Any, tally: StreamTally) -> bool:  # pragma: no cover — compiled
    """Add a batch; False where a session came back after another, or time ran backwards within one."""
    who, where, key, press, release = batch
    cells, last, pressed, closed = tally
    rare = len(keys)
    width = rare + 1
    student, known_hash = -1, np.int64(0)
    for event in range(len(who)):
        if student < 0 or who[event] != known_hash:
            known_hash = who[event]
            student = students[known_hash]
        code = keys.get(key[event], rare)
        session = where[event] ^ (known_hash * 3)
        if session != last[student, 0] or last[student, 1] < 0:
            if session in closed:
                return False
            closed[session] = 1
        else:
            gap = press[event] - pressed[student]
            if gap < 0:
                return False
            if SHORTEST_MS <= gap <= LONGEST_MS:
                _count(cells, student, last[student, 1] * width + code, gap)
        hold = release[event] - press[event]
        if SHORTEST_MS <= hold <= LONGEST_MS:
            _count(cells, student, width * width + code, hold)
        last[student, 0], last[student, 1], pressed[student] = session, code, press[event]
    return True


@njit(cache=True, inline="always")
def _count(cells: Array, student: int, feature: int, ms: float) -> None:  # pragma: no cover — compiled
    log = np.log(ms)
    cells[student, feature, COUNT] += 1
    cells[student, feature, TOTAL] += ms
    cells[student, feature, LOG] += log
    cells[student, feature, SQUARE] += log * log


def _sample(cells: Array, students: Array, keys: Array) -> TypingSample:
    names = [*keys, "other keys"]
    features = np.array([f"latency {a}{TO}{b}" for a in names for b in names] + [f"hold {key}" for key in names])
    order = np.argsort(features)
    position = np.empty(len(order), dtype=np.int64)
    position[order] = np.arange(len(order))
    student, feature = np.nonzero(cells[:, :, COUNT])
    count, total, log, square = cells[student, feature].T
    return TypingSample(
        students=students,
        features=features[order],
        student=student,
        feature=position[feature],
        count=count,
        mean=total / count,
        log_mean=log / count,
        log_spread=np.maximum(square - log * log / count, 0.0),
    )
