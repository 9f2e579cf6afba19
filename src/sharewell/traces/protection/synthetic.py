"""Invented students: the least noise on what is learnt of a course under which no attack tells who was learnt from.

What is chosen on one set of students is judged on others. Every strength is tried on splits: other students are kept
aside each time, the course is learnt anew, and every attack is made with the other splits as the attacker's own
releases. The gate looks at the upper ends of the mean AUC and of the mean share of members found at one false alarm
in a hundred.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa

from sharewell.contract import Memory, NoMemory, Risk
from sharewell.data.invented_ids import invented_ids, invented_prefix
from sharewell.data.keyed import Keyed
from sharewell.errors import Refused
from sharewell.lab.attacks import Audit, look_at, targets
from sharewell.lab.membership import AUC, TPR
from sharewell.lab.splits import Split, draw_members
from sharewell.traces.arrays import Array
from sharewell.traces.course_log import CourseLog
from sharewell.traces.kind import GUESS
from sharewell.traces.measure.copies import DOUBLE, guessed, near_copies
from sharewell.traces.measure.membership import ATTACKS, LEARNT, LEARNT_STORY, CourseProfile, CourseTarget, learnt
from sharewell.traces.protection.course_model import CourseModel, Invented, fit_course
from sharewell.traces.utility.closeness import closeness

NOISES = (0.0, 0.5, 1.0, 1.5, *(place / 4 for place in range(8, 33)), 9.0, 10.0, 12.0, 14.0)
SEEDED = 1_000  # noises that differ by a thousandth draw differently
CHOOSING, JUDGING, KEEPING = 1, 2, 3  # streams of published seeds
GATES = {AUC: "membership", TPR: "tpr", GUESS: "guess"}
WIDTH = 7  # digits of an invented id, at least


@dataclass(frozen=True, kw_only=True)
class Made:
    """A course that was learnt, the students invented from it, and who was learnt from."""

    model: CourseModel
    invented: Invented
    member: Array


@dataclass(frozen=True, kw_only=True)
class Invention:
    """What is searched over: a log, how courses are learnt, and what attackers may reach."""

    log: CourseLog
    unit: int
    m: int
    noises: Sequence[float]
    students: int  # to invent
    control: float
    repeats: int  # splits that the gate looks at
    tried_on: int  # splits that a choice looks at
    limits: Mapping[str, float]
    keyed: Keyed
    seed: int
    memory: Memory = field(default_factory=NoMemory)

    @cached_property
    def population(self) -> CourseProfile:
        return CourseProfile(self.log, 1 - self.outside / self.log.students)

    @property
    def outside(self) -> int:
        """How many students are kept aside."""
        return math.ceil(self.control * self.log.students)

    def members(self) -> Array:
        """The secret draw of who is learnt from."""
        return draw_members(self.log.students, self.outside, self.keyed.generator("members"))

    def release(self, noise: float) -> Made:
        """What leaves the house: students, noise and draws from the key."""
        return self._made(noise, self.members(), self.keyed.generator(f"invent {noise:g}"))

    def judged(self, noise: float, released: CourseLog) -> list[Risk]:
        """Every attack on the release and on splits that chose nothing, averaged."""
        return self.attacked([Split(released, self.members()), *self.splits(noise, JUDGING, self.repeats - 1)])

    def splits(self, noise: float, stream: int, count: int) -> list[Split]:
        """The same with other students, with published seeds; no two strengths share a draw."""
        found = []
        for place in range(count):
            generator = np.random.default_rng([self.seed, stream, place, round(noise * SEEDED)])
            member = draw_members(self.log.students, self.outside, generator)
            found.append(Split(self.as_log(self._made(noise, member, generator)), member))
        return found

    def tried(self, noise: float) -> list[Risk]:
        """Every attack at one strength, on splits made for choosing: the same whatever the limits are."""
        return self.memory.recall(
            "traces: attacks on invented students, by noise",
            {**self._learnt, "noise": noise, "splits": self.tried_on},
            lambda: self.attacked(self.splits(noise, CHOOSING, self.tried_on)),
        )

    def kept(self, noise: float) -> float:
        """What analysts keep at one strength, on a split that chose nothing."""
        return self.memory.recall(
            "traces: use of invented students",
            {**self._learnt, "noise": noise},
            lambda: closeness(self.log, self.splits(noise, KEEPING, 1)[0].fake),
        )

    @cached_property
    def _learnt(self) -> dict[str, Any]:
        """All that a course is learnt from with published seeds."""
        rest = {"unit": self.unit, "m": self.m, "students": self.students, "control": self.control, "seed": self.seed}
        return {"log": self.log.digest(), **rest}

    def attacked(self, splits: Sequence[Split]) -> list[Risk]:
        """Attack every split with the others as the attacker's own releases."""
        shadows, audit = look_at(self.population, splits), Audit()
        for target in targets(CourseTarget, self.population, splits, shadows):
            audit.attack(target, ATTACKS, seed=self.seed)
            audit.measure(guessed(target, seed=self.seed))
            audit.measure(near_copies(target))
        for split, scores in zip(splits, learnt(self.population, shadows), strict=False):
            audit.score(LEARNT, scores, split.member, seed=self.seed, story=LEARNT_STORY)
        return audit.risks()

    def as_log(self, made: Made) -> CourseLog:
        """What was invented, in the coding of the original."""
        place = {row: number for number, row in enumerate(self.log.tokens)}
        token = np.array([place[row] for row in made.model.tokens])[made.invented.token]
        students = made.invented.stratum.size
        lengths = np.bincount(made.invented.student, minlength=students)
        log = replace(
            self.log, ids=pa.array(np.arange(students)), starts=np.concatenate([[0], np.cumsum(lengths)]),
            second=made.invented.second, token=token, stratum=made.invented.stratum, numbers=made.invented.numbers,
        )  # fmt: skip
        return log if lengths.all() else log.only(lengths > 0)

    def ids(self) -> pa.Array:
        width = max(WIDTH, len(str(self.students)))
        return invented_ids(self.prefix, 0, self.students, width=width)

    @property
    def prefix(self) -> str:
        return invented_prefix(self.log.ids)

    def _made(self, noise: float, member: Array, generator: np.random.Generator) -> Made:
        model = fit_course(self.log.only(member), noise=noise, m=self.m, unit=self.unit, generator=generator)
        made = Made(model=model, invented=model.invent(self.students, generator), member=member)
        if not made.invented.student.size:
            raise Refused("too few students have anything in common: no course can be learnt from them")
        return made


def gate_of(risk: Risk) -> str | None:
    """Limit every attack, not only the strongest: intervals differ."""
    return GATES.get(risk.measure) if risk.measure != GUESS or risk.attacker == DOUBLE else None
