"""Key events as partitions by student, in an order that only the key knows; a small file is one partition.

What the partitions are follows from the data, the key and a fixed size, never from workers or memory. On the first one
the setting is chosen, on others it is judged.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
from ibis.expr.types import Table

from sharewell.data import engine
from sharewell.data.keyed import Keyed
from sharewell.errors import InputError
from sharewell.keystrokes.arrays import Array

FIRST = 0  # where the setting is chosen
MOST_EVENTS = 2_000_000  # of a partition: what is in memory at a time, some 650 bytes for each
LEAST_STUDENTS = 200  # of a partition: students hide among those of their own


@dataclass(frozen=True, kw_only=True)
class StudentPartitions:
    """All students, sorted by name, and the partition that each belongs to."""

    names: Array
    partition: Array

    @property
    def partitions(self) -> int:
        return int(self.partition.max()) + 1

    @property
    def sizes(self) -> Array:
        """The number of students of each partition."""
        return np.bincount(self.partition)

    def of(self, names: Array) -> Array:
        """The number of each of some students among all."""
        return np.searchsorted(self.names, names)


@dataclass(frozen=True, kw_only=True)
class Partitions:
    """A table of numbered rows, partition by partition: students with all of their events."""

    whole: Table | None  # where there is one partition; otherwise
    files: Mapping[int, tuple[Path, ...]]
    columns: tuple[str, ...]
    row: str  # the column that numbers the rows as they stood in the file

    def table(self, partition: int) -> Table:
        return self.whole if self.whole is not None else engine.read(*self.files[partition]).select(*self.columns)


def roster(events: Table, student: str, keyed: Keyed) -> StudentPartitions:
    """Students in the order of the key, in as many even partitions as keep each within its size."""
    counted = engine.arrow(events.group_by(name=events[student].cast("string")).agg(events=events.count()))
    names = np.array(counted["name"].to_pylist(), dtype=str)
    by_name = np.argsort(names)
    names, sizes = names[by_name], counted["events"].to_numpy()[by_name]
    order = np.argsort(np.array(list(map(keyed.digest("partitions"), names.tolist()))))
    number = max(1, min(-(-int(sizes.sum()) // MOST_EVENTS), len(names) // LEAST_STUDENTS))
    before = np.cumsum(sizes[order]) - sizes[order]
    partition = np.empty(len(names), dtype=np.int64)
    partition[order] = before * number // max(1, int(sizes.sum()))
    return StudentPartitions(names=names, partition=partition)


def at_least_two_students(students: StudentPartitions, column: str) -> None:
    if len(students.names) < 2:
        raise InputError("has fewer than two students: nobody can be hidden among others", column=column)


def partitioned(table: Table, student: str, students: StudentPartitions) -> Partitions:
    """The rows of these students, with the numbers that they have in the whole file."""
    row, part, who = (engine.fresh(table.columns, stem) for stem in ("row", "part", "who"))
    numbered = engine.materialise(engine.numbered(table, row))
    columns = tuple(numbered.columns)
    if students.partitions == 1:
        return Partitions(whole=numbered, files={}, columns=columns, row=row)
    listed = engine.materialise(engine.listed(pa.table({who: students.names.tolist(), part: students.partition})))
    joined = numbered.inner_join(listed, numbered[student].cast("string") == listed[who])
    files = engine.buckets(joined.select(*columns, part), part)
    return Partitions(whole=None, files=files, columns=columns, row=row)
