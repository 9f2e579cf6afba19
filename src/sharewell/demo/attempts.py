"""Attempts at exercises by the Rasch model: P(correct) = σ(θ + growth · practice − d), with the truth kept."""

from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from sharewell.demo.roster import Roster
from sharewell.demo.term import DAY, HOUR, START, WEEK, running_sum

SKILLS = (
    "variables", "conditions", "loops", "functions", "lists", "strings", "dictionaries", "files", "recursion", "classes",
)  # fmt: skip
PER_SKILL = 6
TRIES = 4
GROWTH = 0.04  # gain in log odds per earlier attempt at the skill
EXERCISES = tuple(f"{skill}-{number + 1}" for skill in SKILLS for number in range(PER_SKILL))
_REVIEW_WEEK = len(SKILLS) + 1


@dataclass(frozen=True, kw_only=True)
class Attempts:
    table: pa.Table
    difficulty: dict[str, float]


@dataclass(frozen=True, kw_only=True)
class _Step:
    """Every student's tries at one exercise (rows of a matrix students × tries), made at one place of their path."""

    place: np.ndarray  # where in the student's path, for sorting
    item: np.ndarray
    week: np.ndarray
    made: np.ndarray  # bool
    correct: np.ndarray  # bool


def make_attempts(rng: np.random.Generator, roster: Roster, growth: float = GROWTH) -> Attempts:
    """Walk all students through the skills week by week, then through a review before the exam."""
    difficulty = rng.normal(0, 1, size=len(EXERCISES))
    students = len(roster.people)
    practice = np.zeros((students, len(SKILLS)), dtype=np.int16)
    last_week = _draw_last_weeks(rng, roster)
    steps = []
    for skill in range(len(SKILLS)):
        order = np.argsort(np.arange(PER_SKILL) + rng.normal(0, 1.6, size=(students, PER_SKILL)), axis=1)
        for place in range(PER_SKILL):
            item = skill * PER_SKILL + order[:, place]
            start = (last_week >= skill) & (rng.random(students) > 0.12)
            steps.append(
                _try(rng, roster, item, start, practice, difficulty, growth, skill * PER_SKILL + place, skill)
            )
    for extra in range(PER_SKILL):
        item = rng.integers(0, len(EXERCISES), size=students)
        start = (last_week >= _REVIEW_WEEK) & (rng.random(students) < 0.4)
        place = len(EXERCISES) + extra
        steps.append(_try(rng, roster, item, start, practice, difficulty, growth, place, _REVIEW_WEEK))
    table = _as_table(rng, roster, steps)
    return Attempts(table=table, difficulty=dict(zip(EXERCISES, difficulty.tolist(), strict=True)))


def _draw_last_weeks(rng: np.random.Generator, roster: Roster) -> np.ndarray:
    """Some students stop on the way, the less able a little earlier."""
    hazard = 0.02 * np.exp(-0.4 * roster.traits.ability)
    return rng.geometric(np.minimum(hazard, 0.5))


def _try(
    rng: np.random.Generator,
    roster: Roster,
    item: np.ndarray,
    start: np.ndarray,
    practice: np.ndarray,
    difficulty: np.ndarray,
    growth: float,
    place: int,
    week: int,
) -> _Step:
    """Try an exercise until it is solved, patience runs out, or four tries are made."""
    students, skill = np.arange(len(item)), item // PER_SKILL
    made = np.zeros((len(item), TRIES), dtype=bool)
    correct = np.zeros_like(made)
    going = start.copy()
    for attempt in range(TRIES):
        logit = roster.traits.ability + growth * practice[students, skill] - difficulty[item]
        made[:, attempt] = going
        correct[:, attempt] = going & (rng.random(len(item)) < 1 / (1 + np.exp(-logit)))
        practice[students, skill] += going
        again = np.where(correct[:, attempt], 0.06, 0.6)
        going &= rng.random(len(item)) < again
    return _Step(
        place=np.full(len(item), place), item=item, week=np.full(len(item), week), made=made, correct=correct
    )


def _as_table(rng: np.random.Generator, roster: Roster, steps: list[_Step]) -> pa.Table:
    student, correct = [], []
    item, week, place = [], [], []
    for step in steps:
        who, attempt = np.nonzero(step.made)
        student.append(who.astype(np.int32))
        correct.append(step.correct[who, attempt].astype(np.int8))
        item.append(step.item[who].astype(np.int16))
        week.append(step.week[who].astype(np.int8))
        place.append(step.place[who].astype(np.int16))
    whose = np.concatenate(student)
    order = np.argsort(whose, kind="stable")  # steps come in the order of the path: a stable sort keeps it
    whose, weeks = whose[order], np.concatenate(week)[order]
    items = np.concatenate(item)[order]
    seconds = _draw_times(rng, whose, weeks)
    return pa.table(
        {
            "student_id": roster.ids.take(pa.array(whose)),
            "exercise": pa.array(EXERCISES).take(pa.array(items)),
            "skill": pa.array(SKILLS).take(pa.array(items // PER_SKILL)),
            "correct": pa.array(np.concatenate(correct)[order]),
            "time": pa.array(START + seconds.astype("timedelta64[s]"), type=pa.timestamp("s")),
        }
    )


def _draw_times(rng: np.random.Generator, student: np.ndarray, week: np.ndarray) -> np.ndarray:
    """One sitting per student and week, often near the deadline; time never runs backwards."""
    new = np.ones(len(student), dtype=bool)
    new[1:] = (student[1:] != student[:-1]) | (week[1:] != week[:-1])
    lengths = np.diff(np.append(np.nonzero(new)[0], len(student)))
    evening = np.clip(rng.normal(17, 3.5, size=len(lengths)), 7, 20) * HOUR
    begin = (
        week[new].astype(np.int64) * WEEK
        + (7 * rng.beta(3, 1.4, size=len(lengths))).astype(int) * DAY
        + evening
    )
    gaps = 5 + np.minimum(rng.lognormal(4.4, 0.7, size=len(student)), 900).astype(np.int64)
    within = running_sum(gaps, lengths)
    room = np.repeat((week[new].astype(np.int64) + 1) * WEEK - begin.astype(np.int64), lengths)
    return np.repeat(begin.astype(np.int64), lengths) + np.minimum(within, room - 1)
