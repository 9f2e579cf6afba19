"""One model of a whole course: a table of students over all files, and histograms of what they did, under one budget.

Files are neighbours if they differ in one student with everything that the student has in any of them. The table is
learnt as invented records are (`synthetic.table_model`), with one row per student; each histogram gets one from every
student in all (`synthetic.contributions`). Their costs in zCDP add up; what is drawn from them costs nothing more.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
import pyarrow as pa

from sharewell.errors import InputError
from sharewell.stats.arrays import Array
from sharewell.synthetic.columns import Leaf, ModelledColumn, ReadColumn
from sharewell.synthetic.contributions import Contributions, NoisyHistogram, measure, statement
from sharewell.synthetic.invented_students import Clock, InventedStudents, PracticeFile, with_rare
from sharewell.synthetic.placeholders import invented_like
from sharewell.synthetic.sampling import sample
from sharewell.synthetic.table_model import TableModel, fit_columns
from sharewell.synthetic.zcdp import epsilon_of, rho_of, usual_delta

ROUNDING = 1 - 1e-6  # of the budget is spent, so that rounding never ends above it
STUDENTS = 0.8  # of the budget: the table of students; the rest is for histograms
ALONE = 0.3  # of that: every column by itself
SAME = 0.98  # of the students: two columns that agree are one
LAST = "last week"
UNIT = "one student, with everything in all files: whether the student was on the course or not"
OUTSIDE = (
    "names and types of columns and files; which values are listed (those that enough students share) and where ranges "
    "of numbers, counts and weeks end; which columns belong to the student, and which ones the item decides (the skill "
    "of an exercise); which columns miss cells, and what stands for them; the power of two that δ comes from; and how "
    "much of the budget was spent, with what attacks on rehearsals reached"
)


@dataclass(frozen=True, kw_only=True, eq=False)
class WholeCourse:
    """Everything that a copy may learn from, file by file; nothing of it is released."""

    files: Mapping[str, PracticeFile]
    targets: tuple[str, ...] = ()  # features that analysts predict
    marks: tuple[str, ...] = ()  # other outcomes
    fewest: int = 5

    @cached_property
    def students(self) -> list[str]:
        """The ids of all students, in the order of the first file that has them."""
        return list(dict.fromkeys(one for file in self.files.values() for one in file.students))

    @cached_property
    def learnt_from(self) -> Array:
        """Leave out a handful whom a file of all students lacks (teachers, as a rule)."""
        found = np.ones(len(self.students), bool)
        for file in self.files.values():
            found[file.lacking(self._places(file), found.size)] = False
        return found

    @cached_property
    def clock(self) -> Clock:
        """From the first to the last week in which enough students were active."""
        active = [self._weeks(file) for file in self.files.values()]
        pairs = np.unique(np.concatenate([np.stack(one, axis=1) for one in active]), axis=0) if active else []
        weeks, students = np.unique(np.asarray(pairs)[:, 1], return_counts=True)
        kept = weeks[students >= self.fewest]
        return Clock(first=int(kept.min()), weeks=int(np.ptp(kept)) + 1) if kept.size else Clock(first=0, weeks=1)

    @cached_property
    def columns(self) -> list[ReadColumn]:
        """Join the features of all files, and the last week in any.

        Columns that agree stand once."""
        found = [
            one
            for file in self.files.values()
            for one in file.features(self._places(file), len(self.students))
            if len(one.column.leaves) > 1
        ]
        found = [one for one in found if self.same[one.column.name] == one.column.name] if found else found
        return [*found, self._last()] if self.clock.weeks > 1 else found

    @cached_property
    def same(self) -> Mapping[str, str]:
        """Map each feature to the first of the same name that agrees with it."""
        every = [one for file in self.files.values() for one in file.features(self._places(file), len(self.students))]
        found: dict[str, str] = {}
        for place, one in enumerate(every):
            twin = next((other for other in every[:place] if _agree(one, other)), one)
            found[one.column.name] = found.get(twin.column.name, twin.column.name)
        return found

    @cached_property
    def constant(self) -> list[str]:
        """Features with one value."""
        every = (one for file in self.files.values() for one in file.features(self._places(file), len(self.students)))
        return [one.column.name for one in every if len(one.column.leaves) == 1]

    @cached_property
    def contributions(self) -> list[Contributions]:
        return [
            one
            for file in self.files.values()
            for one in file.contributions(self._places(file), len(self.students), self.clock)
        ]

    @property
    def together(self) -> list[tuple[str, str]]:
        """Name pairs to count in any case: outcomes × activity, activity × activity."""
        names = [one.column.name for one in self.columns]
        rows = [name for name in names if name.endswith(": rows")]
        did = [*rows, *(name for name in names if ": mean " in name), *(name for name in names if name == LAST)]
        aims, marks = (
            [name for name in dict.fromkeys(self.same.get(one, one) for one in wanted) if name in names]
            for wanted in (self.targets, self.marks)
        )
        pairs = [(aim, one) for aim in aims for one in (*did, *marks)]
        means = [name for name in did if ": mean " in name]
        pairs += [*((mark, one) for mark in marks for one in (*rows[:1], *means)), *pairwise(rows)]
        return list(dict.fromkeys(pair for pair in pairs if pair[0] != pair[1]))

    def _places(self, file: PracticeFile) -> Array:
        return np.array([self._place[one] for one in file.students], np.int64)

    @cached_property
    def _place(self) -> dict[str, int]:
        return {one: place for place, one in enumerate(self.students)}

    def _weeks(self, file: PracticeFile) -> tuple[Array, Array]:
        owner, weeks = file.weeks()
        return self._places(file)[owner] if owner.size else owner, weeks

    def _last(self) -> ReadColumn:
        last = np.full(len(self.students), -1)
        for file in self.files.values():
            owner, weeks = self._weeks(file)
            np.maximum.at(last, owner, np.clip(weeks - self.clock.first, 0, self.clock.weeks - 1))
        leaves = tuple(Leaf(low=float(week), high=week + 1.0) for week in range(self.clock.weeks))
        column = ModelledColumn(name=LAST, type=pa.int64(), leaves=leaves, ordered=len(leaves))
        if (last < 0).any():
            column = with_rare(column)
        return ReadColumn(column=column, codes=np.where(last < 0, len(leaves), last))


@dataclass(frozen=True, kw_only=True, eq=False)
class PracticeModel:
    """What was learnt: noisy counts, no row of anybody."""

    table: TableModel
    histograms: Mapping[str, NoisyHistogram]
    promise: Mapping[str, Any]

    def leaves(self, size: int, generator: np.random.Generator) -> dict[str, Array]:
        """Draw a leaf of every feature for so many students."""
        codes = sample(self.table.model, size, generator)
        return {
            one.column.name: one.leaves(code, generator) for one, code in zip(self.table.fields, codes, strict=True)
        }


def learn(
    course: WholeCourse, epsilon: float, generator: np.random.Generator, *, member: Array | None = None
) -> PracticeModel:
    """Learn from all students, or from some (a mask), within ε at δ = 1/n²."""
    member = course.learnt_from if member is None else course.learnt_from & member
    size = int(member.sum())
    delta = usual_delta(size)
    whole = ROUNDING * rho_of(epsilon, delta)
    columns = [replace(one, codes=one.codes[member]) for one in course.columns]
    histograms = [one.of(member) for one in course.contributions]
    share = STUDENTS if histograms else 1.0
    table = fit_columns(
        columns, share * whole, generator, targets=course.targets, together=course.together, alone=ALONE
    )
    each = (1 - share) * whole / max(1, len(histograms))
    learnt = {one.name: measure(one, each, generator) for one in histograms}
    spent = [*table.spent, *statement(learnt)]
    rho = sum(float(one["rho"]) for one in spent)
    promise = {
        "epsilon": epsilon, "delta": delta, "spent epsilon": epsilon_of(rho, delta), "rho": rho, "unit": UNIT,
        "outside": OUTSIDE, "spent": spent,
    }  # fmt: skip
    return PracticeModel(table=table, histograms=learnt, promise=promise)


def invent(course: WholeCourse, model: PracticeModel, generator: np.random.Generator) -> dict[str, pa.Table]:
    """Draw students, and every file from them."""
    size = max(1, round(model.table.rows))
    drawn = model.leaves(size, generator)
    leaves = {name: drawn[one] for name, one in course.same.items() if one in drawn}
    leaves |= {name: np.zeros(size, np.int64) for name in course.constant}
    last = drawn.get(LAST, np.zeros(size, np.int64))
    cohort = InventedStudents(
        ids=pa.array(invented_like(course.students, size)), leaves=leaves, last=last, clock=course.clock,
        generator=generator,
    )  # fmt: skip
    return {label: file.expand(cohort, model.histograms) for label, file in course.files.items()}


def check(course: WholeCourse) -> None:
    """Refuse a course that is too small to hide anybody in."""
    if len(course.students) < 10 * course.fewest:
        raise InputError(
            f"a practice copy of fewer than {10 * course.fewest} students would be noise alone; "
            "take more students, or a narrower audience"
        )


def _agree(one: ReadColumn, other: ReadColumn) -> bool:
    """Whether two columns of one name say the same of nearly every student whom both know."""
    same_name = one.column.name.partition(": ")[2] == other.column.name.partition(": ")[2]
    values = [[leaf.value for leaf in column.leaves if not leaf.rare] for column in (one.column, other.column)]
    if not same_name or values[0] != values[1] or any(leaf.is_range for leaf in one.column.leaves):
        return False
    known = np.minimum(one.codes, other.codes) < len(values[0])
    known &= np.maximum(one.codes, other.codes) < len(values[0])
    return bool(known.any() and (one.codes[known] == other.codes[known]).mean() >= SAME)
