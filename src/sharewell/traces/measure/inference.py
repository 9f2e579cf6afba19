"""Measure what kept columns say of a student through others with the same rows."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from ibis.expr.types import Table

from sharewell.contract import Protected, Risk
from sharewell.data import engine
from sharewell.lab.inference import INFERENCE, as_risk, halves, read
from sharewell.plan.windows import parse
from sharewell.traces.arrays import Array
from sharewell.traces.kept_columns import KeptColumns
from sharewell.traces.log import Log, reduce
from sharewell.traces.protection.count_bands import banded
from sharewell.traces.protection.group_values import BETWEEN, per_student
from sharewell.traces.protection.recoding import OTHER
from sharewell.traces.row_classes import row_hashes, trace_hashes
from sharewell.traces.side_by_side import both, same_students

PARTS = 10  # of the time of the log, in each of which an attacker knows how much a student did
FEWEST = 5  # students who have a value, or it is read as one of the others


@dataclass(frozen=True, kw_only=True)
class Sides:
    """Hold both tables, the classes of identical rows, and what is known of each."""

    original: Table
    released: Table
    ids: pa.Array  # of the released students
    known: Array  # what an attacker knows of each of them
    classes: Array  # of identical rows
    student: str
    kept: KeptColumns


def seen(events: Table, made: Protected, kept: KeptColumns, *, student: str, at: str, quasi: Sequence[str]) -> Sides:
    """Both sides at the resolution that the release states."""
    window = parse(made.facts["window"])
    if at in made.table.columns:
        before, after = both(events, made.table, student=student, at=at, also=(*quasi, *kept.listed), window=window)
        before = replace(before, events=banded(before.events, made.facts.get("counts", "all")))
        there = np.flatnonzero(after.lengths > 0)
        students, ids, hashes = (
            same_students(before, after)[there],
            after.ids.take(pa.array(there)),
            trace_hashes(after),
        )
        classes = np.unique(hashes[there], return_inverse=True)[1]
    else:  # one row per student
        before = reduce(events, student=student, at=at, window=window)
        rows = engine.arrow(row_hashes(made.table.drop(*kept.private), student).order_by("who"))
        ids = rows["who"].combine_chunks()
        students = np.asarray(pc.index_in(ids.cast(before.ids.type), value_set=before.ids))
        classes = np.unique(rows["low"].to_pylist(), return_inverse=True)[1]
    return Sides(original=events, released=made.table, ids=ids, known=_activity(before)[students], classes=classes,
                 student=student, kept=kept)  # fmt: skip


def risks(sides: Sides, columns: Sequence[str], *, limit: float | None, seed: int) -> Iterator[Risk]:
    """Compare reading each column with a student's own class and without it.

    Numbers that are published by a key of their own are the same in all classes: nothing is read off one.
    """
    ids, known, classes = sides.ids, sides.known, sides.classes
    for name in columns:
        if name not in sides.released.columns or name in sides.kept.numbers:
            continue
        own = per_student(sides.original, name, student=sides.student, ids=ids)
        if name in sides.kept.shared and pa.types.is_string(own.type):
            truth, shown = _of_words(own, _shares_said(sides, name, ids), classes)
        elif pa.types.is_string(own.type):
            said = per_student(sides.released, name, student=sides.student, ids=ids)
            truth, shown = _of_words(own, [{str(word): 1.0} for word in said.to_pylist()], classes)
        else:
            truth, shown = _of_numbers(own, per_student(sides.released, name, student=sides.student, ids=ids), classes)
        has = truth >= 0
        if has.sum() > 1:
            _, place = np.unique(classes[has], return_inverse=True)
            found = read(place, known[has], shown[np.unique(classes[has])], truth[has], seed=seed)
            yield as_risk(found, name, limit=limit, seed=seed)


def nothing_left(sides: Sides, *, limit: float) -> Risk:
    """Where none of the columns that could be read is in the release."""
    return Risk(
        measure=INFERENCE, attacker="reads kept columns", value=0.0, n=len(sides.ids),
        gate="inference", limit=limit, story="No kept column that could be read is left.",
    )  # fmt: skip


def as_values(own: pa.Array) -> Array:
    """Number the values of a column from 0, numbers by their middle; -1: missing."""
    if pa.types.is_string(own.type):
        words = own.to_pylist()
        often = _often(words)
        return np.array([-1 if word is None else often.get(word, len(often)) for word in words], np.int64)
    values = np.asarray(own.fill_null(np.nan), float)
    there = ~np.isnan(values)
    return np.where(there, values > halves(values[there]), -1).astype(np.int64)


def _often(words: Sequence[str | None]) -> dict[str, int]:
    values, counts = np.unique([word for word in words if word is not None], return_counts=True)
    return {str(value): number for number, value in enumerate(values[counts >= FEWEST])}


def _of_words(own: pa.Array, said: Sequence[dict[str, float]], classes: Array) -> tuple[Array, Array]:
    """Return each student's value, and the shares that the release gives a class."""
    often = _often(own.to_pylist())
    scores = np.zeros((len(said), len(often) + 1))
    for row, words in enumerate(said):
        for word, share in words.items():
            scores[row, often.get(word, len(often))] += share
    return as_values(own), _by_class(scores, classes)


def _of_numbers(own: pa.Array, said: pa.Array, classes: Array) -> tuple[Array, Array]:
    """Return whether students are above the middle, and how far their class is."""
    middle = halves(np.asarray(own.drop_null(), float))
    above = np.asarray(said.fill_null(np.nan), float) - middle
    return as_values(own), _by_class(np.column_stack([-above, above]), classes)


def _by_class(scores: Array, classes: Array) -> Array:
    """The mean over the members of a class of whom something is said."""
    there = np.isfinite(scores).all(axis=1)
    sums = np.zeros((int(classes.max(initial=-1)) + 1, scores.shape[1]))
    np.add.at(sums, classes[there], scores[there])
    members = np.bincount(classes[there], minlength=len(sums))[:, None]
    return np.where(members > 0, sums / np.maximum(members, 1), np.nan)


def _shares_said(sides: Sides, name: str, ids: pa.Array) -> list[dict[str, float]]:
    """The shares that a cell of a group lists, by value."""
    cells = per_student(sides.released, name, student=sides.student, ids=ids).to_pylist()
    return [_read(cell) for cell in cells]


def _read(cell: str | None) -> dict[str, float]:
    parts = (part.rpartition(" ") for part in (cell or f"{OTHER} 1").split(BETWEEN))
    return {word: float(share) for word, _, share in parts}


def _activity(log: Log) -> Array:
    """Count each student's events in all and by part of the time, and when."""
    windows = log.keys[log.points] // log.combinations_count
    first, last = int(windows.min(initial=0)), int(windows.max(initial=0))
    part = np.minimum((windows - first) * PARTS // max(1, last - first + 1), PARTS - 1)
    counts = np.zeros((log.students, PARTS))
    np.add.at(counts, (log.owners, part), log.events)
    ends = np.zeros((log.students, 2))
    active = log.lengths > 0
    ends[active, 0] = windows[log.starts[:-1][active]]
    ends[active, 1] = windows[log.starts[1:][active] - 1]
    return np.column_stack([np.sqrt(counts), np.sqrt(counts.sum(axis=1)), log.lengths, ends])
