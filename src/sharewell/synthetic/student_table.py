"""A file with one row per student, in a practice copy: every column is a feature of the student."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa

from sharewell.errors import InputError
from sharewell.stats.arrays import Array
from sharewell.synthetic.columns import ModelledColumn, ReadColumn
from sharewell.synthetic.contributions import Contributions, NoisyHistogram
from sharewell.synthetic.invented_students import Clock, InventedStudents, for_everybody
from sharewell.synthetic.placeholders import placeholders
from sharewell.synthetic.reading import read

PRESENT = "in the file"
ANSWERS = ("no", "yes")


@dataclass(frozen=True, kw_only=True, eq=False)
class StudentTable:
    """The rows as they are; `named` columns identify by themselves and become placeholders."""

    label: str
    rows: pa.Table
    student: str
    students: Sequence[str]
    columns: Mapping[str, ReadColumn]  # by the name of the column; those that could be read
    fewest: int

    def weeks(self) -> tuple[Array, Array]:
        return np.zeros(0, np.int64), np.zeros(0, np.int64)

    def features(self, place: Array, size: int) -> list[ReadColumn]:
        if size - place.size < self.fewest:  # who is lacking is not learnt from
            return [self._of_those(self._named(one), place, size) for one in self.columns.values()]
        found = [for_everybody(self._named(one), place, size) for one in self.columns.values()]
        inside = np.isin(np.arange(size), place)
        there = pa.chunked_array([[ANSWERS[one] for one in inside.astype(int).tolist()]])
        return [*found, read(self._feature(PRESENT), there, listed=ANSWERS)]

    def lacking(self, place: Array, size: int) -> Array:
        """Who is in other files only, where those are too few to be learnt from."""
        others = np.setdiff1d(np.arange(size), place)
        return others if others.size < self.fewest else others[:0]

    def contributions(self, place: Array, size: int, clock: Clock) -> list[Contributions]:
        return []

    def expand(self, cohort: InventedStudents, learnt: Mapping[str, NoisyHistogram]) -> pa.Table:
        """A row for every student who is in the file."""
        present = cohort.leaves.get(self._feature(PRESENT))
        there = np.arange(cohort.size) if present is None else np.flatnonzero(present == ANSWERS.index("yes"))
        cells = {self.student: cohort.ids.take(pa.array(there))}
        for name in self.rows.column_names:
            if name in self.columns:
                column = self.columns[name].column
                cells[name] = column.decoded(cohort.leaves[self._feature(name)][there], cohort.generator)
            elif name != self.student:
                cells[name] = placeholders(name, self.rows[name], there.size)
        return pa.table({name: cells[name] for name in self.rows.column_names})

    def _of_those(self, one: ReadColumn, place: Array, size: int) -> ReadColumn:
        codes = np.zeros(size, np.int64)
        codes[place] = one.codes
        return replace(one, codes=codes)

    def _feature(self, name: str) -> str:
        return f"{self.label}: {name}"

    def _named(self, one: ReadColumn) -> ReadColumn:
        return replace(one, column=replace(one.column, name=self._feature(one.column.name)))


def student_table(
    label: str, rows: pa.Table, student: str, *, named: Sequence[str], categories: Sequence[str], fewest: int
) -> StudentTable:
    """Read what can be read of every column that does not identify by itself."""
    columns = {}
    for name in rows.column_names:
        if name != student and name not in named:
            found = readable(name, rows[name], category=name in categories, fewest=fewest)
            if found is not None:
                columns[name] = found
    students = rows[student].cast(pa.string()).to_pylist()
    return StudentTable(label=label, rows=rows, student=student, students=students, columns=columns, fewest=fewest)


def readable(name: str, cells: pa.ChunkedArray, *, category: bool, fewest: int) -> ReadColumn | None:
    """Read a column of numbers or of values that enough rows share, if it is one."""
    if cells.null_count == len(cells) or pa.types.is_nested(cells.type):
        return None
    try:
        return read(name, cells, category=category, fewest=fewest)
    except InputError:
        return None


def plain(column: ModelledColumn) -> Array:
    """The leaves that can be drawn."""
    return np.array([not leaf.rare for leaf in column.leaves])
