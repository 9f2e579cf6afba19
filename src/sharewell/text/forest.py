"""Extremely randomised trees (Geurts, Ernst and Wehenkel 2006) as plain arrays: nothing is pickled, nothing hidden."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import cast

import numpy as np

from sharewell.stats.compiled import njit, prange
from sharewell.text.arrays import Array

TREES = 500  # Bosch et al. 2020, §2.5
BLOCK = 1024  # rows that go through a tree together


@dataclass(frozen=True)
class Forest:
    """All nodes of all trees in one list; `roots` says where each tree begins, a leaf has feature -1."""

    roots: Array
    feature: Array
    threshold: Array
    left: Array
    right: Array
    value: Array  # shares of the classes 1, 2 … among the training words of the node, one column each

    def predict(self, rows: Array) -> Array:
        """Mean over the trees of the share of names, of whatever kind, in the leaf that a row falls into."""
        return cast(Array, self.shares(rows).sum(axis=1))

    def shares(self, rows: Array) -> Array:
        """As `predict`, a column for each kind of name."""
        rows = np.ascontiguousarray(rows, dtype=np.float32)
        return _walk(rows, self.roots, self.feature, self.threshold, self.left, self.right, self.value)

    def to_arrays(self) -> dict[str, Array]:
        return {name: getattr(self, name) for name in self.__dataclass_fields__}

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, Array]) -> "Forest":
        return cls(**{name: np.asarray(arrays[name]) for name in cls.__dataclass_fields__})


EMPTY = Forest(
    roots=np.zeros(0, np.int32),
    feature=np.zeros(0, np.int16),
    threshold=np.zeros(0),
    left=np.zeros(0, np.int32),
    right=np.zeros(0, np.int32),
    value=np.zeros((0, 1), np.float32),
)


def grow(
    rows: Array,
    labels: Array,
    weights: Array,
    *,
    trees: int = TREES,
    leaf: int = 2,
    share: float = 0.25,
    sample: float = 1.0,
    seed: int = 0,
) -> Forest:
    """Fit with scikit-learn; labels are False and True, or 0, 1 … for several kinds.

    `leaf` is the least number of rows in a leaf, `share` that of features looked at per split; every tree sees all
    rows, or so large a `sample` of them.
    """
    from sklearn.ensemble import ExtraTreesClassifier

    drawn = {"bootstrap": True, "max_samples": sample} if sample < 1 else {}
    model = ExtraTreesClassifier(trees, min_samples_leaf=leaf, max_features=share, random_state=seed, **drawn)
    model.fit(rows.astype(np.float32), labels.astype(int), sample_weight=weights)
    if len(model.classes_) < 2 or model.classes_[0] != 0:
        raise ValueError("the labelled words must hold names and other words")
    grown = [estimator.tree_ for estimator in model.estimators_]
    sizes = np.array([tree.node_count for tree in grown])
    roots = np.cumsum(sizes) - sizes
    offsets = np.repeat(roots, sizes)
    stack = {name: np.concatenate([getattr(tree, name) for tree in grown]) for name in _NODE_ARRAYS}
    value = np.concatenate([tree.value[:, 0, 1:] / tree.value[:, 0, :].sum(axis=1, keepdims=True) for tree in grown])
    is_leaf = stack["children_left"] < 0
    return Forest(
        roots=roots.astype(np.int32),
        feature=np.where(is_leaf, -1, stack["feature"]).astype(np.int16),
        threshold=stack["threshold"],
        left=np.where(is_leaf, -1, stack["children_left"] + offsets).astype(np.int32),
        right=np.where(is_leaf, -1, stack["children_right"] + offsets).astype(np.int32),
        value=value.astype(np.float32),
    )


_NODE_ARRAYS = ("feature", "threshold", "children_left", "children_right")


@njit(cache=True, parallel=True)
def _walk(
    rows: Array,
    roots: Array,
    feature: Array,
    threshold: Array,
    left: Array,
    right: Array,
    value: Array,
) -> Array:
    classes = value.shape[1]
    out = np.zeros((len(rows), classes))
    for block in prange((len(rows) + BLOCK - 1) // BLOCK):
        for root in roots:  # a tree fits into the cache, the forest does not: all rows of a block pass one tree first
            for i in range(block * BLOCK, min((block + 1) * BLOCK, len(rows))):
                node = root
                while feature[node] >= 0:
                    node = left[node] if rows[i, feature[node]] <= threshold[node] else right[node]
                for c in range(classes):
                    out[i, c] += value[node, c]
    return out / max(len(roots), 1)
