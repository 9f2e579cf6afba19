"""Choose the least protection that keeps every attacker under the limits.

What is released and what is attacked. A secret draw keeps a part of the students aside: they never train the generator,
and whatever an attack says about them is what it says about strangers. The generator is fitted on the others, and
exactly what it writes is released. Attackers then try to tell the fitted students from those kept aside. In a small
course one such split scatters widely, so that luck would decide; the same fit and attack are therefore repeated on
other random splits, and the gate looks at the mean over the release and its repeats.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pyarrow as pa

from sharewell.contract import Curve, CurvePoint, Risk
from sharewell.data.keyed import Keyed
from sharewell.responses.kind import AUC, STEP_OVERLAP, TPR
from sharewell.responses.log import Columns, Log, read
from sharewell.responses.measure.membership_risks import membership_of, strongest
from sharewell.responses.protection.generator import Model, fit_log
from sharewell.responses.protection.items_left_out import students_per_item
from sharewell.responses.settings import Settings
from sharewell.responses.utility.histograms import step_error
from sharewell.stats.arrays import Array
from sharewell.stats.tradeoff import choose

STRENGTHS = (5, 8, 12, 20, 30, 40, 50, 65, 80, 100)
STEADY = 0.012  # standard error that the mean AUC should have
MOST_REPEATS = 20


@dataclass(frozen=True, kw_only=True)
class Candidate:
    """One strength of protection: the generator and what it wrote."""

    model: Model[Any]
    table: pa.Table
    member: Array

    def log(self, original: Log) -> Log:
        return read(self.table, coded_columns(self.model.columns), items=original.items)


@dataclass(frozen=True, kw_only=True)
class Search:
    """What is searched over: a log, how generators are fitted, and what attackers may reach."""

    log: Log
    columns: Columns
    settings: Settings
    strengths: Sequence[int]
    students: int  # to invent
    control: float
    repeats: int
    limits: Mapping[str, float]
    keyed: Keyed
    seed: int

    def members(self) -> Array:
        """The secret draw of who trains the generator that is released."""
        return members(self.log, self.control, self.keyed.generator("members"))

    def candidate(self, m: int) -> Candidate:
        """Fit on the students that the secret draw chose, and generate from secret draws."""
        return self._made(m, self.members(), self.keyed.generator(f"generate m={m}"))

    def attacked(self, m: int, made: Log) -> list[Risk]:
        """Every attack on the release, averaged with repeats of the same fit on other splits."""
        member = self.members()
        rounds = [membership_of(self.log, made, member, seed=self.seed)]
        for repeat in range(1, self.repeats):
            generator = np.random.default_rng([self.seed, repeat])
            again = members(self.log, 1 - float(member.mean()), generator)
            fresh = self._made(m, again, generator)
            rounds.append(membership_of(self.log, fresh.log(self.log), again, seed=self.seed))
        averaged = [_mean(same) for same in zip(*rounds, strict=True) if same[0].attacker != "strongest"]
        return averaged + strongest(averaged)

    def _made(self, m: int, member: Array, generator: np.random.Generator) -> Candidate:
        settings = replace(self.settings, m=m)
        model = fit_log(self.log.only(member), self.columns, settings, known=self.log.students)
        return Candidate(model=model, table=model.table(self.students, generator), member=member)


def search(asked: Search) -> tuple[Candidate, Curve]:
    """Search for the fewest students per step that meet every limit; the strongest where none does.

    More students per step mean less risk, so that halving the list finds the place with few fits.
    """
    tried: dict[int, tuple[Candidate, CurvePoint]] = {}
    low, high = 0, len(asked.strengths) - 1
    while low <= high:
        place = (low + high) // 2
        m = asked.strengths[place]
        made = asked.candidate(m)
        fake = made.log(asked.log)
        overlap = 1 - step_error(asked.log.only(made.member), fake)
        point = _point(m, asked.attacked(m, fake), overlap, asked.limits)
        tried[place] = (made, point)
        low, high = (low, place - 1) if point.meets else (place + 1, high)
    curve = choose(
        [tried[place][1] for place in sorted(tried)],
        strength="students that every step needs",
        risk=AUC,
        utility=STEP_OVERLAP,
        limit=asked.limits.get("membership"),
        note=_note(asked.strengths),
    )
    best = next(
        (made for made, point in tried.values() if curve.chosen and point.strength == curve.chosen.strength), None
    )
    return best or tried[max(tried)][0], curve


def coded_columns(columns: Columns) -> Columns:
    """What attacks look at."""
    return Columns(student=columns.student, item=columns.item, correct=columns.correct)


def members(log: Log, control: float, generator: np.random.Generator) -> Array:
    """Who trains the generator; the others are kept aside."""
    aside = generator.permutation(log.lengths.size)[: math.ceil(control * log.lengths.size)]
    member = np.ones(log.lengths.size, dtype=bool)
    member[aside] = False
    return member


def repeats_for(log: Log, control: float) -> int:
    """Splits needed for a steady mean: an AUC without signal has variance (1/a + 1/b)/12."""
    outside = control * log.lengths.size
    variance = (1 / outside + 1 / (log.lengths.size - outside)) / 12
    return min(MOST_REPEATS, max(1, math.ceil(variance / STEADY**2)))


def strengths_for(log: Log, control: float) -> tuple[int, ...]:
    """Strengths that leave something: items that hold half of the rows must have so many fitted students."""
    per_row = np.sort((1 - control) * students_per_item(log)[log.item])
    most = max(STRENGTHS[0], int(per_row[per_row.size // 2]))
    return tuple(m for m in STRENGTHS if m <= most)


def _note(strengths: Sequence[int]) -> str:
    if len(strengths) == 1:
        return f"Fixed at {strengths[0]}; without m in the plan the fewest that meet the limits are searched."
    return f"The fewest of {', '.join(map(str, strengths))} students per step that meet every limit are taken."


def _point(m: int, risks: list[Risk], overlap: float, limits: Mapping[str, float]) -> CurvePoint:
    worst = {risk.measure: risk for risk in risks if risk.attacker == "strongest"}
    auc, tpr = worst[AUC], worst[TPR]
    meets = auc.value <= limits.get("membership", 1.0) and tpr.value <= limits.get("tpr", 1.0)
    return CurvePoint(
        label=f"m = {m}", strength=m, risk=auc.value, utility=overlap, meets=meets, low=auc.low, high=auc.high
    )


def _mean(same: Sequence[Risk]) -> Risk:
    """The mean of one measure over the splits; half-widths shrink with the root of their number."""
    value = float(np.mean([risk.value for risk in same]))
    wide = [(risk.value - (risk.low or 0.0), (risk.high or 1.0) - risk.value) for risk in same]
    below, above = np.mean(wide, axis=0) / math.sqrt(len(same))
    return replace(
        same[0],
        value=value,
        low=max(0.0, value - float(below)),
        high=min(1.0, value + float(above)),
        setting={**same[0].setting, "splits": len(same), "this release": round(same[0].value, 4)},
    )
