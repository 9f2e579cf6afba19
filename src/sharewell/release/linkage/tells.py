"""What a file tells of each student, whatever its columns are called.

How much there is of a student, when, which values, how long the texts, who answers whom: everything here can be
compared with another file that shares not one column name with this one.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import ibis
import numpy as np
from ibis.expr.types import Column, Table
from scipy import sparse

from sharewell.data import engine
from sharewell.release.linkage.file import File
from sharewell.stats.arrays import Array

READS_AS = 0.95  # of the cells of a text column that must read as numbers or times for the column to count as such
FEW_VALUES = 500  # a column with more values is compared by its numbers only, unless it is text
ISO_WEEK = r"^\d{4}-W\d{2}$"


@dataclass(frozen=True)
class ValueCounts:
    """How often each student has each value: coordinates of a sparse table."""

    student: Array  # places in `Tells.students`
    value: Array  # texts, or seconds since 1970 for times
    times: Array


@dataclass(frozen=True)
class Tells:
    """One file, reduced to what can be compared."""

    label: str
    students: Array  # the original ids, sorted
    numbers: dict[str, Array]  # by what they are: a number per student, nan where there is none
    moments: dict[str, ValueCounts]  # by time column
    values: dict[str, ValueCounts]  # by column
    graph: sparse.csr_matrix | None  # who mentions whom, how often

    def at(self, students: Array) -> "Tells":
        """The same for some of the students, in the given order."""
        place = np.searchsorted(self.students, students)
        turned = np.full(self.students.size, -1)
        turned[place] = np.arange(students.size)
        return Tells(
            label=self.label,
            students=students,
            numbers={name: numbers[place] for name, numbers in self.numbers.items()},
            moments={name: _turned(counted, turned) for name, counted in self.moments.items()},
            values={name: _turned(counted, turned) for name, counted in self.values.items()},
            graph=None if self.graph is None else self.graph[place][:, place],
        )


def _turned(counted: ValueCounts, turned: Array) -> ValueCounts:
    student = turned[counted.student]
    kept = student >= 0
    return ValueCounts(student[kept], counted.value[kept], counted.times[kept])


def told(file: File) -> Tells:
    """Everything comparable that the released file holds."""
    table = file.table.filter(file.table[file.student].notnull())
    table = table.mutate(**{file.student: table[file.student].cast("string")})
    looks = {name: _looks(table, name, file) for name in table.columns if name != file.student}
    rows = engine.arrow(_numbers(table, file, looks).order_by("who"))
    students = np.asarray(rows["who"].to_pylist(), dtype=str)
    order = np.argsort(students)
    students = students[order]
    numbers = {
        name: np.asarray(rows[name].to_pandas(), dtype=float)[order] for name in rows.column_names if name != "who"
    }
    graph = _graph(table, file, students)
    return Tells(
        label=file.label,
        students=students,
        numbers={**{name: column for name, column in numbers.items() if _varies(column)}, **_degrees(graph)},
        moments={
            name: _counted(table, file, _moment(table[name]).epoch_seconds().cast("int64"), students)
            for name, look in looks.items()
            if look == "time"
        },
        values={
            name: _counted(table, file, _text(table[name], look), students)
            for name, look in looks.items()
            if look in ("value", "small number")
        },
        graph=graph,
    )


def _varies(column: Array) -> bool:
    present = column[np.isfinite(column)]
    return present.size > 1 and bool(present.min() < present.max())


def _looks(table: Table, name: str, file: File) -> str:
    """What a column is, by its cells: opaque, text, time, number, small number (few values) or value."""
    if name in file.text:
        return "text"
    if name in file.opaque:
        return "opaque"
    column = table[name]
    if column.type().is_timestamp() or column.type().is_date():
        return "time"
    cells = column.cast("string")
    found = table.aggregate(
        filled=column.count(),
        numbers=cells.try_cast("float64").count(),
        moments=_moment(column).count(),
        different=cells.nunique(),
    )
    (row,) = engine.arrow(found).to_pylist()
    if row["filled"] and row["numbers"] >= READS_AS * row["filled"]:
        return "small number" if row["different"] <= FEW_VALUES else "number"
    if row["filled"] and row["moments"] >= READS_AS * row["filled"]:
        return "time"
    return "value"


def _moment(column: Column) -> Any:
    """A cell as a time; a week such as 2025-W07 is its Monday."""
    if column.type().is_timestamp() or column.type().is_date():
        return column.cast("timestamp")
    cells = column.cast("string")
    if column.type().is_numeric():
        return cells.re_extract(ISO_WEEK, 0).nullif("").try_cast("timestamp")  # a number is no time
    year, week = cells.substr(0, 4).try_cast("int32"), cells.substr(6, 2).try_cast("int32")
    fourth = ibis.date(year, 1, 4)  # always in the first week (ISO 8601)
    monday = fourth - ibis.interval(days=1) * fourth.day_of_week.index().cast("int32")
    of_week = monday + ibis.interval(days=7) * (week - 1)
    return cells.re_search(ISO_WEEK).ifelse(of_week.cast("timestamp"), cells.try_cast("timestamp"))


def _text(column: Column, look: str) -> Any:
    cells = column.cast("string")
    return cells.try_cast("float64").cast("string") if look == "small number" else cells.strip().lower()


def _numbers(table: Table, file: File, looks: dict[str, str]) -> Table:
    """One row per student: rows, firsts and lasts, distinct values, means, sums, lengths."""
    named = dict(_aggregates(table, looks))
    return table.group_by(who=table[file.student]).aggregate(rows=table.count().cast("float64"), **named)


def _aggregates(table: Table, looks: dict[str, str]) -> Iterator[tuple[str, Any]]:
    for name, look in looks.items():
        column = table[name]
        yield f"different {name}", column.nunique().cast("float64")
        yield f"filled {name}", column.count().cast("float64")
        if look == "text":
            length = column.cast("string").length().cast("float64")
            yield f"letters of {name}", length.sum()
            yield f"mean length of {name}", length.mean()
        elif look == "time":
            seconds = _moment(column).epoch_seconds().cast("float64")
            yield f"first {name}", seconds.min()
            yield f"last {name}", seconds.max()
            yield f"mean {name}", seconds.mean()
        elif look in ("number", "small number"):
            number = column.cast("string").try_cast("float64")
            number = number.isinf().ifelse(ibis.null(), number)
            yield f"sum of {name}", number.sum()
            yield f"mean {name}", number.mean()
            yield f"least {name}", number.min()
            yield f"most {name}", number.max()


def _counted(table: Table, file: File, value: Any, students: Array) -> ValueCounts:
    pairs = table.select(who=table[file.student], value=value)
    pairs = pairs.filter(pairs.value.notnull())
    rows = engine.arrow(pairs.group_by(["who", "value"]).aggregate(times=pairs.count()))
    who = np.asarray(rows["who"].to_pylist(), dtype=str)
    text = rows["value"].to_pylist()
    kind = np.int64 if text and not isinstance(text[0], str) else str
    return ValueCounts(
        np.searchsorted(students, who).astype(np.int64), np.asarray(text, dtype=kind), np.asarray(rows["times"], float)
    )


def _graph(table: Table, file: File, students: Array) -> sparse.csr_matrix | None:
    """Who mentions whom: by a column of peers, or by a number of a row that another row refers to."""
    edges = [_mentions(table, file, name) for name in file.peers]
    edges += [_references(table, file, one, other) for one in file.ids for other in file.ids if one != other]
    rows = [(who, whom) for edge in edges for who, whom in edge]
    if not rows:
        return None
    who, whom = (np.asarray([row[side] for row in rows], dtype=str) for side in (0, 1))
    known = np.isin(whom, students)
    cells = np.searchsorted(students, who[known]), np.searchsorted(students, whom[known])
    return sparse.csr_matrix((np.ones(known.sum()), cells), shape=(students.size, students.size))


def _mentions(table: Table, file: File, name: str) -> Sequence[tuple[str, str]]:
    pairs = table.select(who=table[file.student], whom=table[name].cast("string"))
    return _pairs(pairs)


def _references(table: Table, file: File, refers: str, number: str) -> Sequence[tuple[str, str]]:
    """A reply names the post that it answers: whose post was that?"""
    here = table.select(who=table[file.student], at=table[refers].cast("string"))
    there = table.select(whom=table[file.student], number=table[number].cast("string"))
    joined = here.filter(here.at.notnull()).join(there.distinct(), here.at == there.number)
    return _pairs(joined.select("who", "whom"))


def _pairs(pairs: Table) -> Sequence[tuple[str, str]]:
    rows = engine.arrow(pairs.filter(pairs.whom.notnull() & (pairs.who != pairs.whom)))
    return list(zip(rows["who"].to_pylist(), rows["whom"].to_pylist(), strict=True))


def _degrees(graph: sparse.csr_matrix | None) -> dict[str, Array]:
    """How many a student answers, is answered by, and how busy those are."""
    if graph is None or graph.nnz == 0:
        return {}
    links = (graph > 0).astype(float)
    out, back = (np.asarray(links.sum(axis=axis)).ravel() for axis in (1, 0))
    neighbours = links + links.T
    busy = neighbours @ (out + back)
    found = {"answers to": out, "answered by": back, "how busy their partners are": busy}
    return {name: numbers for name, numbers in found.items() if _varies(numbers)}
