"""All attacks together: a logistic regression over their scores, learnt on other typists."""

from collections.abc import Sequence

import numpy as np

from sharewell.keystrokes.arrays import Array

OTHERS = 30  # people who are not the one, per person to learn from


def scores(each: Sequence[Array], own: Array, seed: int) -> Array:
    """One matrix of scores from those of every attack; the rows of one fold are weighed by what the other teaches."""
    from sklearn.linear_model import LogisticRegression

    features = np.stack([_standard(one) for one in each], axis=2)
    generator = np.random.default_rng(seed)
    fold = generator.permutation(len(own)) % 2
    result = np.zeros(features.shape[:2])
    for part in (0, 1):
        mine, others = np.flatnonzero(fold == part), np.flatnonzero(fold != part)
        if len(mine) == 0 or len(others) < 2:
            continue
        drawn = generator.integers(0, features.shape[1], (len(others), OTHERS))
        pairs = np.concatenate([features[others, own[others]], features[others[:, None], drawn].reshape(-1, len(each))])
        same = np.concatenate([np.ones(len(others)), (drawn == own[others][:, None]).ravel()])
        model = LogisticRegression(class_weight="balanced", C=0.1, max_iter=500).fit(pairs, same)
        result[mine] = features[mine] @ model.coef_[0]
    return result


def _standard(scores: Array) -> Array:
    """Every row to mean zero and spread one: rows of different people are then alike."""
    centred = scores - scores.mean(axis=1, keepdims=True)
    return np.asarray(np.clip(centred / np.maximum(scores.std(axis=1, keepdims=True), 1e-12), -8, 8))
