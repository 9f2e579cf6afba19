"""Choose the least protection that keeps every attacker under the limits, and judge it by draws that did not choose it.

What is released and what is attacked. A secret draw keeps a part of the students aside: they never train the generator,
and whatever an attack says about them is what it says about strangers. The generator is fitted on the others, and
exactly what it writes is released. Attackers then try to separate the fitted students from those kept aside. In a small
course one such split scatters widely, so that luck would decide; the same fit and attack are therefore repeated on
other random splits. Attackers know the method: for the attack on one split the others are the releases that an attacker
would make to learn from ("shadows"). The setting is chosen on some splits, with a margin; the gate looks at the release
and at other splits: at the upper end of the interval of the strongest AUC, and of the share of members found at one
false alarm in a hundred.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import Any

import numpy as np
import pyarrow as pa

from sharewell.contract import Curve, CurvePoint, Measure, Risk
from sharewell.data import engine
from sharewell.data.keyed import Keyed
from sharewell.lab.attacks import Audit, look_at, targets
from sharewell.lab.judges import judged
from sharewell.lab.least import Race, scale
from sharewell.lab.membership import AUC, STRONGEST, TPR
from sharewell.lab.shadows import Shadow
from sharewell.lab.splits import Split, draw_members, splits_for, splits_to_choose
from sharewell.responses.kind import DIFFICULTY_KEPT
from sharewell.responses.log import Columns, Log, coded
from sharewell.responses.measure.attackers import ATTACKS, LogTarget, most_compared
from sharewell.responses.measure.log_profile import LogProfile
from sharewell.responses.measure.near_copies import near_copies
from sharewell.responses.protection.generator import Answers, Model, answers_of, fit_log
from sharewell.responses.protection.items_left_out import hidden_items, students_per_item, without_scarce_items
from sharewell.responses.protection.levelling import fit_aims
from sharewell.responses.protection.rasch import fit_rasch
from sharewell.responses.settings import Settings
from sharewell.responses.utility.item_difficulty import difficulty_error_of
from sharewell.responses.utility.knowledge_tracing import tracing_auc
from sharewell.responses.utility.simpler import ItemTable
from sharewell.stats.arrays import Array

NOISES = (0.0, *scale(0.25, 20.0))
START = 5.0  # noise that a log of some hundred students needs about
FEWEST_STUDENTS, ENOUGH_STUDENTS = 5, 12  # per step and item, in small logs and in large ones
TIMES_AS_MANY = 10  # students behind half of the rows as m: which items come is one number more for each item near m
ENOUGH_SPLITS = 12  # at least: fewer make an interval as wide as what the limits leave
MOST_SPLITS = 80  # small logs need many, and each of them is soon made
STEADY = 0.0024  # standard error of a mean AUC: what is lost to its interval is lost to analysts
FIRST_LOOK = 16  # splits on which a strength shows whether it is far too weak, or far stronger than need be
ROOMS = 1.25  # standard errors between what is expected and a limit: luck, and attackers who learn from more
CHANCE = {AUC: (0.5, 0.01), TPR: (0.01, 0.004)}  # under endless noise, and how far it may be off
LEAST_ROOM = 0.01  # of a limit next to chance, which nothing can show to be met
CLEAR = 6.5  # standard errors from chance to the limit, of attacks that guard against copies
CHOOSING, JUDGING = 1, 2  # streams of published seeds
MANY_ROWS = 1_000_000  # from which on it is worth while to send splits to workers


@dataclass(frozen=True, order=True)
class Level:
    """One strength of protection: noise in standard errors, and the students that every step needs."""

    noise: float
    m: int

    def __str__(self) -> str:
        return f"noise of {self.noise:g} standard errors, {self.m} students per step"


@dataclass(frozen=True, kw_only=True)
class Candidate:
    """One strength of protection: the generator and what it wrote."""

    model: Model[Any]
    table: pa.Table
    member: Array

    def log(self, original: Log) -> Log:
        return coded(self.table, coded_columns(self.model.columns), items=original.items)


@dataclass(frozen=True)
class Task:
    """A split to be made: its place in a stream of seeds, and what is known of the answers of its members."""

    place: int
    stream: int
    answers: Answers | None


@dataclass(frozen=True, kw_only=True)
class Search:
    """What is searched over: a log, how generators are fitted, and what attackers may reach."""

    log: Log
    columns: Columns
    settings: Settings
    levels: Sequence[Level]
    students: int | None  # to invent; none where a budget must hide how many there are
    control: float
    repeats: int  # splits
    limits: Mapping[str, float]
    keyed: Keyed
    seed: int
    learnt: dict[tuple[int, Level], Answers | None] = field(default_factory=dict, repr=False, compare=False)
    chosen: dict[Level, list[Shadow]] = field(default_factory=dict, repr=False, compare=False)

    @cached_property
    def population(self) -> LogProfile:
        """What an attacker computes once from the log of everybody."""
        return LogProfile(self.log, 1 - self.outside / self.log.lengths.size)

    @property
    def outside(self) -> int:
        """How many students are kept aside."""
        return math.ceil(self.control * self.log.lengths.size)

    def members(self) -> Array:
        """The secret draw of who trains the generator that is released."""
        return members(self.log, self.control, self.keyed.generator("members"))

    def candidate(self, level: Level) -> Candidate:
        """Fit on the students that the secret draw chose; noise and rows come from secret draws."""
        return self.made(level, self.members(), self.keyed.generator(f"generate {level}"))

    def judged(self, level: Level, made: Log) -> list[Risk]:
        """Every attack on the release and on splits that chose nothing, averaged; as many as it takes to be sure."""
        students, limit = self.log.lengths.size, self.limits.get("membership", 1.0)
        slow, others = splits_of_pairs(students, made.lengths.size, self.control, limit), self.shadows(level)
        audit = Audit()

        def more(first: int, last: int) -> None:
            splits = [Split(made, self.members())] if first == 0 else []
            splits += self.splits(level, JUDGING, range(max(first, 1) - 1, last - 1))
            self.attack(audit, splits, others, slow=max(0, slow - first))

        return judged(self.repeats, more, audit.risks, self.limited)

    @property
    def limited(self) -> dict[Measure, float]:
        """The limit of every measure that has one."""
        named = {AUC: "membership", TPR: "tpr"}
        return {measure: self.limits[name] for measure, name in named.items() if name in self.limits}

    def shadows(self, level: Level) -> list[Shadow]:
        """Releases of the attacker's own, which judge nothing: those that the level was chosen on."""
        if level not in self.chosen:
            splits = self.splits(level, CHOOSING, range(splits_to_choose(self.repeats)))
            self.chosen[level] = look_at(self.population, splits)
        return self.chosen[level]

    def splits(self, level: Level, stream: int, places: range) -> list[Split]:
        """The same fit on other members, with published seeds; what choosing learns of answers serves every noise.

        Splits of a large log are made by workers, where there are any. The key stays here.
        """
        alike = Level(float(level.noise > 0), level.m)  # as far as what is learnt before the noise is concerned
        where = engine.workers() if self.log.rows >= MANY_ROWS else engine.DUCKDB
        asked = replace(self, keyed=Keyed(b"", ""), learnt={}, chosen={})
        known = self.learnt if stream == CHOOSING else {}  # of these members: those who judge are others
        tasks = [Task(place, stream, known.get((place, alike))) for place in places]
        made: list[tuple[Split, Answers | None]] = engine.answers(where, partial(_split, asked, level), tasks)
        if stream == CHOOSING:
            self.learnt.update({(place, alike): answers for place, (_, answers) in zip(places, made, strict=True)})
        return [split for split, _ in made]

    def attacked(self, splits: Sequence[Split], *, slow: int = 0) -> list[Risk]:
        """Attack every split with the rest as shadows, and average."""
        audit = Audit()
        self.attack(audit, splits, slow=slow)
        return audit.risks()

    def attack(self, audit: Audit, splits: Sequence[Split], others: Sequence[Shadow] = (), *, slow: int = 0) -> None:
        """Attack every split with all others as shadows; attacks that guard against copies only the first few."""
        looks = look_at(self.population, splits)
        for place, target in enumerate(targets(LogTarget, self.population, splits, looks, others)):
            audit.attack(target, ATTACKS, seed=self.seed, copies=place < slow)
            if place < slow:
                audit.measure(near_copies(target))

    def made(
        self, level: Level, member: Array, generator: np.random.Generator, answers: Answers | None = None
    ) -> Candidate:
        settings, known = replace(self.settings, m=level.m, noise=level.noise), self.log.students
        part = self.log.only(member)
        model = fit_log(part, self.columns, settings, known=known, generator=generator, answers=answers)
        return Candidate(model=model, table=model.table(self.invented(model), generator), member=member)

    def item_table(self, level: Level) -> ItemTable:
        """Draw difficulties with as much noise as a release at this level."""
        generator = self.keyed.generator(f"item table {level}")
        log, _ = without_scarce_items(self.log.only(self.members()), level.m, extremes=level.noise > 0)
        if level.noise > 0:
            log = log.without_items(hidden_items(log, level.m, c=level.noise, generator=generator))
        return ItemTable(fit_aims(log, fit_rasch(log), c=level.noise, generator=generator).difficulty)

    def invented(self, model: Model[Any]) -> int:
        """How many students a model writes; by its own, noisy number of those it learnt from where nothing is said."""
        return self.students or max(1, round(model.students / (1 - self.control)))


