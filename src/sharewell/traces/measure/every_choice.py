"""Without drawing: every choice of known points counted, and the worst choice searched for. For small logs."""

import math

import numpy as np

from sharewell.errors import InputError
from sharewell.stats.compiled import njit
from sharewell.traces.arrays import Array
from sharewell.traces.log import Log
from sharewell.traces.measure.candidates import holds

STEPS = 30_000_000  # steps of the count over all students before it is refused
TRIES = 50_000  # choices examined per student before the worst case is left undecided


def chances(log: Log, known: int) -> Array:
    """The share of all choices of `known` points that nobody else shares, for every student who has points."""
    binomials = _binomials(int(log.lengths.max()), known)
    alone, steps = _count_alone(log.starts, log.points, log.shared, log.holders, known, binomials, STEPS)
    if steps > STEPS:
        raise InputError(f"there are too many choices of {known} points to count them all: draw them instead")
    present = log.lengths > 0
    all_choices = np.array([math.comb(int(n), min(known, int(n))) for n in log.lengths[present]], float)
    return np.asarray(alone[present] / all_choices)


def worst_case(log: Log, known: int, students: Array | None = None) -> Array:
    """For every student: 1 if some `known` points single them out, 0 if none do, -1 if the search was cut short."""
    wanted = np.arange(log.students) if students is None else students
    return _worst(log.starts, log.points, log.shared, log.holders, wanted, known)


def _binomials(most: int, known: int) -> Array:
    return np.array([[math.comb(n, k) for k in range(known + 1)] for n in range(most + 1)], float)


@njit(cache=True)
def _narrow(shared: Array, holders: Array, point: int, target: int, level: int, crowd: Array, sizes: Array) -> int:
    """Those of the candidates at `level` who also have the point, written one level deeper; how many they are."""
    size = 0
    if level == 0:
        for place in range(shared[point], shared[point + 1]):
            if holders[place] != target:
                crowd[1, size] = holders[place]
                size += 1
    else:
        for place in range(sizes[level]):
            if holds(shared, holders, point, crowd[level, place]):
                crowd[level + 1, size] = crowd[level, place]
                size += 1
    sizes[level + 1] = size
    return size


@njit(cache=True)
def _count_alone(
    starts: Array,
    points: Array,
    shared: Array,
    holders: Array,
    known: int,
    binomials: Array,
    most_steps: int,
) -> tuple[Array, int]:
    """Choices of points that nobody else shares, depth first: one that is alone settles all its extensions."""
    students, steps = starts.size - 1, 0
    alone = np.zeros(students)
    crowd = np.empty((known + 1, students), np.int32)
    sizes, at = np.zeros(known + 1, np.int64), np.zeros(known + 1, np.int64)
    for student in range(students):
        own = points[starts[student] : starts[student + 1]]
        wanted = min(known, own.size)
        level = 0 if wanted else -1
        at[0] = -1
        while level >= 0 and steps <= most_steps:
            at[level] += 1
            if at[level] > own.size - (wanted - level):
                level -= 1
                continue
            size = _narrow(shared, holders, own[at[level]], student, level, crowd, sizes)
            steps += 1 + size
            if size == 0:
                alone[student] += binomials[own.size - at[level] - 1, wanted - level - 1]
            elif level + 1 < wanted:
                level += 1
                at[level] = at[level - 1]
    return alone, steps


@njit(cache=True)
def _worst(starts: Array, points: Array, shared: Array, holders: Array, wanted: Array, known: int) -> Array:
    """A choice must part the target from every candidate: branch on the points that the first candidate lacks."""
    verdict = np.zeros(wanted.size, np.int8)
    crowd = np.empty((known + 1, starts.size - 1), np.int32)
    sizes, at = np.zeros(known + 1, np.int64), np.zeros(known + 1, np.int64)
    for number in range(wanted.size):
        student = wanted[number]
        own = points[starts[student] : starts[student + 1]]
        rarest = own[np.argsort(shared[own + 1] - shared[own])]
        level, tries = (0 if own.size else -1), 0
        at[0] = -1
        while level >= 0:
            at[level] += 1
            if at[level] >= rarest.size:
                level -= 1
                continue
            point = rarest[at[level]]
            if level > 0 and holds(shared, holders, point, crowd[level, 0]):
                continue
            tries += 1
            if _narrow(shared, holders, point, student, level, crowd, sizes) == 0:
                verdict[number] = 1
                break
            if tries > TRIES:
                verdict[number] = -1
                break
            if level + 1 < known:
                level += 1
                at[level] = -1
    return verdict
