"""What kinds of students there are: outcome, when they begin and stop, and on how many days they are active."""

from dataclasses import dataclass, replace

import numpy as np

from sharewell.traces.arrays import Array
from sharewell.traces.course_log import CourseLog
from sharewell.traces.protection.learnt_numbers import LEAST_NOISE, Learning, counted, drawn_cells, drawn_from, nearest

ROUNDS, TRIED = 8, 2_000  # draws in which the level is set, and students of each
WEEK = 7  # days
LEAST_RANK = 0.15  # of a stratum: none is so early or so late that nobody else is
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
    """Students per intake and stratum; for each intake when its students begin and how long they stay; how active.

    How long they stay, not when they stop: first and last days that noise moved apart would leave many who stop before
    they began.
    """

    shares: Array  # intake × stratum
    first: Array  # intake × KNOTS
    length: Array  # the same, in days
    level: Array  # KNOTS, of the logarithm of active days over what the length of stay lets expect
    per_length: float
    begins: Array  # stratum: the mean rank of its first days among those of all students
    stays: Array  # the same of how long they stay
    active: Array  # the same of the level
    most_days: float

    def draw(self, students: int, generator: np.random.Generator) -> Students:
        cell = drawn_cells(self.shares.ravel(), students, generator)
        intake, stratum = np.divmod(cell, self.shares.shape[1])
        first, length = np.empty(students), np.empty(students)
        for one in np.unique(intake):
            here = intake == one
            first[here] = drawn_from(self.first[one], _ranks(self.begins[stratum[here]], generator))
            length[here] = drawn_from(self.length[one], _ranks(self.stays[stratum[here]], generator))
        first, length = np.rint(first), np.maximum(np.rint(length), 1.0)
        level = drawn_from(self.level, _ranks(self.active[stratum], generator))
        days = np.exp(level + self.per_length * np.log(length))
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
    intake = intakes(first, learning)
    many, strata = int(intake.max()) + 1, len(log.strata)
    who = np.arange(log.students)
    joint = counted(who, intake * strata + log.stratum, log.students, many * strata)
    by_intake = learning.totals(counted(who, intake, log.students, many), there=np.ones(many, np.bool_))
    of_stratum = learning.totals(counted(who, log.stratum, log.students, strata), there=np.ones(strata, np.bool_))
    enough = learning.shared(np.bincount(joint.indices, minlength=many * strata), log.students)
    shares = learning.totals(joint, expected=np.outer(by_intake, of_stratum).ravel(), there=enough)
    length = last - first + 1.0
    slope = _slope(np.log(length), np.log(days), learning)
    level = np.log(days) - slope * np.log(length)
    types = StudentTypes(
        shares=shares.reshape(many, strata),
        first=np.stack([learning.quantiles(first[intake == one]) for one in range(many)]),
        length=np.stack([learning.quantiles(length[intake == one]) for one in range(many)]),
        level=learning.quantiles(level),
        per_length=slope,
        begins=_mean_ranks(learning, first, log.stratum, strata),
        stays=_mean_ranks(learning, length, log.stratum, strata),
        active=_mean_ranks(learning, level, log.stratum, strata),
        most_days=learning.bound(days),
    )
    return _with_mean(types, learning.mean(days), learning.generator)


def _mean_ranks(learning: Learning, values: Array, stratum: Array, strata: int) -> Array:
    """The mean rank of each stratum among all students, from 0 to 1.

    Ranks, since students who stop early come once and not half as long, and many are as active as can be: a factor
    would move everybody, and those at the end nowhere.
    """
    from scipy.stats import rankdata  # 30 MB, which a large log is protected without

    ranks = (rankdata(values) - 0.5) / values.size
    return np.clip(0.5 + learning.effects(ranks, stratum, strata, doubted=False), LEAST_RANK, 1 - LEAST_RANK)


def _ranks(mean: Array, generator: np.random.Generator) -> Array:
    """Ranks between 0 and 1 with these means: u^(1/m − 1) of a uniform u has the mean m."""
    return np.asarray(generator.random(mean.size) ** (1 / mean - 1))


def _with_mean(types: StudentTypes, goal: float, generator: np.random.Generator) -> StudentTypes:
    """The level moved until invented students are active on as many days as real ones, on average."""
    for _ in range(ROUNDS):
        drawn = types.draw(TRIED, generator).days.mean()
        types = replace(types, level=types.level + np.log(max(goal, 1.0) / drawn))
    return types


def intakes(first: Array, learning: Learning) -> Array:
    """Students who begin together: runs of weeks in which surely several began, each with enough students.

    Both are decided with noise. Cut where nobody began, a course would be joined by one student who began in between,
    and whether invented students begin there would tell of this student whether they were in.
    """
    week = first // WEEK - int(first.min()) // WEEK
    busy = np.flatnonzero(learning.shared(np.bincount(week), first.size))
    if not busy.size:
        return np.zeros(first.size, np.int64)
    run = np.cumsum(np.diff(busy, prepend=busy[0]) > 1)
    size = np.bincount(run[nearest(busy, week)])
    least = max(learning.m, LEAST_INTAKE * first.size)
    noisy = size + LEAST_NOISE * learning.noise * np.sqrt(least) * learning.generator.standard_normal(size.size)
    stays = (noisy >= least) | (noisy == noisy.max())
    busy, run = busy[stays[run]], run[stays[run]]
    return np.asarray(np.unique(run, return_inverse=True)[1][nearest(busy, week)])


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
