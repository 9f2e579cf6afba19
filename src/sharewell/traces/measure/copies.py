"""Invented students who look like somebody: near copies, and whom a guess would take for the student.

Hours of single days (an hour of the calendar in which a student was active) are what two logs have in common.
"""

import numpy as np
from scipy.sparse import csr_matrix

from sharewell.contract import Risk
from sharewell.lab.membership import NEAR_COPIES
from sharewell.stats.intervals import wilson
from sharewell.traces.arrays import Array
from sharewell.traces.kind import GUESS
from sharewell.traces.measure.course_profile import cells
from sharewell.traces.measure.membership import CourseTarget

NEAR = 0.9
POINTS = "day and hour"
CLOSE = 1e-9
DOUBLE = "double"
BLOCK = 1_000  # students compared at a time


def near_copies(target: CourseTarget) -> Risk:
    """The share of invented students whose hours are nine tenths those of a student who was in."""
    ours, theirs, member = _unit(target.profile.groups[POINTS].table), _released(target), target.member
    n = theirs.shape[0]
    sides = [csr_matrix(ours[side].T) for side in (member, ~member)]
    near = [np.concatenate([_largest(theirs[rows] @ side) >= NEAR for rows in _blocks(n)]) for side in sides]
    inside, outside = (float(found.mean()) for found in near)
    low, high = wilson(inside * n, n)
    return Risk(
        measure=NEAR_COPIES, attacker="day and hour", value=inside, low=low, high=high, chance=outside, n=n,
        setting={"similar": NEAR},
        story="the share of invented students whose hours of activity are nine tenths those of a real student; "
        "chance is the same share for students who were not in",
    )  # fmt: skip


def guessed(target: CourseTarget, *, seed: int) -> Risk:
    """How often half of what a student did points to the same invented student as the other half.

    An attacker who knows a half takes the invented student who fits it best. If the other half agrees, this student is
    a double. Ordinary students have doubles by chance: what counts is how much more often than those who were not in
    (the correction of Giomi et al. 2023, equation 1).
    """
    table, member = target.profile.groups[POINTS].table, target.member
    theirs = csr_matrix(_released(target).T)
    halves = [_unit(half) for half in _halves(table, seed)]
    right = np.concatenate(
        [_agree(*((half[rows] @ theirs).toarray() for half in halves)) for rows in _blocks(member.size)]
    )
    inside, outside = right[member], right[~member]
    rate, usual = float(inside.mean()), float(outside.mean())
    scale = max(1 - usual, CLOSE)
    error = float(np.sqrt(inside.var() / inside.size + outside.var() / outside.size)) / scale
    value = max(0.0, (rate - usual) / scale)
    return Risk(
        measure=GUESS, attacker=DOUBLE, value=value, low=max(0.0, value - 1.96 * error),
        high=min(1.0, max(0.0, (rate - usual) / scale) + 1.96 * error), chance=1 / theirs.shape[1], n=int(member.sum()),
        seed=seed, setting={"agree": round(rate, 4), "agree for others": round(usual, 4)},
        story="Someone knows half of what a student did and takes the invented student who fits best; right where the "
        "other half says the same, beyond how often it does for students who were not in.",
    )  # fmt: skip


def _blocks(students: int) -> list[slice]:
    return [slice(start, start + BLOCK) for start in range(0, students, BLOCK)]


def _released(target: CourseTarget) -> csr_matrix:
    found = cells(target.fake, POINTS)
    return _unit(target.profile.groups[POINTS].of(found.student, found.code, target.fake.students))


def _unit(table: csr_matrix) -> csr_matrix:
    """Whether there was anything, of unit length: a product is the share in common."""
    found = csr_matrix((np.ones(table.nnz), table.indices, table.indptr), table.shape)
    found.data /= np.sqrt(np.repeat(np.maximum(np.diff(table.indptr), 1), np.diff(table.indptr)))
    return found


def _halves(table: csr_matrix, seed: int) -> tuple[csr_matrix, csr_matrix]:
    """Every student's points in two random halves."""
    first = np.random.default_rng([seed, 6]).random(table.nnz) < 0.5
    rows = np.repeat(np.arange(table.shape[0]), np.diff(table.indptr))
    one, other = (
        csr_matrix((np.ones(int(part.sum())), (rows[part], table.indices[part])), table.shape)
        for part in (first, ~first)
    )
    return one, other


def _agree(one: Array, other: Array) -> Array:
    """Compute the chance that both halves of a student point to one invented student.

    Columns are similarities to the invented students. The pick is drawn from those that fit the first half best; it is
    right if it is among those that fit the other half best. A half that fits nobody agrees with nothing.
    """
    best = (one >= one.max(axis=1, keepdims=True) - CLOSE) & (one > 0)
    also = (other >= other.max(axis=1, keepdims=True) - CLOSE) & (other > 0)
    return np.asarray((best & also).sum(axis=1) / np.maximum(best.sum(axis=1), 1))


def _largest(alike: csr_matrix) -> Array:
    return np.asarray(alike.max(axis=1).toarray()).ravel() if alike.shape[1] else np.zeros(alike.shape[0])
