"""Right or wrong: the Rasch model P = σ(θ − d) as a regularised logistic regression (Vie et al. 2022, §3.3, §5.2)."""

from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_matrix

from sharewell.responses.log import Log
from sharewell.responses.protection.even_draws import even_within
from sharewell.stats.arrays import Array
from sharewell.stats.logistic import fit_logistic

ABILITY_STEPS, CLOSE = 8, 1e-5  # of Newton's method, whose last step squares what is left of the error
WRITTEN_OUT = 8  # pairs of student and item for each row, up to where they are sooner counted than sorted


@dataclass(frozen=True, kw_only=True)
class Rasch:
    """Ability of every student and difficulty of every item; P(right) = σ(ability − difficulty).

    The intercept of the regression is part of the difficulties, so that abilities have mean zero. An item without
    any answer has the difficulty of the average one.
    """

    ability: Array
    difficulty: Array
    objective: float

    def outcomes(self, item: Array, lengths: Array, ability: Array, generator: np.random.Generator) -> Array:
        """Draw right or wrong for every row of new students, evenly over the rows of an item."""
        chance = 1 / (1 + np.exp(self.difficulty[item] - np.repeat(ability, lengths)))
        found: Array = (even_within(item, self.difficulty.size, generator) < chance).astype(np.int8)
        return found


def fit_rasch(log: Log, *, C: float = 1.0) -> Rasch:
    """Fit on the distinct (student, item) pairs: the same optimum as on single rows, with fewer of them."""
    student, item, right, trials = cells(log)
    students = log.lengths.size
    rows = one_hot(student, students + item, students + len(log.items))
    fitted = fit_logistic(rows, right, trials, C=C)
    return Rasch(
        ability=fitted.weights[:students],
        difficulty=-fitted.weights[students:] - fitted.intercept,
        objective=fitted.objective,
    )


def cells(log: Log) -> tuple[Array, Array, Array, Array]:
    """Distinct pairs of student and item with right answers and trials."""
    assert log.correct is not None
    return cells_of(log.student, log.item, log.correct, len(log.items))


def cells_of(student: Array, item: Array, correct: Array, width: int) -> tuple[Array, Array, Array, Array]:
    """The same for rows in arrays; items are codes below `width`."""
    pair = student.astype(np.int64) * width + item
    if (int(student.max(initial=0)) + 1) * width <= WRITTEN_OUT * pair.size:
        times = np.bincount(pair)
        there = np.flatnonzero(times)
        return there // width, there % width, np.bincount(pair[correct == 1], minlength=times.size)[there], times[there]
    key = 2 * pair + correct
    key.sort()
    pair = key >> 1
    first = np.flatnonzero(np.concatenate([[True], pair[1:] != pair[:-1]]))
    right = np.add.reduceat(key & 1, first)
    trials = np.diff(np.append(first, pair.size))
    return pair[first] // width, pair[first] % width, right, trials


def one_hot(one: Array, other: Array, width: int) -> csr_matrix:
    """Rows with a one at two places."""
    places = np.empty(2 * one.size, dtype=np.int32)
    places[0::2], places[1::2] = one, other
    bounds = np.arange(0, places.size + 1, 2, dtype=np.int32)
    return csr_matrix((np.ones(places.size), places, bounds), shape=(one.size, width))


def abilities_given(student: Array, difficulty: Array, right: Array, trials: Array, students: int) -> Array:
    """The most probable abilities under θ ~ N(0, 1) where difficulties are known, by Newton's method."""
    ability = np.zeros(students)
    for _ in range(ABILITY_STEPS):
        chance = chance_of(ability[student], difficulty)
        gradient = np.bincount(student, weights=right - trials * chance, minlength=students) - ability
        curvature = np.bincount(student, weights=trials * chance * (1 - chance), minlength=students) + 1
        step = np.clip(gradient / curvature, -1, 1)
        ability += step
        if np.abs(step).max(initial=0.0) < CLOSE:
            break
    return ability


def chance_of(ability: Array, difficulty: Array) -> Array:
    found: Array = 1 / (1 + np.exp(difficulty - ability))
    return found
