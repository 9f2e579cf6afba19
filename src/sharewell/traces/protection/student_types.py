"""What kinds of students there are: outcome, when they begin and stop, and on how many days they are active."""

from dataclasses import dataclass, replace

import numpy as np

from sharewell.traces.arrays import Array
from sharewell.traces.course_log import CourseLog
from sharewell.traces.protection.learnt_numbers import LEAST_NOISE, Learning, counted, drawn_cells, drawn_from

ROUNDS, TRIED = 3, 2_000  # draws in which the level is set, and students of each
APART = 14  # days without a newcomer between two intakes
LEAST_INTAKE = 0.05  # of the students


@dataclass(frozen=True, kw_only=True)
class Students:
    """One entry per student: stratum, first and last day, and on how many days they are active."""

    stratum: Array
    first: Array
    last: Array
    days: Array


@dataclass(frozen=True, kw_only=True)
class StudentTypes:
    """Students per intake and stratum; for each intake when its students begin and stop; how active they are."""

    shares: Array  # intake × stratum
    first: Array  # intake × KNOTS
    last: Array
    level: Array  # KNOTS, of the logarithm of active days over what the length of stay lets expect
    per_length: float
    by_stratum: Array
    stays: Array  # stratum: by how much longer (logarithm)
    most_days: float

    def draw(self, students: int, generator: np.random.Generator) -> Students:
        cell = drawn_cells(self.shares.ravel(), students, generator)
        intake, stratum = np.divmod(cell, self.shares.shape[1])
        first, last = np.empty(students), np.empty(students)
        for one in np.unique(intake):
            here = intake == one
            first[here] = drawn_from(self.first[one], int(here.sum()), generator)
            last[here] = drawn_from(self.last[one], int(here.sum()), generator)
        first = np.rint(first)
        length = np.maximum(last - first, 0.0) + 1
        longest = np.maximum(self.last[intake].max(axis=1) - first, 0.0) + 1
        length = np.clip(np.rint(length * np.exp(self.stays[stratum])), 1, np.rint(longest))
        log_days = drawn_from(self.level, students, generator) + self.per_length * np.log(length)
        days = np.exp(log_days + self.by_stratum[stratum])
        days = np.floor(days + generator.random(students))  # up or down, right on average
        return Students(
            stratum=stratum,
            first=first.astype(np.int64),
            last=(first + length - 1).astype(np.int64),
            days=np.clip(days, 1, np.minimum(length, self.most_days)).astype(np.int64),
        )


def fit_types(log: CourseLog, learning: Learning) -> StudentTypes:
    ends = log.starts[1:] - 1
    first, last = log.day[log.starts[:-1]], log.day[ends]
    days = active_days(log)
    intake = intakes(first, max(learning.m, int(np.ceil(LEAST_INTAKE * log.students))))
    many, strata = int(intake.max()) + 1, len(log.strata)
    who = np.arange(log.students)
    joint = counted(who, intake * strata + log.stratum, log.students, many * strata)
    by_intake = learning.totals(counted(who, intake, log.students, many), there=np.ones(many, np.bool_))
    of_stratum = learning.totals(counted(who, log.stratum, log.students, strata), there=np.ones(strata, np.bool_))
    enough = np.bincount(joint.indices, minlength=many * strata) >= learning.m
    shares = learning.totals(joint, expected=np.outer(by_intake, of_stratum).ravel(), there=enough)
    length = np.log(last - first + 1.0)
    log_days = np.log(days)
    slope = _slope(length, log_days, learning)
    left = log_days - slope * length
    by_stratum = learning.effects(left, log.stratum, strata, doubted=False)
    types = StudentTypes(
        shares=shares.reshape(many, strata),
        first=np.stack([learning.quantiles(first[intake == one]) for one in range(many)]),
        last=np.stack([learning.quantiles(last[intake == one]) for one in range(many)]),
        level=learning.quantiles(left - by_stratum[log.stratum]),
        per_length=slope,
        by_stratum=by_stratum,
        stays=learning.effects(length, log.stratum, strata),
        most_days=learning.bound(days),
    )
    return _with_mean(types, learning.mean(days), learning.generator)


def _with_mean(types: StudentTypes, goal: float, generator: np.random.Generator) -> StudentTypes:
    """The level moved until invented students are active on as many days as real ones, on average."""
    for _ in range(ROUNDS):
        drawn = types.draw(TRIED, generator).days.mean()
        types = replace(types, level=types.level + np.log(max(goal, 1.0) / drawn))
    return types


def intakes(first: Array, least: int) -> Array:
    """Students who begin together: cut where nobody began for a while, with enough students on either side."""
    order = np.argsort(first, kind="stable")
    ordered = first[order]
    found, since = np.zeros(first.size, np.int64), 0
    for place in range(1, first.size):
        wide = ordered[place] - ordered[place - 1] >= APART
        if wide and place - since >= least and first.size - place >= least:
            since = place
            found[order[place:]] += 1
    return found


def active_days(log: CourseLog) -> Array:
    wide = int(log.day.max() - log.day.min()) + 1
    pairs = np.unique(log.student * wide + log.day - log.day.min())
    return np.bincount(pairs // wide, minlength=log.students)


def _slope(length: Array, log_days: Array, learning: Learning) -> float:
    """How much more active those are who stay longer; between not at all and in proportion."""
    spread = float(np.var(length))
    if spread < 1e-9:
        return 0.0
    slope = float(np.cov(length, log_days, bias=True)[0, 1]) / spread
    left = log_days - slope * length
    error = float(np.std(left)) / np.sqrt(spread * length.size)
    return float(np.clip(slope + LEAST_NOISE * learning.noise * error * learning.generator.standard_normal(), 0.0, 1.0))
