"""Who was in? Membership attacks on invented rows, rehearsed on generators that learnt from a half of the students.

The attacker holds the table of everybody, knows the algorithm and its settings, and asks of every student whether the
generator learnt from them. What is counted are values and pairs of values; see `lab.attacks`. A generator
that learns from all students discloses less of each than one of half as many: rehearsals are the harder case.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations

import numpy as np
import pyarrow as pa

from sharewell.contract import Risk
from sharewell.lab.attacks import Audit, MembershipAttack, Target, compared_with_own, density, look_at, targets, tracing
from sharewell.lab.cells import CountedCells, count_cells
from sharewell.lab.membership import Scores
from sharewell.lab.shadows import Look
from sharewell.lab.splits import SIDES, Split, draw_members
from sharewell.lab.tracing import Averages
from sharewell.records.arrays import Array
from sharewell.records.synthetic.generator import Wanted, fit_table
from sharewell.records.utility.yardsticks import Comparison, comparison

MOST_REHEARSED = 1_000  # students: fewer are easier to find
MOST_PAIRS = 60
WIDE = 1_000_003  # more than any column has values


@dataclass(frozen=True)
class RowProfile:
    """What the attacker computes once from the table of everybody; `share` of them are in a release."""

    codes: Array  # columns × students
    pairs: tuple[tuple[int, int], ...]
    share: float

    @property
    def lengths(self) -> Array:
        return np.ones(self.codes.shape[1])

    @cached_property
    def groups(self) -> dict[str, CountedCells]:
        student = np.arange(self.codes.shape[1])
        return {
            name: count_cells(np.tile(student, len(code)), code.ravel(), student.size, share=self.share)
            for name, code in self._cells(self.codes).items()
        }

    @cached_property
    def averages(self) -> dict[str, Averages]:
        return {name: group.averages for name, group in self.groups.items()}

    def look(self, fake: Array) -> Look:
        """The same counts of invented rows, and how likely they make every student."""
        seen, likelier, cells = {}, {}, self._cells(fake)
        for name, group in self.groups.items():
            totals = group.totals(cells[name].ravel())
            seen[name] = group.observed(totals, cells[name].size)
            likelier[name] = group.density(totals)
        return Look(seen, likelier)

    def _cells(self, codes: Array) -> dict[str, Array]:
        found = {"values": codes + np.arange(codes.shape[0])[:, None] * WIDE}
        if self.pairs:
            both = [(number * WIDE + codes[a]) * WIDE + codes[b] for number, (a, b) in enumerate(self.pairs)]
            found["pairs"] = np.stack(both)
        return found


RowTarget = Target[RowProfile]


def _nearest(target: RowTarget) -> Scores:
    """How many cells of a student the most similar invented row has, plain and less those of the nearest real one."""
    ours, theirs = target.profile.codes.T, target.fake.T
    to_fake = np.array([(theirs == row).sum(axis=1).max() for row in ours], float)
    to_real = np.array([np.partition((ours == row).sum(axis=1), -2)[-2] for row in ours], float)
    plain = ({"calibrated": False}, to_fake)
    return Scores(by_setting=[plain, ({"calibrated": True}, to_fake - to_real)], about=target.everyone)


ATTACKS: Mapping[str, MembershipAttack[RowTarget]] = {
    "tracing": MembershipAttack("solves all released counts together for who was in them", tracing("values", "pairs")),
    "density": MembershipAttack(
        "asks whether a student's values are likelier in the release than in the population", density
    ),
    "likelihood-ratio": MembershipAttack(
        "compares that with releases made by the attacker, with the student in and without the student",
        compared_with_own,
    ),
    "nearest": MembershipAttack("looks for the invented row with most of a student's values", _nearest),
}


@dataclass(kw_only=True)
class Rehearsals:
    """Generators that learnt from halves of the students, made when they are asked for, and attacked together."""

    rows: pa.Table
    wanted: Wanted
    seed: int

    def __post_init__(self) -> None:
        some = np.random.default_rng([self.seed, 1]).permutation(self.rows.num_rows)[:MOST_REHEARSED]
        self.rows = self.rows.take(pa.array(np.sort(some)))
        self.names = [name for name in self.rows.column_names if name != self.wanted.student]
        self.made: list[Split] = []

    def make(self, first: int, last: int) -> None:
        """Fit and generate, each on a half of its own; nothing of it is released."""
        for number in range(first, last):
            generator = np.random.default_rng([self.seed, 2, number])
            member = draw_members(self.rows.num_rows, self.rows.num_rows // 2, generator)
            inside = self.rows.filter(pa.array(member))
            fake = fit_table(inside, self.wanted, generator).table(inside.num_rows, generator)
            both = self._both(fake)
            self.made.append(Split(np.stack([column.after for column in both.columns]), member))

    def risks(self, sides: float = SIDES) -> list[Risk]:
        """Attack every rehearsal with the help of the others."""
        audit, looks = Audit(), look_at(self.population, self.made)
        for target in targets(RowTarget, self.population, self.made, looks):
            audit.attack(target, ATTACKS, seed=self.seed)
        return audit.risks(sides)

    @cached_property
    def population(self) -> RowProfile:
        codes = np.stack([column.before for column in self._both(self.rows).columns])
        pairs = list(combinations(range(len(self.names)), 2))
        drawn = np.random.default_rng([self.seed, 3]).permutation(len(pairs))[:MOST_PAIRS]
        return RowProfile(codes=codes, pairs=tuple(pairs[place] for place in sorted(drawn)), share=0.5)

    def _both(self, fake: pa.Table) -> Comparison:
        return comparison(self.rows, fake, self.names, self.wanted.categories, self.seed)


def gated(risks: Sequence[Risk], gates: Mapping[str, str], limits: Mapping[str, float]) -> Iterator[Risk]:
    """Hold the strongest attacker to the limits, at the upper ends of intervals."""
    for risk in risks:
        gate = gates.get(risk.measure.id) if "attack" in risk.setting else None
        limit = limits.get(gate) if gate else None
        yield risk if limit is None else replace(risk, gate=gate, limit=limit, bound="high")
