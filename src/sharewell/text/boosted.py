"""Gradient-boosted trees (Friedman 2001, algorithm 5) as plain arrays: nothing is pickled, nothing hidden."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import cast

import numpy as np

from sharewell.stats.compiled import njit, prange
from sharewell.text.arrays import Array

RATE, LEAVES, SHARE = 0.06, 31, 0.3
MOST_CUTS = 250  # values of a feature at which a tree may split
BLOCK = 2048  # rows that go through a tree together


@dataclass(frozen=True)
class Boosted:
    """All nodes of all trees in one list; `roots` says where each tree begins, a leaf has feature -1."""

    roots: Array
    feature: Array
    threshold: Array
    left: Array
    right: Array
    value: Array
    baseline: Array  # one number: the log-odds before the first tree

    def predict(self, rows: Array) -> Array:
        """Probabilities: the logistic function of the sum over the trees."""
        rows = np.ascontiguousarray(rows, dtype=np.float32)
        scores = _walk(rows, self.roots, self.feature, self.threshold, self.left, self.right, self.value)
        return cast(Array, 1.0 / (1.0 + np.exp(-(scores + self.baseline[0]))))

    def to_arrays(self) -> dict[str, Array]:
        return {name: getattr(self, name) for name in self.__dataclass_fields__}

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, Array]) -> "Boosted":
        return cls(**{name: np.asarray(arrays[name]) for name in cls.__dataclass_fields__})


def grow(rows: Array, labels: Array, weights: Array, *, trees: int, leaves: int = LEAVES, seed: int = 0) -> Boosted:
    """Fit with scikit-learn; settings chosen by cross-validation on WNUT 2017's training part.

    Trees are grown on the numbers of the cuts between values (scikit-learn's own cuts take longer to find than all the
    trees, and depend on the weights); a split after cut c then means "at most the c-th value".
    """
    from sklearn.ensemble import HistGradientBoostingClassifier

    cuts = [_cuts(column) for column in rows.astype(np.float32).T]
    coded = np.column_stack([np.searchsorted(cut, column) for cut, column in zip(cuts, rows.T, strict=True)])
    model = HistGradientBoostingClassifier(
        max_iter=trees, learning_rate=RATE, max_leaf_nodes=leaves, min_samples_leaf=20, l2_regularization=5.0,
        max_features=SHARE, early_stopping=False, random_state=seed,
    )  # fmt: skip
    model.fit(coded.astype(np.float32), labels.astype(int), sample_weight=weights)
    nodes = [predictor[0].nodes for predictor in model._predictors]
    sizes = np.array([len(part) for part in nodes])
    roots = np.cumsum(sizes) - sizes
    stack, offsets = np.concatenate(nodes), np.repeat(roots, sizes)
    is_leaf = stack["is_leaf"].astype(bool)
    feature = np.where(is_leaf, -1, stack["feature_idx"])
    after = np.floor(np.where(is_leaf, 0, stack["num_threshold"])).astype(int)
    threshold = [cuts[number][cut] if number >= 0 else 0.0 for number, cut in zip(feature, after, strict=True)]
    return Boosted(
        roots=roots.astype(np.int32),
        feature=feature.astype(np.int16),
        threshold=np.array(threshold, dtype=np.float32),
        left=np.where(is_leaf, -1, stack["left"] + offsets).astype(np.int32),
        right=np.where(is_leaf, -1, stack["right"] + offsets).astype(np.int32),
        value=stack["value"].astype(np.float32),
        baseline=np.asarray(model._baseline_prediction, dtype=np.float64).reshape(-1)[:1],
    )


def _cuts(values: Array) -> Array:
    """The distinct values of a feature; of many, those at even quantiles, the largest among them."""
    distinct = np.unique(values)
    if len(distinct) <= MOST_CUTS:
        return distinct
    evenly = np.quantile(values, np.linspace(0, 1, MOST_CUTS + 1)[1:], method="nearest")
    return cast(Array, np.unique(evenly))


@njit(cache=True, parallel=True)
def _walk(
    rows: Array, roots: Array, feature: Array, threshold: Array, left: Array, right: Array, value: Array
) -> Array:
    out = np.zeros(len(rows))
    for block in prange((len(rows) + BLOCK - 1) // BLOCK):
        for root in roots:
            for i in range(block * BLOCK, min((block + 1) * BLOCK, len(rows))):
                node = root
                while feature[node] >= 0:
                    node = left[node] if rows[i, feature[node]] <= threshold[node] else right[node]
                out[i] += value[node]
    return out
