"""Attempts at exercises by the Rasch model, P(correct) = σ(θ + growth · practice − d), and the truth."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from sharewell.fiction.roster import Roster
from sharewell.fiction.term import DAY, HOUR, START, WEEK, running_sum
from sharewell.stats.arrays import Array

SKILLS = (
    "variables", "conditions", "loops", "functions", "lists", "strings", "dictionaries", "files",
    "recursion", "classes",
)  # fmt: skip
PER_SKILL = 6
TRIES = 4
GROWTH = 0.04  # gain in log odds per earlier attempt at the skill
EXERCISES = tuple(f"{skill}-{number + 1}" for skill in SKILLS for number in range(PER_SKILL))
_REVIEW_WEEK = len(SKILLS) + 1
_SKIPPED, _REVIEWED = 0.12, 0.4  # shares of exercises left out, and taken up again before the exam


@dataclass(frozen=True, kw_only=True)
class TaskAttempts:
    table: pa.Table
    difficulty: dict[str, float]


class _Step(NamedTuple):
    """Tries of many students at one place of their paths, one entry per try."""

    student: Array
    item: Array
    correct: Array
    week: Array


@dataclass(frozen=True, kw_only=True)
class _Walk:
    """All students on their way through the exercises; `practice` counts their tries per skill so far."""

    rng: np.random.Generator
    ability: Array
    difficulty: Array
    growth: float
    practice: Array

    def try_item(self, item: Array, start: Array, week: int) -> _Step:
        """Those who start try until the exercise is solved, patience runs out, or four tries are made."""
        students, skill = np.arange(len(item)), item // PER_SKILL
        made = np.zeros((len(item), TRIES), dtype=bool)
        correct = np.zeros_like(made)
        going = start.copy()
        for attempt in range(TRIES):
            logit = self.ability + self.growth * self.practice[students, skill] - self.difficulty[item]
            made[:, attempt] = going
            correct[:, attempt] = going & (self.rng.random(len(item)) < 1 / (1 + np.exp(-logit)))
            self.practice[students, skill] += going
            again = np.where(correct[:, attempt], 0.06, 0.6)
            going &= self.rng.random(len(item)) < again
        who, attempts = np.nonzero(made)
        return _Step(
            student=who.astype(np.int32),
            item=item[who].astype(np.int16),
            correct=correct[who, attempts].astype(np.int8),
            week=np.full(len(who), week, dtype=np.int8),
        )


def make_attempts(rng: np.random.Generator, roster: Roster, growth: float = GROWTH) -> TaskAttempts:
    """Walk all students through the skills week by week, then through a review before the exam."""
    students = len(roster.people)
    walk = _Walk(
        rng=rng,
        ability=roster.traits.ability,
        difficulty=rng.normal(0, 1, size=len(EXERCISES)),
        growth=growth,
        practice=np.zeros((students, len(SKILLS)), dtype=np.int16),
    )
    last_week = _draw_last_weeks(rng, roster)
    steps = []
    for skill in range(len(SKILLS)):
        order = np.argsort(np.arange(PER_SKILL) + rng.normal(0, 1.6, size=(students, PER_SKILL)), axis=1)
        for place in range(PER_SKILL):
            start = (last_week >= skill) & (rng.random(students) > _SKIPPED)
            steps.append(walk.try_item(skill * PER_SKILL + order[:, place], start, skill))
    for _ in range(PER_SKILL):
        start = (last_week >= _REVIEW_WEEK) & (rng.random(students) < _REVIEWED)
        steps.append(walk.try_item(rng.integers(0, len(EXERCISES), size=students), start, _REVIEW_WEEK))
    return TaskAttempts(
        table=_as_table(rng, roster, steps),
        difficulty=dict(zip(EXERCISES, walk.difficulty.tolist(), strict=True)),
    )


def _draw_last_weeks(rng: np.random.Generator, roster: Roster) -> Array:
    """Some students stop on the way, the less able a little earlier."""
    hazard = 0.02 * np.exp(-0.4 * roster.traits.ability)
    drawn: Array = rng.geometric(np.minimum(hazard, 0.5))
    return drawn


def _as_table(rng: np.random.Generator, roster: Roster, steps: list[_Step]) -> pa.Table:
    student, item, correct, week = (np.concatenate(column) for column in zip(*steps, strict=True))
    order = np.argsort(student, kind="stable")  # steps come in the order of the path: a stable sort keeps it
    student, item, week = student[order], item[order], week[order]
    seconds = _draw_times(rng, student, week)
    return pa.table(
        {
            "student_id": roster.ids.take(pa.array(student)),
            "exercise": pa.array(EXERCISES).take(pa.array(item)),
            "skill": pa.array(SKILLS).take(pa.array(item // PER_SKILL)),
            "correct": pa.array(correct[order]),
            "time": pa.array(START + seconds.astype("timedelta64[s]"), type=pa.timestamp("s")),
        }
    )


def _draw_times(rng: np.random.Generator, student: Array, week: Array) -> Array:
    """One sitting per student and week, often near the deadline; time never runs backwards."""
    new = np.ones(len(student), dtype=bool)
    new[1:] = (student[1:] != student[:-1]) | (week[1:] != week[:-1])
    lengths = np.diff(np.append(np.nonzero(new)[0], len(student)))
    evening = np.clip(rng.normal(17, 3.5, size=len(lengths)), 7, 20) * HOUR
    begin = week[new].astype(np.int64) * WEEK + (7 * rng.beta(3, 1.4, size=len(lengths))).astype(int) * DAY + evening
    gaps = 5 + np.minimum(rng.lognormal(4.4, 0.7, size=len(student)), 900).astype(np.int64)
    within = running_sum(gaps, lengths)
    room = np.repeat((week[new].astype(np.int64) + 1) * WEEK - begin.astype(np.int64), lengths)
    moment: Array = np.repeat(begin.astype(np.int64), lengths) + np.minimum(within, room - 1)
    return moment
