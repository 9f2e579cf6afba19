"""Who was in? Membership attacks on invented rows, rehearsed on generators that learnt from a half of the students.

The attacker holds the table of everybody, knows the algorithm and its settings, and asks of every student whether the
generator learnt from them. What is counted are values and pairs of values; see `lab.membership` and `stats.tracing`.
A generator that learns from all students tells less of each than one of half as many: rehearsals are the harder case.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations
from typing import Any

import numpy as np
import pyarrow as pa
from scipy.sparse import csr_matrix

from sharewell.contract import Risk
from sharewell.lab.membership import compared_with_own, density, tracing
from sharewell.records.arrays import Array
from sharewell.records.synthetic.generator import Wanted, fit_table
from sharewell.records.utility.yardsticks import Comparison, comparison
from sharewell.stats.membership import Measured, Scores, measured, strongest
from sharewell.stats.over_splits import SIDES, risks_over_splits
from sharewell.stats.shadows import Look, Shadow, draw_members, strengths, told_by
from sharewell.stats.tracing import Averages, Equations, Observed

MOST_REHEARSED = 1_000  # students: fewer are easier to find
MOST_PAIRS = 60
SIZES = (2, 3, 5, 8, 12, 20, 40, 80, 160, 640)  # students behind a count: counts between two of these are alike
SMALL = 1.0  # counts added: what the release lacks is not impossible
WIDE = 1_000_003  # more than any column has values


@dataclass(frozen=True)
class OneRowEach:
    """Every student has one row."""

    lengths: Array


@dataclass(frozen=True)
class CountedCells:
    """One way to count the rows: known cells, and students × cells."""

    cells: Array
    table: csr_matrix
    averages: Averages

    def totals(self, cells: Array) -> Array:
        """How often the known cells occur among others."""
        place = np.minimum(np.searchsorted(self.cells, cells), self.cells.size - 1)
        return np.bincount(place[self.cells[place] == cells], minlength=self.cells.size)


@dataclass(frozen=True)
class RowPopulation:
    """What the attacker works out once from the table of everybody; `share` of them are in a release."""

    codes: Array  # columns × students
    pairs: tuple[tuple[int, int], ...]
    share: float

    @property
    def log(self) -> OneRowEach:
        return OneRowEach(np.ones(self.codes.shape[1]))

    @cached_property
    def groups(self) -> dict[str, CountedCells]:
        found = {"values": _counted(_values(self.codes), self.share)}
        if self.pairs:
            found["pairs"] = _counted(_pairs(self.codes, self.pairs), self.share)
        return found

    @cached_property
    def known(self) -> dict[str, Averages]:
        return {name: group.averages for name, group in self.groups.items()}

    def look(self, fake: Array) -> Look:
        """The same counts of invented rows, and how likely they make every student."""
        cells = {"values": _values(fake), "pairs": _pairs(fake, self.pairs)}
        seen, likelier = {}, {}
        for name, group in self.groups.items():
            totals, every = group.totals(cells[name].ravel()), max(cells[name].size, 1)
            share = group.averages.share
            plain = np.clip(share, SMALL / 2 / every, 1 - SMALL / 2 / every)
            seen[name] = Observed(change=totals / every - share, size=every / (plain * (1 - plain)))
            own = np.asarray(group.table.sum(axis=0)).ravel()
            theirs = (totals + SMALL) / (every + SMALL * totals.size)
            ours = (own + SMALL) / (own.sum() + SMALL * own.size)
            likelier[name] = np.asarray(group.table @ np.log(theirs / ours))
        return Look(seen, likelier)


@dataclass(frozen=True)
class RowsPair:
    """A release, who was in, and the releases that the attacker made."""

    population: RowPopulation
    fake: Array
    look: Look
    shadows: tuple[Shadow, ...]

    @cached_property
    def equations(self) -> dict[str, Equations]:
        trust = strengths(self.population.known, self.shadows)
        return told_by(self.population.known, self.look, trust)

    @property
    def everyone(self) -> Array:
        return np.ones(self.population.codes.shape[1], bool)


def _nearest(pair: RowsPair) -> Scores:
    """How many cells of a student the most similar invented row has, plain and less those of the nearest real one."""
    ours, theirs = pair.population.codes.T, pair.fake.T
    to_fake = np.array([(theirs == row).sum(axis=1).max() for row in ours], float)
    to_real = np.array([np.partition((ours == row).sum(axis=1), -2)[-2] for row in ours], float)
    scores: list[tuple[Mapping[str, Any], Array]] = [({"calibrated": False}, to_fake)]
    return Scores(by_setting=[*scores, ({"calibrated": True}, to_fake - to_real)], about=pair.everyone)


@dataclass(frozen=True)
class RowsAttack:
    """What an attacker does, in plain words, and how."""

    story: str
    score: Callable[[RowsPair], Scores]


ATTACKS: Mapping[str, RowsAttack] = {
    "tracing": RowsAttack("solves all released counts together for who was in them", tracing("values", "pairs")),
    "density": RowsAttack(
        "asks whether a student's values are likelier in the release than in the population", density
    ),
    "likelihood-ratio": RowsAttack(
        "compares that with releases made by the attacker, with the student in and without the student",
        compared_with_own,
    ),
    "nearest": RowsAttack("looks for the invented row with most of a student's values", _nearest),
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
        self.made: list[tuple[Array, Array]] = []

    def make(self, first: int, last: int) -> None:
        """Fit and generate, each on a half of its own; nothing of it is released."""
        for number in range(first, last):
            generator = np.random.default_rng([self.seed, 2, number])
            member = draw_members(self.rows.num_rows, self.rows.num_rows // 2, generator)
            inside = self.rows.filter(pa.array(member))
            fake = fit_table(inside, self.wanted, generator).table(inside.num_rows, generator)
            both = self._both(fake)
            self.made.append((member, np.stack([column.after for column in both.columns])))

    def risks(self, sides: float = SIDES) -> list[Risk]:
        """Attack every rehearsal with the help of the others."""
        found: dict[str, list[Measured]] = {name: [] for name in ATTACKS}
        looks = [self.population.look(fake) for _, fake in self.made]
        shadows = [Shadow(look, member) for look, (member, _) in zip(looks, self.made, strict=True)]
        for number, (member, fake) in enumerate(self.made):
            others = tuple(shadow for place, shadow in enumerate(shadows) if place != number)
            pair = RowsPair(self.population, fake, looks[number], others)
            for name, attack in ATTACKS.items():
                scores = attack.score(pair)
                found[name].append(measured(name, scores, member, self.seed, story=attack.story))
        risks = [risk for same in found.values() for risk in risks_over_splits(same, sides=sides)]
        return [*risks, *strongest(risks)]

    @cached_property
    def population(self) -> RowPopulation:
        codes = np.stack([column.before for column in self._both(self.rows).columns])
        pairs = list(combinations(range(len(self.names)), 2))
        drawn = np.random.default_rng([self.seed, 3]).permutation(len(pairs))[:MOST_PAIRS]
        return RowPopulation(codes=codes, pairs=tuple(pairs[place] for place in sorted(drawn)), share=0.5)

    def _both(self, fake: pa.Table) -> Comparison:
        return comparison(self.rows, fake, self.names, self.wanted.categories, self.seed)


def gated(risks: Sequence[Risk], gates: Mapping[str, str], limits: Mapping[str, float]) -> Iterator[Risk]:
    """Hold the strongest attacker to the limits, at the upper ends of intervals."""
    for risk in risks:
        gate = gates.get(risk.measure.id) if "attack" in risk.setting else None
        limit = limits.get(gate) if gate else None
        yield risk if limit is None else replace(risk, gate=gate, limit=limit, bound="high")


def _values(codes: Array) -> Array:
    found: Array = codes + np.arange(codes.shape[0])[:, None] * WIDE
    return found


def _pairs(codes: Array, pairs: Sequence[tuple[int, int]]) -> Array:
    if not pairs:
        return np.zeros((0, codes.shape[1]), np.int64)
    return np.stack([(number * WIDE + codes[a]) * WIDE + codes[b] for number, (a, b) in enumerate(pairs)])


def _counted(cells: Array, share: float) -> CountedCells:
    known, place = np.unique(cells, return_inverse=True)
    student = np.broadcast_to(np.arange(cells.shape[1]), cells.shape).ravel()
    shape = (cells.shape[1], known.size)
    table = csr_matrix((np.ones(cells.size), (student, place.reshape(-1))), shape=shape)
    totals = np.asarray(table.sum(axis=0)).ravel()
    every = float(totals.sum())
    averages = Averages(
        counts=csr_matrix(table.T),
        base=csr_matrix(np.full((1, cells.shape[1]), float(cells.shape[0]))),
        over=np.zeros(known.size, np.int64),
        share=totals / every,
        scale=np.full(known.size, 1 / (share * every)),
        family=np.searchsorted(SIZES, totals, side="right"),
    )
    return CountedCells(known, table, averages)
