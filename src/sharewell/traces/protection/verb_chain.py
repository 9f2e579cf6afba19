"""What follows what: a chain of tokens within sessions that walks no step that fewer than m students took."""

from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_matrix

from sharewell.stats.compiled import njit
from sharewell.traces.arrays import Array
from sharewell.traces.course_log import CourseLog
from sharewell.traces.protection.learnt_numbers import Learning, counted

ASKED, FEWEST_ASKED = 0.125, 8  # per student: steps that are learnt one by one, the commonest; others from their ends
STARTS, FEWEST_STARTS = 1 / 32, 4  # per student: tokens of which it is learnt how often sessions begin with them
LEAST_LEFT = 0.01  # of the sessions: those that begin with other tokens
OFTEN = 0.1  # per student: steps that, by what is learnt, are rarer than this are not asked whether enough took them
LEAST_STEP, ROUNDS = 1e-6, 50
MOST_TOKENS = 1_000  # the commonest; rarer combinations of a file with very many are left out


@dataclass(frozen=True, kw_only=True)
class VerbChain:
    """Cumulated weights: of the first token of all, of the next one within a session, and at the start of another."""

    start: Array
    within: Array  # token × token
    between: Array

    def walk(self, first: Array, begins: Array, generator: np.random.Generator) -> Array:
        """Tokens of events; `first` marks the first of a student, `begins` the first of a session."""
        return _walk(self.start, self.within, self.between, first, begins, generator.random(first.size))


def usable_tokens(log: CourseLog, learning: Learning) -> Array:
    """Tokens that enough students have and that can be left again by a step that enough students took."""
    holders = _students_of(log.token, log.student, log.students, len(log.tokens))
    used = learning.shared(holders, log.students) & (np.argsort(np.argsort(-holders, kind="stable")) < MOST_TOKENS)
    surely = _left_again(log, used, learning.several())
    return surely if surely.any() else _left_again(log, used, learning.m)  # much noise must not leave an empty course


def _left_again(log: CourseLog, used: Array, least: int) -> Array:
    """Those of the tokens that can be left by a step that so many students took."""
    used = used.copy()
    while used.any():
        left = (steps_taken(log, used) >= least).any(axis=1)
        if left.all():
            break
        used[np.flatnonzero(used)[~left]] = False
    return used


def fit_chain(log: CourseLog, learning: Learning, holders: Array) -> VerbChain:
    """For a log whose tokens are all usable; steps are drawn towards staying and towards how common tokens are.

    `holders` are the students who took each step in the log as it was.
    """
    size = len(log.tokens)
    before, after, who, inside = _steps(log)
    common = learning.totals(counted(who[inside], after[inside], log.students, size), skewed=True)
    start = _starts(log, learning, common)
    stay = learning.share(who[inside], (before == after)[inside], log.students)
    expected = np.outer((1 - stay) * common, common / max(common.sum(), 1e-12))
    np.fill_diagonal(expected, np.diag(expected) + stay * common)
    table = counted(who[inside], before[inside] * size + after[inside], log.students, size * size)
    asked = commonest(expected.ravel(), max(FEWEST_ASKED, ASKED * log.students))
    there = holders.ravel() > 0
    steps = learning.totals(table, expected=expected.ravel(), there=there, asked=asked).reshape(size, size)
    allowed = learning.shared(np.where(steps >= log.students * OFTEN, holders, 0).ravel(), log.students)
    allowed = allowed.reshape(size, size)
    lost = ~allowed.any(axis=1)  # a way out of every token, the commonest
    allowed[lost, np.argmax(holders[lost], axis=1)] = True
    steps = np.where(allowed, np.maximum(steps, LEAST_STEP), 0.0)
    between = np.where(allowed, np.maximum(start, LEAST_STEP), 0.0)
    occurs = start + common
    steps, between = (balanced(table, occurs, comes) for table, comes in ((steps, common), (between, start)))
    return VerbChain(start=np.cumsum(start), within=np.cumsum(steps, axis=1), between=np.cumsum(between, axis=1))


def _starts(log: CourseLog, learning: Learning, common: Array) -> Array:
    """How often sessions begin with each token: the commonest one by one, the others share what is left."""
    table = counted(log.student[log.begins], log.token[log.begins], log.students, common.size)
    asked = commonest(common, max(FEWEST_STARTS, STARTS * log.students))
    found = learning.totals(table, expected=common, there=common > 0, asked=asked)
    others = np.where(asked, 0.0, common)
    left = max(table.sum() - found[asked].sum(), LEAST_LEFT * table.sum())
    return np.asarray(np.where(asked, found, left * others / max(others.sum(), 1e-12)))


def commonest(weights: Array, count: float) -> Array:
    """Whether each is among so many of the largest."""
    return np.asarray(np.argsort(np.argsort(-weights, kind="stable")) < count)


def balanced(table: Array, leaves: Array, comes: Array) -> Array:
    """Steps in such proportions that tokens are left and reached as often as they should be, where steps allow it.

    Steps that may not be walked take their share from tokens that many steps lead to and give it to the others;
    proportional fitting (Deming and Stephan 1940) gives it back. It uses what was learnt, noise included.
    """
    rows = leaves * comes.sum() / max(float(leaves.sum()), 1e-12)
    found = table.astype(float)
    for _ in range(ROUNDS):
        found = found * (comes / np.maximum(found.sum(axis=0), 1e-300))
        found = found * (rows / np.maximum(found.sum(axis=1), 1e-300))[:, None]
        found = np.where(table > 0, np.maximum(found, LEAST_STEP), 0.0)
    return np.asarray(found)


def _steps(log: CourseLog) -> tuple[Array, Array, Array, Array]:
    """Every step from one event of a student to the next, whose it is, and whether it stays within a session."""
    place = np.flatnonzero(~log.first)
    return log.token[place - 1], log.token[place], log.student[place], ~log.begins[place]


def steps_taken(log: CourseLog, used: Array) -> Array:
    """How many students went from one usable token straight to another, tokens numbered as if there were no others."""
    before, after, who, _ = _steps(log)
    rows = used[before] & used[after]
    size, place = int(used.sum()), np.cumsum(used) - 1
    code = place[before[rows]] * size + place[after[rows]]
    return _students_of(code, who[rows], log.students, size * size).reshape(size, size)


def _students_of(cell: Array, student: Array, students: int, cells: int) -> Array:
    table: csr_matrix = counted(student, cell, students, cells)
    return np.bincount(table.indices, minlength=cells)


@njit(cache=True)
def _walk(start: Array, within: Array, between: Array, first: Array, begins: Array, draws: Array) -> Array:
    token = np.zeros(first.size, np.int64)
    last = 0
    for place in range(first.size):
        if first[place]:
            edges = start
        elif begins[place]:
            edges = between[last]
        else:
            edges = within[last]
        last = min(np.searchsorted(edges, draws[place] * edges[-1], side="right"), edges.size - 1)
        token[place] = last
    return token