def _split(asked: Search, level: Level, task: Task) -> tuple[Split, Answers | None]:
    """One split, made by this process or by a worker, and what choosing learnt of the answers of its members."""
    generator = np.random.default_rng([asked.seed, task.stream, task.place])
    member = members(asked.log, asked.control, generator)
    answers = task.answers
    if answers is None and task.stream == CHOOSING:
        answers = answers_of(asked.log.only(member), replace(asked.settings, m=level.m, noise=level.noise))
    return Split(asked.made(level, member, generator, answers).log(asked.log), member), answers


def search(asked: Search) -> tuple[Candidate, Level, Curve, bool]:
    """Search for the least noise that meets every limit with a margin; the last says whether any was found to."""
    looks = StrengthLooks(asked)
    race = Race(
        strengths=tuple(looks.levels),
        first=FIRST_LOOK,
        draws=splits_to_choose(asked.repeats),
        judged_on=asked.repeats,
        rooms=ROOMS,
        chance=CHANCE,
    )
    choice = race.least(looks.at, start=START)
    points = (
        replace(looks.points[noise], meets=met, chosen=choice.chose(noise)) for noise, met in choice.meets.items()
    )
    curve = Curve(
        strength="noise on what is learnt, in standard errors",
        risk=AUC,
        utility=DIFFICULTY_KEPT,
        limit=asked.limits.get("membership"),
        points=tuple(points),
        note=_note(asked.levels),
    )
    level = looks.levels[choice.strength]
    return asked.candidate(level), level, curve, choice.accepted


