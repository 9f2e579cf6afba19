"""What guides the search towards an outcome: not the outcome itself, but what can be predicted of it.

A student's own outcome is mostly chance. Cuts that chase it overfit, and they gather students of one outcome in one
class. So every outcome is first replaced by an out-of-sample prediction from the quasi-identifiers: the mean of a
random forest's out-of-bag prediction and a ridge regression's cross-validated one.
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from sharewell.records import meaning
from sharewell.records.combinations import Combinations
from sharewell.records.hierarchies import Hierarchy
from sharewell.records.task import Task

MOST_FITTED = 4000  # combinations that the models learn from; the others are predicted
TREES = 100


def guide(task: Task) -> Combinations:
    """The combinations with every outcome replaced by its prediction; as they are where no outcome guides."""
    combinations = task.combinations
    if task.guide is not None:
        return task.guide
    if task.weight <= 0 or combinations.sums.shape[0] == 0:
        return combinations
    size = combinations.counts.size
    draw = np.random.default_rng(task.seed)
    fitted = np.sort(draw.choice(size, MOST_FITTED, replace=False)) if size > MOST_FITTED else np.arange(size)
    table = _features(combinations, [task.hierarchies[column.name] for column in combinations.quasi])
    weights = combinations.counts.astype(float)
    made = np.stack([_predict(table, total / weights, weights, fitted, task.seed) for total in combinations.sums])
    return replace(combinations, sums=made * weights, squares=made**2 * weights)


def _features(combinations: Combinations, hierarchies: Sequence[Hierarchy]) -> np.ndarray:
    """Numbers as they are, categories as indicators of the common ones, all on one scale."""
    parts = []
    for column, hierarchy in zip(combinations.quasi, hierarchies, strict=True):
        values = meaning.numbers(hierarchy)
        if values is None:
            common = np.argsort(-np.bincount(column.codes, minlength=len(column.values)), kind="stable")[:20]
            parts.append((column.codes[:, None] == common[None, :]).astype(float))
        else:
            place = np.array([hierarchy.position[value] for value in column.values])
            parts.append(values[place][column.codes][:, None])
    table = np.concatenate(parts, axis=1)
    return (table - table.mean(axis=0)) / np.maximum(table.std(axis=0), 1e-9)


def _predict(table: np.ndarray, outcome: np.ndarray, weights: np.ndarray, fitted: np.ndarray, seed: int) -> np.ndarray:
    from sklearn.ensemble import RandomForestRegressor
    from sklearn.linear_model import RidgeCV
    from sklearn.model_selection import KFold, cross_val_predict

    if fitted.size < 30 or np.ptp(outcome[fitted]) == 0:
        return outcome
    x, y, w = table[fitted], outcome[fitted], weights[fitted]
    forest = RandomForestRegressor(TREES, min_samples_leaf=5, max_features=0.4, oob_score=True, random_state=seed).fit(
        x, y, sample_weight=w
    )
    ridge = RidgeCV(np.logspace(-1, 4, 12))
    folds = KFold(10, shuffle=True, random_state=seed)
    made = np.empty(outcome.size)
    rest = np.setdiff1d(np.arange(outcome.size), fitted)
    made[fitted] = (forest.oob_prediction_ + cross_val_predict(ridge, x, y, cv=folds)) / 2
    if rest.size:
        made[rest] = (forest.predict(table[rest]) + ridge.fit(x, y).predict(table[rest])) / 2
    return made
