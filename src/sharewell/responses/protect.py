"""Choose the least protection that keeps every attacker under the limits.

What is released and what is attacked. A secret draw keeps a part of the students aside: they never train the generator,
and whatever an attack says about them is what it says about strangers. The generator is fitted on the others, and
exactly what it writes is released. Attackers then try to tell the fitted students from those kept aside. In a small
course one such split scatters widely, so that luck would decide; the same fit and attack are therefore repeated on
other random splits, and the gate looks at the mean over the release and its repeats.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa

from sharewell.contract import Curve, CurvePoint, Risk
from sharewell.data.keyed import Keyed
from sharewell.responses.log import Columns, Log, read
from sharewell.responses.model import Model, fit_log
from sharewell.responses.risk import membership_of, strongest
from sharewell.responses.settings import Settings
from sharewell.responses.usable import students_per_item
from sharewell.responses.utility import step_error
from sharewell.stats.tradeoff import choose

STRENGTHS = (5, 8, 12, 20, 30, 40, 50, 65, 80, 100)
STEADY = 0.012  # standard error that the mean AUC should have
MOST_REPEATS = 20


@dataclass(frozen=True, kw_only=True)
class Candidate:
    """One strength of protection: the generator and what it wrote."""

    model: Model
    table: pa.Table
    member: np.ndarray

    def log(self, original: Log) -> Log:
        return read(self.table, coded_columns(self.model.columns), items=original.items)


def coded_columns(columns: Columns) -> Columns:
    """What attacks look at."""
    return Columns(student=columns.student, item=columns.item, correct=columns.correct)


def members(log: Log, control: float, generator: np.random.Generator) -> np.ndarray:
    """Who trains the generator; the others are kept aside."""
    aside = generator.permutation(log.lengths.size)[: math.ceil(control * log.lengths.size)]
    member = np.ones(log.lengths.size, dtype=bool)
    member[aside] = False
    return member


def candidate(
    log: Log, columns: Columns, settings: Settings, *, students: int, control: float, draws: Keyed
) -> Candidate:
    """Fit on the students that the secret draw chose, and generate from secret draws."""
    member = members(log, control, draws.generator("members"))
    return _made(log, columns, settings, member, students, draws.generator(f"generate m={settings.m}"))


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


def attacked(
    log: Log, columns: Columns, settings: Settings, made: Log, member: np.ndarray, *, repeats: int, seed: int
) -> list[Risk]:
    """Every attack on the release, averaged with repeats of the same fit on other splits."""
    rounds = [membership_of(log, made, member, seed=seed)]
    for repeat in range(1, repeats):
        generator = np.random.default_rng([seed, repeat])
        again = members(log, 1 - float(member.mean()), generator)
        fresh = _made(log, columns, settings, again, made.lengths.size, generator)
        rounds.append(membership_of(log, fresh.log(log), again, seed=seed))
    averaged = [_mean(same) for same in zip(*rounds, strict=True) if same[0].attacker != "strongest"]
    return averaged + strongest(averaged)


def sweep(
    log: Log,
    columns: Columns,
    settings: Settings,
    *,
    strengths: Sequence[int],
    students: int,
    control: float,
    repeats: int,
    limits: dict[str, float],
    draws: Keyed,
    seed: int,
) -> tuple[Candidate, Curve]:
    """Search for the fewest students per step that meet every limit; the strongest where none does.

    More students per step mean less risk, so that halving the list finds the place with few fits.
    """
    tried: dict[int, tuple[Candidate, CurvePoint]] = {}
    low, high = 0, len(strengths) - 1
    while low <= high:
        place = (low + high) // 2
        stronger = replace(settings, m=strengths[place])
        made = candidate(log, columns, stronger, students=students, control=control, draws=draws)
        fake = made.log(log)
        risks = attacked(log, columns, stronger, fake, made.member, repeats=repeats, seed=seed)
        point = _point(stronger.m, risks, 1 - step_error(log.only(made.member), fake), limits)
        tried[place] = (made, point)
        low, high = (low, place - 1) if point.meets else (place + 1, high)
    curve = choose(
        [tried[place][1] for place in sorted(tried)],
        strength="students that every step needs",
        risk="strongest membership AUC",
        utility="overlap of step frequencies",
        limit=limits.get("membership"),
        note=_note(strengths),
    )
    best = next(
        (made for made, point in tried.values() if curve.chosen and point.strength == curve.chosen.strength), None
    )
    return best or tried[max(tried)][0], curve


def _note(strengths: Sequence[int]) -> str:
    if len(strengths) == 1:
        return f"Fixed at {strengths[0]}; without m in the plan the fewest that meet the limits are searched."
    return f"The fewest of {', '.join(map(str, strengths))} students per step that meet every limit are taken."


def _made(
    log: Log,
    columns: Columns,
    settings: Settings,
    member: np.ndarray,
    students: int,
    generator: np.random.Generator,
) -> Candidate:
    model = fit_log(log.only(member), columns, settings, known=log.students)
    return Candidate(model=model, table=model.table(students, generator), member=member)


def _point(m: int, risks: list[Risk], overlap: float, limits: dict[str, float]) -> CurvePoint:
    worst = {risk.name: risk for risk in risks if risk.attacker == "strongest"}
    auc, tpr = worst["auc"], worst["tpr_at_1pct_fpr"]
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
