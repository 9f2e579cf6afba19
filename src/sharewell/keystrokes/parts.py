"""A file that is not held whole: its students in an order that only the key knows, in parts on disk.

The students of the first part stand for all: on them the way to protect is chosen, and from them everybody takes
rhythms and keys. All others are attacked when it comes to judge, and chose nothing.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
from ibis.expr.types import Table

from sharewell.data import engine
from sharewell.data.keyed import Keyed
from sharewell.keystrokes.arrays import Array

FIRST = 0  # the part of those who stand for all
LARGE = 4_000_000  # events from which on a file is not held whole, some 650 bytes for each
STAND_FOR_ALL = 2_000_000  # events of the students of the first part
IN_A_PART = 1_000_000  # events: what is held at a time beside the first part
LEAST_STUDENTS = 200  # who can stand for all: a file of fewer who typed more each is held whole


@dataclass(frozen=True, kw_only=True)
class Roster:
    """All students, sorted by name, and the part that each belongs to."""

    names: Array
    part: Array

    @property
    def parts(self) -> int:
        return int(self.part.max()) + 1

    def of(self, names: Array) -> Array:
        """The number of each of some students among all."""
        return np.searchsorted(self.names, names)

    def students(self, part: int) -> int:
        return int((self.part == part).sum())

    def only(self, parts: Iterable[int]) -> "Roster":
        here = np.isin(self.part, list(parts))
        return Roster(names=self.names[here], part=self.part[here])


@dataclass(frozen=True, kw_only=True)
class Parts:
    """A table of numbered rows, part by part: students with all of their events."""

    files: Mapping[int, tuple[Path, ...]]
    columns: tuple[str, ...]
    row: str  # the column that numbers the rows as they stood in the file

    def table(self, part: int) -> Table:
        return engine.read(*self.files[part]).select(*self.columns)


def is_large(events: Table, student: str) -> bool:
    count = int(engine.value(events.count()))
    if count <= LARGE:
        return False
    students = int(engine.value(events[student].nunique()))
    return bool(students * STAND_FOR_ALL >= LEAST_STUDENTS * count)


def roster(events: Table, student: str, keyed: Keyed) -> Roster:
    counted = engine.arrow(events.group_by(name=events[student].cast("string")).agg(events=events.count()))
    names = np.array(counted["name"].to_pylist(), dtype=str)
    by_name = np.argsort(names)
    names, sizes = names[by_name], counted["events"].to_numpy()[by_name]
    order = np.argsort(np.array(list(map(keyed.digest("parts"), names.tolist()))))
    part = np.empty(len(names), dtype=np.int64)
    part[order] = _parts(sizes[order])
    return Roster(names=names, part=part)


def _parts(sizes: Array) -> Array:
    """The part of each student in the order of the key: those who stand for all, and the others in even parts."""
    before = np.cumsum(sizes) - sizes
    first = before < STAND_FOR_ALL
    rest = sizes[~first]
    number = -(-int(rest.sum()) // IN_A_PART)
    result = np.zeros(len(sizes), dtype=np.int64)
    result[~first] = 1 + (np.cumsum(rest) - rest) * number // max(1, int(rest.sum()))
    return result


def parted(table: Table, student: str, students: Roster) -> Parts:
    """The rows of these students, with the numbers that they have in the whole file."""
    row, part, who = (engine.fresh(table.columns, stem) for stem in ("row", "part", "who"))
    numbered = engine.materialise(engine.numbered(table, row))
    listed = engine.materialise(engine.listed(pa.table({who: students.names.tolist(), part: students.part})))
    joined = numbered.inner_join(listed, numbered[student].cast("string") == listed[who])
    files = engine.buckets(joined.select(*numbered.columns, part), part)
    return Parts(files=files, columns=tuple(numbered.columns), row=row)
