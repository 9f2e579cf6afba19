"""Who was on the course? Membership attacks on the evidence of all invented files of a practice copy together.

The attacker has every file of everybody, knows the algorithm, and sees more than a copy: the students as they were
drawn, over all files joined, and the very shares of which the files are random draws. Rehearsals learn
from a half of the students; the other half is the control. See `lab.attacks`.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations

import numpy as np

from sharewell.contract import Risk
from sharewell.lab import judges
from sharewell.lab.attacks import Audit, MembershipAttack, Target, compared_with_own, density, look_at, targets, tracing
from sharewell.lab.cells import CountedCells, count_cells
from sharewell.lab.membership import AUC, TPR
from sharewell.lab.shadows import Look
from sharewell.lab.splits import SIDES, Split, draw_members, splits_for
from sharewell.lab.threads import one_thread
from sharewell.lab.tracing import Averages
from sharewell.practice.course import WholeCourse, learn
from sharewell.stats.arrays import Array
from sharewell.synthetic.contributions import UNIT

GATES = {AUC.id: "membership", TPR.id: "tpr"}
MOST_REHEARSED = 1_000  # students: fewer are easier to find
MOST_PAIRS = 60
WIDE = 1_000_003  # more than any column has values


@dataclass(frozen=True, eq=False)
class SeenCopy:
    """What an attacker sees of a copy: drawn students (columns × students), and totals of all cells of histograms."""

    codes: Array
    totals: Array


@dataclass(frozen=True, eq=False)
class JoinedProfile:
    """What the attacker computes once from the files of everybody; `share` of them are in a copy."""

    codes: Array  # columns × students
    student: Array  # of every part of every histogram
    cell: Array
    share: float

    @property
    def lengths(self) -> Array:
        return np.ones(self.codes.shape[1])

    @cached_property
    def groups(self) -> dict[str, CountedCells]:
        size = self.codes.shape[1]
        found = {
            name: count_cells(np.tile(np.arange(size), len(code)), code.ravel(), size, share=self.share)
            for name, code in self._cells(self.codes).items()
        }
        if self.cell.size:
            found["histograms"] = count_cells(self.student, self.cell, size, share=self.share)
        return found

    @cached_property
    def averages(self) -> dict[str, Averages]:
        return {name: group.averages for name, group in self.groups.items()}

    def look(self, fake: SeenCopy) -> Look:
        """The same counts of a copy, and how likely they make every student."""
        seen, likelier, cells = {}, {}, self._cells(fake.codes)
        for name, group in self.groups.items():
            if name == "histograms":
                totals = fake.totals[group.codes]
                every = int(max(totals.sum(), 1.0))
            else:
                totals, every = group.totals(cells[name].ravel()), cells[name].size
            seen[name] = group.observed(totals, every)
            likelier[name] = group.density(np.maximum(totals, 0.0))
        return Look(seen, likelier)

    def _cells(self, codes: Array) -> dict[str, Array]:
        pairs = list(combinations(range(codes.shape[0]), 2))
        drawn = sorted(np.random.default_rng(0).permutation(len(pairs))[:MOST_PAIRS])
        both = [(place * WIDE + codes[pairs[place][0]]) * WIDE + codes[pairs[place][1]] for place in drawn]
        found = {"values": codes + np.arange(codes.shape[0])[:, None] * WIDE}
        return {**found, "pairs": np.stack(both)} if both else found


ATTACKS: Mapping[str, MembershipAttack[Target[JoinedProfile]]] = {
    "tracing": MembershipAttack(
        "solves all counts of all files together for who was in them", tracing("values", "pairs", "histograms")
    ),
    "density": MembershipAttack(
        "asks whether what a student did in all files is likelier in the copy than in the population", density
    ),
    "likelihood-ratio": MembershipAttack(
        "compares that with copies made by the attacker, with the student in and without the student",
        compared_with_own,
    ),
}


@dataclass(kw_only=True)
class CourseRehearsals:
    """Models that learnt from halves of the students, made when they are asked for, and attacked together."""

    course: WholeCourse
    epsilon: float
    seed: int

    def __post_init__(self) -> None:
        who = np.flatnonzero(self.course.learnt_from)
        self.some = np.sort(np.random.default_rng([self.seed, 1]).permutation(who)[:MOST_REHEARSED])
        self.made: list[Split] = []

    @property
    def repeats(self) -> int:
        return splits_for(self.some.size, 0.5)

    def make(self, first: int, last: int) -> None:
        """Learn and draw, each on a half of its own; nothing of it is released."""
        for number in range(first, last):
            generator = np.random.default_rng([self.seed, 2, number])
            member = draw_members(self.some.size, self.some.size // 2, generator)
            inside = np.zeros(len(self.course.students), bool)
            inside[self.some[member]] = True
            model = learn(self.course, self.epsilon, generator, member=inside)
            drawn = model.leaves(int(member.sum()), generator)
            codes = np.stack([drawn[one.column.name] for one in self.course.columns])
            parts = UNIT * int(member.sum())
            totals = [model.histograms[one.name].shares.ravel() * parts for one in self.course.contributions]
            self.made.append(Split(SeenCopy(codes, np.concatenate([*totals, np.zeros(0)])), member))

    def risks(self, sides: float = SIDES) -> list[Risk]:
        """Attack every rehearsal with the help of the others."""
        audit, looks = Audit(), look_at(self.population, self.made)
        for target in targets(Target[JoinedProfile], self.population, self.made, looks):
            audit.attack(target, ATTACKS, seed=self.seed)
        return audit.risks(sides)

    @cached_property
    def population(self) -> JoinedProfile:
        codes = np.stack([one.codes[self.some] for one in self.course.columns])
        student, cell, before = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)], 0
        for one in self.course.contributions:
            parts = one.parts[self.some].tocoo()
            student.append(np.repeat(parts.row, parts.data))
            cell.append(np.repeat(parts.col + before, parts.data))
            before += one.parts.shape[1]
        return JoinedProfile(codes, np.concatenate(student), np.concatenate(cell), share=0.5)


def rehearsed(course: WholeCourse, epsilon: float, limits: Mapping[str, float], *, seed: int) -> list[Risk]:
    """Attack until every limit is met at its upper end, or missed for sure."""
    judge = CourseRehearsals(course=course, epsilon=epsilon, seed=seed)
    with one_thread():
        risks = judges.judged(judge.repeats, judge.make, judge.risks, {AUC: limits["membership"], TPR: limits["tpr"]})
    return list(_held(risks, limits))


def _held(risks: Sequence[Risk], limits: Mapping[str, float]) -> Iterator[Risk]:
    """Hold the strongest attacker to the limits, at the upper ends of intervals."""
    for risk in risks:
        gate = GATES.get(risk.measure.id) if "attack" in risk.setting else None
        yield risk if gate is None else replace(risk, gate=gate, limit=limits[gate], bound="high")
