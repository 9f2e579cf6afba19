"""A learner whose ability grows with practice: performance factors analysis (Pavlik, Cen, Koedinger 2009).

logit P = level + θ − d + γ·log(1 + wins) + ρ·log(1 + fails), wins and fails counted per student and skill so far. The
logarithm damps long practice, as in DAS3H (Choffin et al. 2019); raw counts run away over hundreds of attempts.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numba import njit
from scipy.sparse import csr_matrix

from sharewell.responses.log import Log
from sharewell.responses.practice_counts import practice
from sharewell.responses.protection.even_draws import even_within
from sharewell.stats.arrays import Array
from sharewell.stats.logistic import fit_logistic


@dataclass(frozen=True, kw_only=True)
class Pfa:
    ability: Array
    difficulty: Array
    level: float
    wins: Array  # γ per skill
    fails: Array  # ρ per skill
    skill_of: Array

    def outcomes(self, item: Array, lengths: Array, ability: Array, generator: np.random.Generator) -> Array:
        """Drawn one after the other: every outcome changes the chances of the next."""
        base = self.level - self.difficulty
        draws = even_within(item, base.size, generator)
        return _practise(item, lengths, ability, Rates(base, self.wins, self.fails, self.skill_of), draws)


def fit_pfa(log: Log, *, C: float = 1.0) -> Pfa:
    """One sparse regression; without skills every item is a skill of its own."""
    assert log.correct is not None
    skill_of = np.arange(len(log.items), dtype=np.int32) if log.skill_of is None else log.skill_of
    skills = int(skill_of.max()) + 1
    students, items = log.lengths.size, len(log.items)
    wins, fails = practice(log.item, log.bounds, log.correct, skill_of, skills)
    places = np.empty((log.rows, 4), dtype=np.int32)
    values = np.ones((log.rows, 4))
    places[:, 0], places[:, 1] = log.student, students + log.item
    places[:, 2] = students + items + skill_of[log.item]
    places[:, 3] = places[:, 2] + skills
    values[:, 2], values[:, 3] = np.log1p(wins), np.log1p(fails)
    bounds = np.arange(0, 4 * log.rows + 1, 4)
    rows = csr_matrix((values.ravel(), places.ravel(), bounds), shape=(log.rows, students + items + 2 * skills))
    fitted = fit_logistic(rows, log.correct, np.ones(log.rows), C=C)
    ability, ease, gain, loss = np.split(fitted.weights, [students, students + items, students + items + skills])
    return Pfa(ability=ability, difficulty=-ease, level=fitted.intercept, wins=gain, fails=loss, skill_of=skill_of)


class Rates(NamedTuple):
    """What the compiled draw takes: ease per item, gain per right and wrong answer per skill."""

    base: Array
    gain: Array
    loss: Array
    skill_of: Array


@njit(cache=True)
def _practise(item: Array, lengths: Array, ability: Array, rates: Rates, draws: Array) -> Array:
    base, gain, loss, skill_of = rates
    correct = np.empty(item.size, dtype=np.int8)
    won, lost = np.zeros(gain.size), np.zeros(gain.size)
    place = 0
    for student in range(lengths.size):
        begun = place
        for _ in range(lengths[student]):
            skill = skill_of[item[place]]
            z = ability[student] + base[item[place]]
            z += gain[skill] * np.log1p(won[skill]) + loss[skill] * np.log1p(lost[skill])
            right = draws[place] < 1 / (1 + np.exp(-z))
            correct[place] = right
            won[skill] += right
            lost[skill] += not right
            place += 1
        for back in range(begun, place):
            won[skill_of[item[back]]] = 0.0
            lost[skill_of[item[back]]] = 0.0
    return correct
