"""Three distances from the literature on free typing, over every feature that two people share.

Scaled Manhattan: differences of mean log times, each divided by the mean absolute deviation of its feature between
people (Araújo et al. 2005; the best detector of Killourhy and Maxion 2009). Relative measure: how far the order of the
features by speed is disturbed. Absolute measure: the share of features whose times differ by more than a quarter
(both Gunetti and Picardi 2005, §3, t = 1.25).
"""

import numpy as np
from numba import njit, prange

from sharewell.keystrokes.samples import Sample
from sharewell.keystrokes.typing import Array

SHARE = 0.2  # a feature is used where at least this share of students typed it in both samples
RATIO = np.log(1.25)
NONE_SHARED = 1e9  # the distance of people who share no feature


def manhattan(train: Sample, test: Sample, rows: Array) -> Array:
    near, far = _centred(*_shared(train, test))
    deviation = np.nanmean(np.abs(near), axis=0)
    varies = deviation > 0
    return -mean_gap(near[:, varies] / deviation[varies], far[rows][:, varies] / deviation[varies])


def absolute(train: Sample, test: Sample, rows: Array) -> Array:
    near, far = _centred(*_shared(train, test))
    return -mean_gap(near, far[rows], RATIO)


def relative(train: Sample, test: Sample, rows: Array) -> Array:
    """The order of times, so the raw means: centring would change it."""
    near, far = _shared(train, test)
    return -_relative(near, far[rows], np.argsort(near, axis=1), np.argsort(far[rows], axis=1))


def _shared(train: Sample, test: Sample) -> tuple[Array, Array]:
    """Mean log times of both samples over shared features; NaN where someone never typed one."""
    features = np.intersect1d(train.features, test.features)
    means = [sample.spread_out(sample.log_mean, features, np.nan) for sample in (train, test)]
    common = np.minimum(*((~np.isnan(mean)).mean(axis=0) for mean in means)) >= SHARE
    return means[0][:, common], means[1][:, common]


def _centred(near: Array, far: Array) -> tuple[Array, Array]:
    return near - np.nanmean(near, axis=0), far - np.nanmean(far, axis=0)


@njit(cache=True, parallel=True)
def mean_gap(train: Array, test: Array, counts_from: float = -1.0) -> Array:  # pragma: no cover — compiled
    """The mean gap of every two people over what both have; with a threshold, the share of gaps above it."""
    result = np.full((test.shape[0], train.shape[0]), NONE_SHARED)
    for row in prange(test.shape[0]):
        for other in range(train.shape[0]):
            total, count = 0.0, 0
            for feature in range(train.shape[1]):
                gap = abs(test[row, feature] - train[other, feature])
                if gap == gap:
                    total += gap if counts_from < 0 else (1.0 if gap > counts_from else 0.0)
                    count += 1
            if count:
                result[row, other] = total / count
    return result


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
