"""All attacks together: a logistic regression over their scores, learnt on other typists."""

from collections.abc import Sequence

import numpy as np

from sharewell.keystrokes.arrays import Array
from sharewell.keystrokes.measure.other_typists import lessons

OTHERS = 10  # people who are not the one, per person to learn from
FOLDS = 5  # a dozen weights need fewer people to learn from than a metric does
NEWTON_STEPS, ENOUGH, LEAST_CURVATURE = 50, 1e-6, 1e-6
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
        weights = _learnt(features[rows, own[rows]], features[rows[:, None], drawn][drawn != own[rows][:, None]])
        for sought, known in lesson.blocks:
            result[np.ix_(sought, known)] = features[np.ix_(sought, known)] @ weights[:-1] + weights[-1]
    return result


def _learnt(same: Array, others: Array) -> Array:
    """The weights, the intercept last, that tell comparisons of one person from those of two; either side weighs alike.

    Regularised logistic regression by Newton steps: a dozen weights, so that the curvature is solved exactly.
    """
    count = np.array([len(same), len(others)])
    weight = np.repeat(count.sum() / (2 * np.maximum(count, 1)), count)
    rows = np.hstack([np.concatenate([same, others]), np.ones((count.sum(), 1))])
    right, small = np.repeat([1.0, 0.0], count), np.append(np.ones(rows.shape[1] - 1), 0.0) / FREEDOM
    point = np.zeros(rows.shape[1])
    for _ in range(NEWTON_STEPS):
        chance = 1 / (1 + np.exp(-rows @ point))
        gradient = rows.T @ (weight * (chance - right)) + small * point
        curvature = (rows.T * (weight * np.maximum(chance * (1 - chance), LEAST_CURVATURE))) @ rows
        step = np.linalg.solve(curvature + np.diag(small), gradient)
        point = point - step
        if np.abs(step).max() < ENOUGH:
            break
    return point


def _standard(scores: Array) -> Array:
    """Every row to mean zero and spread one: rows of different people are then alike."""
    centred = scores - scores.mean(axis=1, keepdims=True)
    return np.asarray(np.clip(centred / np.maximum(scores.std(axis=1, keepdims=True), 1e-12), -8, 8))
