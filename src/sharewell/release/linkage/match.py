"""From scores to guesses: whom an attacker names, how often that is right, and how often a blind guess would be.

Every attack gives a table of scores, students of one file by students of the other. The truth is the diagonal: both
sides are put in the same order first, and students of the second file alone stand behind as further candidates.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from sharewell.stats.arrays import Array

SHUFFLES = 1000  # of whose rows are whose, to see what a blind guess reaches
EDGE = 1e-9


@dataclass(frozen=True)
class Guesses:
    """What one attack names: for each student of the first file the chance with which each candidate is named."""

    attack: str
    how: str  # "nearest" or "assignment"
    chances: Array  # (students, candidates); rows sum to one

    @property
    def right(self) -> Array:
        """The chance, for each student in both files, that the right rows are named."""
        return np.diagonal(self.chances)


def by_chance(guesses: Sequence[Guesses], common: int, seed: int) -> Array:
    """Right guesses of the best attack where nobody knows whose rows are whose: each time the truth is dealt anew."""
    draw = np.random.default_rng(seed)
    candidates = guesses[0].chances.shape[1]
    truth = np.argsort(draw.random((SHUFFLES, candidates), np.float32), axis=1)[:, :common]
    students = np.arange(common)
    hits = [guess.chances[students, truth].sum(axis=1) for guess in guesses]
    return np.asarray(np.max(hits, axis=0))


def nearest(attack: str, scores: Array) -> Guesses:
    """The best candidate; among equally good ones each is as likely."""
    best = scores >= scores.max(axis=1, keepdims=True) - EDGE
    return Guesses(attack, "nearest", (best / best.sum(axis=1, keepdims=True)).astype(np.float32))


def assignment(attack: str, scores: Array, seed: int) -> Guesses:
    """Everyone gets rows of their own so that the sum of scores is greatest (Kuhn 1955; scipy's implementation).

    Equal scores are settled by a draw: without it the order of the students would settle them, and that is the truth.
    """
    from scipy.optimize import linear_sum_assignment

    students, candidates = scores.shape
    draw = np.random.default_rng(seed)
    rows, columns = draw.permutation(students), draw.permutation(candidates)
    spread = np.ptp(scores) or 1.0
    shuffled = scores[np.ix_(rows, columns)] + draw.uniform(0, 1e-7 * spread, scores.shape)
    place, chosen = linear_sum_assignment(shuffled, maximize=True)
    chances = np.zeros(scores.shape, np.float32)
    chances[rows[place], columns[chosen]] = 1.0
    return Guesses(attack, "assignment", chances)


def standardised(scores: Array) -> Array:
    """Scores of a student against all candidates on one scale, so that attacks can be added up."""
    centred = scores - scores.mean(axis=1, keepdims=True)
    spread = centred.std(axis=1, keepdims=True)
    return np.asarray(np.divide(centred, spread, out=np.zeros_like(centred), where=spread > EDGE))
