"""Choose the least protection that keeps every attacker under the limits, and judge it by draws that did not choose it.

What is released and what is attacked. A secret draw keeps a part of the students aside: they never train the generator,
and whatever an attack says about them is what it says about strangers. The generator is fitted on the others, and
exactly what it writes is released. Attackers then try to tell the fitted students from those kept aside. In a small
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

from sharewell.contract import Curve, CurvePoint, Risk
from sharewell.data import engine
from sharewell.data.keyed import Keyed
from sharewell.responses.kind import DIFFICULTY_KEPT
from sharewell.responses.log import Columns, Log, coded
from sharewell.responses.measure.attackers import ATTACKS, Pair, most_compared
from sharewell.responses.measure.linear_tracing import Population
from sharewell.responses.measure.membership_risks import possible
from sharewell.responses.measure.near_copies import near_copies
from sharewell.responses.protection.generator import Answers, Model, answers_of, fit_log
from sharewell.responses.protection.items_left_out import students_per_item
from sharewell.responses.settings import Settings
from sharewell.responses.utility.item_difficulty import difficulty_error_of
from sharewell.responses.utility.knowledge_tracing import tracing_auc
from sharewell.stats.arrays import Array
from sharewell.stats.membership import AUC, STRONGEST, TPR, Measured, measured, strongest
from sharewell.stats.over_splits import (
    end_on_others,
    mean_over_splits,
    risks_over_splits,
    splits_for,
    splits_to_choose,
)
from sharewell.stats.shadows import Shadow, draw_members
from sharewell.stats.tradeoff import weakest_that_meets

NOISES = (
    0.0, 0.25, 0.5, 0.7, 0.85, 1.0, 1.1, 1.15, 1.2, 1.25, 1.3, 1.4, 1.55, 1.75, 2.0, 2.25, 2.5, 3.0, 4.0, 5.0, 6.0, 8.0,
    10.0, 15.0, 20.0
)  # fmt: skip
FEWEST_STUDENTS, ENOUGH_STUDENTS = 5, 12  # per step, with little noise and with more
ENOUGH_SPLITS = 12  # at least: fewer make an interval as wide as what the limits leave
MOST_SPLITS = 60  # small logs need many, and each of them is soon made
STEADY = 0.0024  # standard error of a mean AUC: what is lost to its interval is lost to analysts
FIRST_LOOK = 8  # splits on which a strength shows that is far too weak, or far stronger than need be
SURE = 1.5  # standard errors of room, where one is usual, for a strength that is taken for enough at the first look
PAIRS = 30_000_000  # originals × fakes that the slow attacks compare in all, or more until their mean is
STEADY_ENOUGH = 0.0065  # as steady as this: its interval alone must not take what the narrowest limit leaves
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
class Split:
    """A release and who trained it."""

    fake: Log
    member: Array


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

    @cached_property
    def population(self) -> Population:
        """What an attacker works out once from the log of everybody."""
        return Population(self.log, 1 - self.outside / self.log.lengths.size)

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
        """Every attack on the release and on splits that chose nothing, averaged."""
        splits = [Split(made, self.members()), *self.splits(level, JUDGING, range(self.repeats - 1))]
        return self.attacked(splits, slow=splits_of_pairs(self.log.lengths.size, made.lengths.size, self.control))

    def splits(self, level: Level, stream: int, places: range) -> list[Split]:
        """The same fit on other members, with published seeds; what choosing learns of answers serves every noise.

        Splits of a large log are made by workers, where there are any. The key stays here.
        """
        alike = Level(float(level.noise > 0), level.m)  # as far as what is learnt before the noise is concerned
        where = engine.workers() if self.log.rows >= MANY_ROWS else engine.DUCKDB
        asked = replace(self, keyed=Keyed(b"", ""), learnt={})
        known = self.learnt if stream == CHOOSING else {}  # of these members: those who judge are others
        tasks = [Task(place, stream, known.get((place, alike))) for place in places]
        made: list[tuple[Split, Answers | None]] = engine.answers(where, partial(_split, asked, level), tasks)
        if stream == CHOOSING:
            self.learnt.update({(place, alike): answers for place, (_, answers) in zip(places, made, strict=True)})
        return [split for split, _ in made]

    def attacked(self, splits: Sequence[Split], *, slow: int) -> list[Risk]:
        """Attack every split with the others as shadows; attacks that compare all pairs only the first few."""
        shadows = [Shadow(self.population.look(split.fake), split.member) for split in splits]
        found: dict[str, list[Measured]] = {}
        near = []
        for place, split in enumerate(splits):
            others = tuple(shadows[:place] + shadows[place + 1 :])
            pair = Pair(self.log, split.fake, split.member, self.population, others, shadows[place].look)
            for name in possible(pair, slow=place < slow):
                scores = ATTACKS[name].score(pair)
                found.setdefault(name, []).append(
                    measured(name, scores, split.member, self.seed, story=ATTACKS[name].story)
                )
            near += [near_copies(pair)] if place < slow else []
        risks = [risk for same in found.values() for risk in risks_over_splits(same)]
        return [*risks, *([mean_over_splits(near)] if near else []), *strongest(risks)]

    def made(
        self, level: Level, member: Array, generator: np.random.Generator, answers: Answers | None = None
    ) -> Candidate:
        settings, known = replace(self.settings, m=level.m, noise=level.noise), self.log.students
        part = self.log.only(member)
        model = fit_log(part, self.columns, settings, known=known, generator=generator, answers=answers)
        return Candidate(model=model, table=model.table(self.invented(model), generator), member=member)

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


def search(asked: Search) -> tuple[Candidate, Level, Curve]:
    """Search for the least noise that meets every limit with a margin; the strongest where none does."""
    best, tried = weakest_that_meets(len(asked.levels), lambda place: _point(asked, asked.levels[place]))
    curve = Curve(
        strength="noise on what is learnt, in standard errors",
        risk=AUC,
        utility=DIFFICULTY_KEPT,
        limit=asked.limits.get("membership"),
        points=tuple(replace(tried[place], chosen=place == best and tried[place].meets) for place in sorted(tried)),
        note=_note(asked.levels),
    )
    return asked.candidate(asked.levels[best]), asked.levels[best], curve


def coded_columns(columns: Columns) -> Columns:
    """What attacks look at: skills belong to items, attempts are counted from the rest."""
    return replace(columns, skill=None, attempt=None)


def members(log: Log, control: float, generator: np.random.Generator) -> Array:
    """Who trains the generator; the others are kept aside."""
    return draw_members(log.lengths.size, math.ceil(control * log.lengths.size), generator)


def splits_to_judge(students: int, control: float) -> int:
    """As many as make the mean steady."""
    return max(ENOUGH_SPLITS, splits_for(students, control, most=MOST_SPLITS, steady=STEADY))


def splits_of_pairs(students: int, fakes: int, control: float) -> int:
    """Splits on which attacks are made that compare every original with every fake, as slow as they are."""
    steady = splits_for(min(students, most_compared(fakes)), control, fewest=1, most=MOST_SPLITS, steady=STEADY_ENOUGH)
    return max(steady, PAIRS // (students * fakes))


def levels_for(log: Log, control: float, *, m: int | None, noise: float | None) -> tuple[Level, ...]:
    """What the plan fixes, or what may be tried: items that hold half of the rows must have so many fitted students."""
    per_row = np.sort((1 - control) * students_per_item(log)[log.item])
    most = max(FEWEST_STUDENTS, int(per_row[per_row.size // 2]))
    noises = NOISES if noise is None else (noise,)
    return tuple(
        Level(one, m or min(FEWEST_STUDENTS if one == 0 and noise is None else ENOUGH_STUDENTS, most)) for one in noises
    )


def _note(levels: Sequence[Level]) -> str:
    if len(levels) == 1:
        return f"Fixed at {levels[0]}; without noise in the plan the least that meets the limits is searched."
    return (
        "The least noise is taken with which the upper end that fresh draws show stays within the limits in five of "
        "six cases at least. The gate judges it by such draws."
    )


def _point(asked: Search, level: Level) -> CurvePoint:
    """The strongest attack at one strength, and what is left for an analyst: on splits made for choosing.

    A few splits come first; a strength that is beyond a limit there on average, or surely within, needs no more.
    """
    enough = splits_to_choose(asked.repeats)
    splits = asked.splits(level, CHOOSING, range(min(FIRST_LOOK, enough)))
    worst = _strongest(asked, splits)
    open_yet = all(risk.value <= limit for risk, limit in worst) and not _within(asked, worst, len(splits), SURE)
    if len(splits) < enough and open_yet:
        splits += asked.splits(level, CHOOSING, range(len(splits), enough))
        worst = _strongest(asked, splits)
    original = replace(asked.log, items=splits[0].fake.items)
    kept = difficulty_error_of(original, splits[0].fake).reliability
    traced = tracing_auc(original, splits[0].fake, seed=asked.seed)
    told = "" if traced is None else f"; knowledge tracing {traced.on_fake:.3f} (original {traced.on_original:.3f})"
    auc = worst[0][0]
    return CurvePoint(
        label=f"{level}{told}; strongest: {auc.setting['attack']}",
        strength=level.noise,
        risk=auc.value,
        utility=kept,
        meets=_within(asked, worst, len(splits)),
        low=auc.low,
        high=auc.high,
    )


def _within(asked: Search, worst: Sequence[tuple[Risk, float]], tried_on: int, rooms: float = 1.0) -> bool:
    """Whether the upper ends that other splits will show stay within the limits."""
    return all(
        end_on_others(risk, tried_on=tried_on, judged_on=asked.repeats, rooms=rooms) <= limit for risk, limit in worst
    )


def _strongest(asked: Search, splits: Sequence[Split]) -> list[tuple[Risk, float]]:
    """The strongest attack by either measure, with its limit."""
    worst = {risk.measure: risk for risk in asked.attacked(splits, slow=0) if risk.attacker == STRONGEST}
    return [(worst[AUC], asked.limits.get("membership", 1.0)), (worst[TPR], asked.limits.get("tpr", 1.0))]
