"""What guides the search towards an outcome: not the outcome itself, but what can be predicted of it.

A student's own outcome is mostly chance. Cuts that chase it overfit, and they gather students of one outcome in one
class. So every outcome is first replaced by a prediction from the quasi-identifiers: the mean of that of random forests
which have not seen the student and that of a ridge regression whose shrinkage is chosen by leave-one-out.
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from sharewell.records import published_cells
from sharewell.records.arrays import Array
from sharewell.records.combinations import Combinations
from sharewell.records.hierarchies import Hierarchy
from sharewell.records.protection.recoding import Request

MOST_FITTED = 4000  # combinations that the models learn from; the others are predicted
FEWEST_FITTED = 30
FOLDS = 5
TREES = 60  # in the forest of every fold
SURE = 0.03  # share of the variance that must be predictable for the outcomes to weigh in full


def guided(request: Request) -> Request:
    """The request with every outcome replaced by its prediction; its weight fades where nothing can be predicted."""
    combinations = request.combinations
    if request.guide is not None or request.weight <= 0 or combinations.sums.shape[0] == 0:
        return request
    size = combinations.counts.size
    draw = np.random.default_rng(request.seed)
    fitted = np.sort(draw.choice(size, MOST_FITTED, replace=False)) if size > MOST_FITTED else np.arange(size)
    table = _features(combinations, [request.hierarchies[column.name] for column in combinations.quasi])
    weights = combinations.counts.astype(float)
    found = [_predict(table, total / weights, weights, fitted, request.seed) for total in combinations.sums]
    made, sure = np.stack([prediction for prediction, _ in found]), max(share for _, share in found)
    aim = replace(combinations, sums=made * weights, squares=made**2 * weights)
    return replace(request, guide=aim, weight=request.weight * min(1.0, max(0.0, sure) / SURE))


def _features(combinations: Combinations, hierarchies: Sequence[Hierarchy]) -> Array:
    """Numbers as they are, categories as indicators of the common ones, all on one scale."""
    parts = []
    for column, hierarchy in zip(combinations.quasi, hierarchies, strict=True):
        values = published_cells.numbers(hierarchy)
        if values is None:
            common = np.argsort(-np.bincount(column.codes, minlength=len(column.values)), kind="stable")[:20]
            parts.append((column.codes[:, None] == common[None, :]).astype(float))
        else:
            place = np.array([hierarchy.position[value] for value in column.values])
            parts.append(values[place][column.codes][:, None])
    table = np.concatenate(parts, axis=1)
    scaled: Array = (table - table.mean(axis=0)) / np.maximum(table.std(axis=0), 1e-9)
    return scaled


def _predict(table: Array, outcome: Array, weights: Array, fitted: Array, seed: int) -> tuple[Array, float]:
    """The prediction, and the share of the outcome's variance that it explains out of sample."""
    from sklearn.linear_model import RidgeCV

    if fitted.size < FEWEST_FITTED or np.ptp(outcome[fitted]) == 0:
        return outcome, 1.0
    forests = _unseen(table, outcome, weights, fitted, seed)
    ridge = RidgeCV(np.logspace(-1, 4, 12)).fit(table[fitted], outcome[fitted])
    left = np.average((outcome - forests)[fitted] ** 2, weights=weights[fitted])
    mean = np.average(outcome[fitted], weights=weights[fitted])
    whole = np.average((outcome[fitted] - mean) ** 2, weights=weights[fitted])
    by_ridge = 1 + ridge.best_score_ / outcome[fitted].var()  # best_score_ is −MSE, leave-one-out
    return (forests + ridge.predict(table)) / 2, float(max(1 - left / whole, by_ridge))


def _unseen(table: Array, outcome: Array, weights: Array, fitted: Array, seed: int) -> Array:
    """Every combination predicted by forests that learned from others (common ones are in every bag of a forest)."""
    from sklearn.ensemble import RandomForestRegressor
    from sklearn.model_selection import KFold

    made = np.zeros(outcome.size)
    others = np.setdiff1d(np.arange(outcome.size), fitted)
    for train, test in KFold(FOLDS, shuffle=True, random_state=seed).split(fitted):
        learned, unseen = fitted[train], fitted[test]
        forest = RandomForestRegressor(TREES, min_samples_leaf=5, max_features=0.4, random_state=seed)
        forest.fit(table[learned], outcome[learned], sample_weight=weights[learned])
        made[unseen] = forest.predict(table[unseen])
        if others.size:
            made[others] += forest.predict(table[others]) / FOLDS
    return made
