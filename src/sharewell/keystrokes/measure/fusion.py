"""All attacks together: a logistic regression over their scores, learnt on other typists."""

from collections.abc import Sequence

import numpy as np
from scipy.sparse import csr_matrix

from sharewell.keystrokes.arrays import Array
from sharewell.keystrokes.measure.strangers import lessons
from sharewell.stats.logistic import Logistic, fit_logistic

OTHERS = 10  # people who are not the one, per person to learn from
FOLDS = 5  # a dozen weights need fewer people to learn from than a metric does
FREEDOM = 0.1  # of weights: the inverse of what holds them small


def scores(each: Sequence[Array], own: Array, seed: int) -> Array:
    """One matrix of scores from those of every attack, weighed by what people teach who are neither of the two."""
    features = np.stack([_standard(one) for one in each], axis=2)
    generator = np.random.default_rng(seed)
    result = np.zeros(features.shape[:2])
    for lesson in lessons(own, features.shape[1], seed, FOLDS):
        rows, candidates = np.flatnonzero(lesson.teaches[own]), np.flatnonzero(lesson.teaches)
        if len(rows) < 2:
            continue
        drawn = candidates[generator.integers(0, len(candidates), (len(rows), OTHERS))]
        model = _learnt(features[rows, own[rows]], features[rows[:, None], drawn][drawn != own[rows][:, None]])
        for sought, known in lesson.blocks:
            result[np.ix_(sought, known)] = features[np.ix_(sought, known)] @ model.weights + model.intercept
    return result


def _learnt(same: Array, others: Array) -> Logistic:
    """Which weights tell comparisons of one person from those of two, as many of either by weight."""
    count = np.array([len(same), len(others)])
    weight = np.repeat(count.sum() / (2 * np.maximum(count, 1)), count)
    right = np.repeat([1.0, 0.0], count)
    return fit_logistic(csr_matrix(np.concatenate([same, others])), right * weight, weight, C=FREEDOM)


def _standard(scores: Array) -> Array:
    """Every row to mean zero and spread one: rows of different people are then alike."""
    centred = scores - scores.mean(axis=1, keepdims=True)
    return np.asarray(np.clip(centred / np.maximum(scores.std(axis=1, keepdims=True), 1e-12), -8, 8))
