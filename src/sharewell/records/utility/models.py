"""How well an outcome can be predicted: random forest and logistic regression, as in the paper, and R² for numbers."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from sharewell.records.arrays import Array

Split = tuple[Array, Array]
MODELS = ("random forest", "linear")


def make_model(name: str, *, classes: bool, seed: int) -> Any:
    """The paper's settings (§3.2.1, the authors' code): balanced classes and leaves of ten; logistic regression.

    Its inputs are standardised here, so that it also converges on postcodes and years.
    """
    from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
    from sklearn.linear_model import LinearRegression, LogisticRegression
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    if name == "random forest":
        if classes:
            return RandomForestClassifier(class_weight="balanced", min_samples_leaf=10, random_state=seed)
        return RandomForestRegressor(min_samples_leaf=10, random_state=seed)
    if name == "boosted trees":
        from sklearn.ensemble import HistGradientBoostingClassifier

        return HistGradientBoostingClassifier(max_iter=50, random_state=seed)
    return make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000) if classes else LinearRegression())


def folds(rows: int, groups: Array | None, *, seed: int, parts: int = 3) -> Iterator[Split]:
    """Student-independent folds: whole groups stay together."""
    names = np.arange(rows) if groups is None else groups
    distinct = np.unique(names)
    shuffled = np.random.default_rng(seed).permutation(distinct)
    for part in range(parts):
        inside = np.isin(names, shuffled[part::parts])
        yield np.flatnonzero(~inside), np.flatnonzero(inside)


def predict(
    model: str, outcome: Array, splits: list[Split], views: list[tuple[Array, Array]],
    *, classes: bool, seed: int,
) -> tuple[Array, Array]:  # fmt: skip
    """Out-of-fold labels and scores; `views` hold the features of the training and the test rows of every fold."""
    labels, scores = np.zeros(outcome.size), np.zeros(outcome.size)
    for (train, test), (seen, unseen) in zip(splits, views, strict=True):
        known = outcome[train]
        if seen.shape[1] == 0 or np.unique(known).size < 2:
            middle = np.bincount(known.astype(int)).argmax() if classes else known.mean()
            labels[test] = scores[test] = middle
            continue
        fitted = make_model(model, classes=classes, seed=seed).fit(seen, known)
        if classes:
            chances = fitted.predict_proba(unseen)
            labels[test], scores[test] = fitted.classes_[chances.argmax(axis=1)], chances[:, 1]
        else:
            labels[test] = scores[test] = fitted.predict(unseen)
    return labels, scores


def auc(outcome: Array, scores: Array) -> float:
    """The chance that a student who passed is ranked above one who did not; ties are half (Mann and Whitney 1947)."""
    order = np.argsort(scores, kind="stable")
    ordered = scores[order]
    _, first, count = np.unique(ordered, return_index=True, return_counts=True)
    ranks = np.empty(scores.size)
    ranks[order] = np.repeat(first + (count + 1) / 2, count)
    positive = outcome > 0.5
    wins = ranks[positive].sum() - positive.sum() * (positive.sum() + 1) / 2
    return float(wins / (positive.sum() * (~positive).sum()))


def r_squared(outcome: Array, guess: Array) -> float:
    return float(1 - ((outcome - guess) ** 2).sum() / ((outcome - outcome.mean()) ** 2).sum())
