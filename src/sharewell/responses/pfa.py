"""A learner whose ability grows with practice: performance factors analysis (Pavlik, Cen, Koedinger 2009).

logit P = level + θ − d + γ·log(1 + wins) + ρ·log(1 + fails), wins and fails counted per student and skill so far. The
logarithm damps long practice, as in DAS3H (Choffin et al. 2019); raw counts run away over hundreds of attempts.
"""

from dataclasses import dataclass

import numpy as np
from numba import njit
from scipy.sparse import csr_matrix

from sharewell.responses.draws import even_within
from sharewell.responses.log import Log
from sharewell.stats.logistic import fit_logistic


@dataclass(frozen=True, kw_only=True)
class Pfa:
    ability: np.ndarray
    difficulty: np.ndarray
    level: float
    wins: np.ndarray  # γ per skill
    fails: np.ndarray  # ρ per skill
    skill_of: np.ndarray

    def outcomes(
        self, item: np.ndarray, lengths: np.ndarray, ability: np.ndarray, generator: np.random.Generator
    ) -> np.ndarray:
        """Drawn one after the other: every outcome changes the chances of the next."""
        base = self.level - self.difficulty
        draws = even_within(item, base.size, generator)
        return _practise(item, lengths, ability, base, self.wins, self.fails, self.skill_of, draws)


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


@njit(cache=True)
def practice(
    item: np.ndarray, bounds: np.ndarray, correct: np.ndarray, skill_of: np.ndarray, skills: int
) -> tuple[np.ndarray, np.ndarray]:
    """Earlier right and wrong answers of the same student on the same skill, for every row."""
    wins, fails = np.zeros(item.size, dtype=np.int32), np.zeros(item.size, dtype=np.int32)
    won, lost = np.zeros(skills, dtype=np.int32), np.zeros(skills, dtype=np.int32)
    for student in range(bounds.size - 1):
        for place in range(bounds[student], bounds[student + 1]):
            skill = skill_of[item[place]]
            wins[place], fails[place] = won[skill], lost[skill]
            won[skill] += correct[place]
            lost[skill] += 1 - correct[place]
        for place in range(bounds[student], bounds[student + 1]):
            won[skill_of[item[place]]] = 0
            lost[skill_of[item[place]]] = 0
    return wins, fails


@njit(cache=True)
def _practise(
    item: np.ndarray,
    lengths: np.ndarray,
    ability: np.ndarray,
    base: np.ndarray,
    gain: np.ndarray,
    loss: np.ndarray,
    skill_of: np.ndarray,
    draws: np.ndarray,
) -> np.ndarray:
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
