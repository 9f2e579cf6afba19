"""A learner whose ability grows with practice: performance factors analysis (Pavlik, Cen, Koedinger 2009).

logit P = level + θ − d + γ·log(1 + wins) + ρ·log(1 + fails) + α(attempt), wins and fails counted per student and skill
so far. The logarithm damps long practice, as in DAS3H (Choffin et al. 2019); raw counts run away over hundreds of
attempts. α, the same for all skills, lets the second attempt differ from the first by more than a logarithm does.
"""

from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_matrix

from sharewell.responses.log import Log
from sharewell.responses.practice_counts import practice
from sharewell.responses.protection.even_draws import even_within
from sharewell.stats.arrays import Array
from sharewell.stats.logistic import fit_logistic

TRIES = 11  # attempts on a skill that have an effect of their own
CLOSE = 5e-6  # gradient left per row: far below what a student more or less would change


@dataclass(frozen=True, kw_only=True)
class Pfa:
    ability: Array
    difficulty: Array
    level: float
    wins: Array  # γ per skill
    fails: Array  # ρ per skill
    tries: Array  # α of the first, second … attempt; the last also of all later ones
    skill_of: Array

    def outcomes(self, item: Array, lengths: Array, ability: Array, generator: np.random.Generator) -> Array:
        """Draw one row after the other, of all students at once: every outcome changes the chances of the next."""
        skill, first = self.skill_of[item].astype(np.int64), np.cumsum(lengths) - lengths
        student = np.repeat(np.arange(lengths.size), lengths)
        cell = np.unique(student * self.wins.size + skill, return_inverse=True)[1]
        base = np.repeat(ability, lengths) + (self.level - self.difficulty)[item]
        draws = even_within(item, self.difficulty.size, generator)
        correct = np.empty(item.size, dtype=np.int8)
        won, lost = np.zeros((2, int(cell.max(initial=-1)) + 1), dtype=np.int64)
        for place in range(int(lengths.max(initial=0))):
            row = first[lengths > place] + place
            wins, fails, of = won[cell[row]], lost[cell[row]], skill[row]
            z = base[row] + self.wins[of] * np.log1p(wins) + self.fails[of] * np.log1p(fails)
            z += self.tries[np.minimum(wins + fails, self.tries.size - 1)]
            right = draws[row] < 1 / (1 + np.exp(-z))
            correct[row] = right
            won[cell[row]] += right
            lost[cell[row]] += ~right
        return correct


def fit_pfa(log: Log, *, C: float = 1.0) -> Pfa:
    """One sparse regression; without skills every item is a skill of its own."""
    assert log.correct is not None
    skill_of = np.arange(len(log.items), dtype=np.int32) if log.skill_of is None else log.skill_of
    skills = int(skill_of.max()) + 1
    students, items = log.lengths.size, len(log.items)
    wins, fails = practice(log.item, log.bounds, log.correct, skill_of, skills)
    attempt = students + items + 2 * skills + np.minimum(wins + fails, TRIES - 1)
    own, gain = students + log.item, students + items + skill_of[log.item]
    ones = np.ones(log.rows)
    places = np.stack([log.student, own, gain, gain + skills, attempt], axis=1)
    values = np.stack([ones, ones, np.log1p(wins), np.log1p(fails), ones], axis=1)
    bounds = np.arange(0, places.size + 1, places.shape[1])
    width = students + items + 2 * skills + TRIES
    rows = csr_matrix((values.ravel(), places.ravel(), bounds), shape=(log.rows, width))
    fitted = fit_logistic(rows, log.correct, ones, C=C, tolerance=CLOSE * log.rows)
    parts = np.split(fitted.weights, np.cumsum([students, items, skills, skills]))
    ability, ease, gains, losses, tries = parts
    return Pfa(
        ability=ability,
        difficulty=-ease,
        level=fitted.intercept,
        wins=gains,
        fails=losses,
        tries=tries,
        skill_of=skill_of,
    )