@dataclass(frozen=True)
class StrengthLooks:
    """Attacks at every strength, on splits made for choosing, which all strengths share as they do the fits."""

    asked: Search
    begun: dict[float, list[Split]] = field(default_factory=dict)
    points: dict[float, CurvePoint] = field(default_factory=dict)

    @property
    def levels(self) -> dict[float, Level]:
        return {level.noise: level for level in self.asked.levels}

    def at(self, noise: float, draws: int) -> list[Risk]:
        """Every attack on so many splits, with its limits; splits of a first look are gone on with."""
        asked, level = self.asked, self.levels[noise]
        draws = min(draws, splits_to_choose(asked.repeats))
        splits = self.begun.pop(noise, [])
        splits += asked.splits(level, CHOOSING, range(len(splits), draws))
        if draws < splits_to_choose(asked.repeats):
            self.begun[noise] = splits
        else:
            asked.chosen[level] = look_at(asked.population, splits)
        risks = asked.attacked(splits)
        self.points[noise] = _point(asked, level, splits[0].fake, risks)
        limits = asked.limited
        gated = [risk for risk in risks if risk.measure in limits and risk.attacker != STRONGEST]
        return [replace(risk, limit=limits[risk.measure]) for risk in gated]


def coded_columns(columns: Columns) -> Columns:
    """What attacks look at: skills belong to items, attempts are counted from the rest."""
    return replace(columns, skill=None, attempt=None)


def members(log: Log, control: float, generator: np.random.Generator) -> Array:
    """Who trains the generator; the others are kept aside."""
    return draw_members(log.lengths.size, math.ceil(control * log.lengths.size), generator)


def splits_to_judge(students: int, control: float) -> int:
    """As many as make the mean steady."""
    return max(ENOUGH_SPLITS, splits_for(students, control, most=MOST_SPLITS, steady=STEADY))


def splits_of_pairs(students: int, fakes: int, control: float, limit: float) -> int:
    """Splits on which attacks are made that guard against copies: until chance is clear of the limit.

    Of what a generator discloses they see least: on no log measured did one of them come near to tracing. A copy
    shows on a few splits.
    """
    steady = max(limit - 0.5, LEAST_ROOM) / CLEAR
    return splits_for(min(students, most_compared(fakes)), control, most=MOST_SPLITS, steady=steady)


def levels_for(log: Log, control: float, *, m: int | None, noise: float | None) -> tuple[Level, ...]:
    """What the plan fixes, or what may be tried: items that hold half of the rows have many times m fitted students."""
    per_row = np.sort((1 - control) * students_per_item(log)[log.item])
    shared = m or int(np.clip(per_row[per_row.size // 2] / TIMES_AS_MANY, FEWEST_STUDENTS, ENOUGH_STUDENTS))
    return tuple(Level(one, shared) for one in (NOISES if noise is None else (noise,)))


def _note(levels: Sequence[Level]) -> str:
    if len(levels) == 1:
        return f"Fixed at {levels[0]}; without noise in the plan the least that meets the limits is searched."
    return (
        "The least noise is taken with which the upper end that fresh draws show is expected to stay within the limits "
        "in nearly all cases. The gate judges it by such draws."
    )


def _point(asked: Search, level: Level, fake: Log, risks: Sequence[Risk]) -> CurvePoint:
    """The strongest attack at one strength, and what one of the splits leaves for an analyst."""
    original = replace(asked.log, items=fake.items)
    kept = difficulty_error_of(original, fake).reliability
    traced = tracing_auc(original, fake, seed=asked.seed)
    tracing = "" if traced is None else f"; knowledge tracing {traced.on_fake:.3f} (original {traced.on_original:.3f})"
    auc = next(risk for risk in risks if risk.measure == AUC and risk.attacker == STRONGEST)
    return CurvePoint(
        label=f"{level}{tracing}; strongest: {auc.setting['attack']}",
        strength=level.noise,
        risk=auc.value,
        utility=kept,
        meets=False,
        low=auc.low,
        high=auc.high,
    )
