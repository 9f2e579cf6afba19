"""Relative measure: how far the order of the features by speed is disturbed (Gunetti and Picardi 2005, §3)."""

import numpy as np

from sharewell.keystrokes.arrays import Array
from sharewell.keystrokes.measure.shared_times import NONE_SHARED, shared
from sharewell.keystrokes.samples import Sample
from sharewell.stats.compiled import njit, prange


def scores(train: Sample, test: Sample, rows: Array) -> Array:
    """The order of times, so the raw means: centring would change it."""
    near, far = shared(train, test)
    return -_relative(near, far[rows], np.argsort(near, axis=1), np.argsort(far[rows], axis=1))


@njit(cache=True, parallel=True)
def _relative(train: Array, test: Array, train_order: Array, test_order: Array) -> Array:  # pragma: no cover
    result = np.full((test.shape[0], train.shape[0]), NONE_SHARED)
    for row in prange(test.shape[0]):
        rank = np.zeros(train.shape[1], dtype=np.int64)
        for other in range(train.shape[0]):
            count = 0
            for place in range(train.shape[1]):
                feature = train_order[other, place]
                if train[other, feature] == train[other, feature] and test[row, feature] == test[row, feature]:
                    rank[feature] = count
                    count += 1
            disorder, seen = 0, 0
            for place in range(train.shape[1]):
                feature = test_order[row, place]
                if train[other, feature] == train[other, feature] and test[row, feature] == test[row, feature]:
                    disorder += abs(rank[feature] - seen)
                    seen += 1
            if count > 1:  # the greatest disorder is n²/2 for even n and (n²−1)/2 for odd n
                result[row, other] = disorder / ((count * count - count % 2) / 2)
    return result
