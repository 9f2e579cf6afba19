"""Several rows per student (one per course, enrolment or certificate): students must look alike in all their rows.

A table that is k-anonymous row by row may still leave a student alone by the combination of their rows (Cohen 2021, on
the person-course file of edX). So the unit is the student: what is compared is the whole collection of a student's
released rows, how many there are included. To know any number of them (k^m-anonymity for every m; Terrovitis,
Mamoulis and Kalnis 2008) still leaves k students. l and t apply to every kind of row of every group of look-alikes:
who knows a student and one of their rows does not learn what is sensitive in it. Students who stay too recognisable
are left out with all their rows: rows of `*` would still show how many there were.
"""

from dataclasses import dataclass, replace

import numpy as np
from ibis.expr.types import Table

from sharewell.data import engine
from sharewell.data.coded import Coded, code_column
from sharewell.errors import Refused
from sharewell.records.arrays import Array
from sharewell.records.closeness import closeness, is_ordered
from sharewell.records.given_hierarchies import gather
from sharewell.records.hierarchies import Hierarchy
from sharewell.records.limits import Limits
from sharewell.records.protection.settings import Settings


@dataclass(frozen=True, kw_only=True)
class StudentRows:
    """Rows in the order of their students: coded quasi columns, and which student each row belongs to."""

    columns: tuple[Coded, ...]
    hierarchies: dict[str, Hierarchy]
    student: Array  # from 0, one per row, not falling
    order: Array  # the place of every row in the table
    sensitive: tuple[Coded, ...] = ()


@dataclass(frozen=True, kw_only=True)
class RowsTried:
    """Levels, who would be left out, and the loss: a cell of a student who is left out costs 1."""

    levels: tuple[int, ...]
    gone: Array  # bool, one per student
    loss: float


def read(table: Table, student: str, settings: Settings, row: str) -> StudentRows:
    quasi = settings.quasi
    rows = engine.arrow(table.select(student, row, *quasi, *settings.sensitive))
    who = code_column(student, rows[student]).codes
    order = np.argsort(who, kind="stable")
    columns = tuple(code_column(name, rows[name]) for name in quasi)
    counts = {column.name: np.bincount(column.codes, minlength=len(column.values)) for column in columns}
    made = gather(settings.hierarchies, {column.name: column.values for column in columns}, counts)
    coded = tuple(Coded(name=c.name, values=c.values, codes=c.codes[order]) for c in columns)
    places = np.asarray(rows[row].to_numpy())[order]
    others = tuple(code_column(name, rows[name]) for name in settings.sensitive)
    secret = tuple(Coded(name=c.name, values=c.values, codes=c.codes[order]) for c in others)
    return StudentRows(columns=coded, hierarchies=made, student=who[order], order=places, sensitive=secret)


def recode(rows: StudentRows, limits: Limits) -> RowsTried:
    """Greedy from the top: always the one step down that loses least and leaves out few enough students."""
    top = tuple(rows.hierarchies[column.name].height for column in rows.columns)
    here = best = evaluate(rows, top, limits)
    if best.gone.mean() > limits.max_suppressed:
        raise Refused(f"even with every quasi column hidden, {_why(rows, top, limits)} to meet {limits}")
    while True:
        steps = [(*here.levels[:c], level - 1, *here.levels[c + 1 :]) for c, level in enumerate(here.levels) if level]
        tried = [evaluate(rows, levels, limits) for levels in steps]
        fine = [one for one in tried if one.gone.mean() <= limits.max_suppressed]
        if not fine:
            return best
        here = min(fine, key=lambda one: one.loss)
        best = min(best, here, key=lambda one: one.loss)


def _why(rows: StudentRows, top: tuple[int, ...], limits: Limits) -> str:
    """What no coarser quasi column can change: how many rows students have, or what a sensitive column holds."""
    if evaluate(replace(rows, sensitive=()), top, limits).gone.mean() <= limits.max_suppressed:
        gone = {one.name: evaluate(replace(rows, sensitive=(one,)), top, limits).gone.mean() for one in rows.sensitive}
        worst = max(gone, key=lambda name: gone[name])
        return f"the values of the sensitive column '{worst}' lie too close together or too far apart"
    return "the number of rows alone singles too many students out"


def evaluate(rows: StudentRows, levels: tuple[int, ...], limits: Limits) -> RowsTried:
    classes = np.zeros(rows.student.size, np.int64)
    lost = np.zeros(rows.student.size)
    for column, level in zip(rows.columns, levels, strict=True):
        hierarchy = rows.hierarchies[column.name]
        place = np.array([hierarchy.position[value] for value in column.values])[column.codes]
        lost += hierarchy.loss(level)[place]
        groups = hierarchy.groups[level][place]
        classes = np.unique(classes * (int(groups.max()) + 1) + groups, return_inverse=True)[1].reshape(-1)
    gone = left_out(rows, classes, limits)
    lost[gone[rows.student]] = len(levels)
    return RowsTried(levels=levels, gone=gone, loss=float(lost.mean() / len(levels)))


def left_out(rows: StudentRows, classes: Array, limits: Limits) -> Array:
    """Students whose group misses a limit. The others are measured again without them, until nothing changes."""
    groups = collections(rows.student, classes)
    gone: Array = np.bincount(groups)[groups] < limits.k
    kinds = np.unique(np.stack([groups[rows.student], classes]), axis=1, return_inverse=True)[1].reshape(-1)
    while not gone.all():
        missed = np.zeros(int(groups.max()) + 1, bool)
        kept = ~gone[rows.student]
        for column in rows.sensitive:
            wrong = _wrong_kinds(kinds[kept], column, column.codes[kept], limits)
            missed[groups[rows.student[kept]][wrong[kinds[kept]]]] = True
        more = missed[groups] & ~gone
        if not more.any():
            return gone
        gone = gone | more
    return gone


def _wrong_kinds(kinds: Array, column: Coded, codes: Array, limits: Limits) -> Array:
    """Which kinds of rows, each of one group, hold too few sensitive values or values too far from everyone's."""
    counts = np.zeros((int(kinds.max()) + 1, len(column.values)))
    np.add.at(counts, (kinds, codes), 1)
    wrong: Array = (counts > 0).sum(axis=1) < (limits.l or 1)
    if limits.t is not None:
        seen = counts[:, counts.sum(axis=0) > 0]  # a value of nobody who is left is none of this file's
        values = tuple(value for value, count in zip(column.values, counts.sum(axis=0), strict=True) if count)
        wrong |= closeness(seen, ordered=is_ordered(values)) > limits.t + 1e-12
    seen_at_all: Array = wrong & (counts.sum(axis=1) > 0)
    return seen_at_all


def collections(student: Array, classes: Array) -> Array:
    """For every student the number of their group: those with the same collection of rows."""
    order = np.lexsort((classes, student))
    starts = np.flatnonzero(np.diff(student[order], prepend=-1))
    own = np.split(classes[order], starts[1:])
    numbers: dict[bytes, int] = {}
    return np.array([numbers.setdefault(one.tobytes(), len(numbers)) for one in own])


def look_alikes(student: Array, classes: Array) -> Array:
    """For every student, how many have the same collection of rows."""
    which = collections(student, classes)
    alike: Array = np.bincount(which)[which]
    return alike
