"""Three distances from the literature on free typing, over every feature that two people share.

Scaled Manhattan: differences of mean log times, each divided by the mean absolute deviation of its feature between
people (Araújo et al. 2005; the best detector of Killourhy and Maxion 2009). Relative measure: how far the order of the
features by speed is disturbed. Absolute measure: the share of features whose times differ by more than a quarter
(both Gunetti and Picardi 2005, §3, t = 1.25).
"""

from dataclasses import dataclass

import numpy as np
from numba import njit, prange

from sharewell.keystrokes.samples import Sample
from sharewell.keystrokes.typing import Array

SHARE = 0.2  # a feature is used where at least this share of students typed it in both samples
RATIO = np.log(1.25)
NONE_SHARED = 1e9  # the distance of people who share no feature


@dataclass(frozen=True, kw_only=True)
class Shared:
    """Mean log times of both samples over shared features; NaN where someone never typed one."""

    train: Array
    test: Array


def shared(train: Sample, test: Sample, rows: Array, *, share: float = SHARE) -> Shared:
    features = np.intersect1d(train.features, test.features)
    means = [sample.spread_out(sample.log_mean, features, np.nan) for sample in (train, test)]
    common = np.minimum(*((~np.isnan(mean)).mean(axis=0) for mean in means)) >= share
    centred = [mean[:, common] - np.nanmean(mean[:, common], axis=0) for mean in means]
    return Shared(train=centred[0], test=centred[1][rows])


def manhattan(train: Sample, test: Sample, rows: Array) -> Array:
    both = shared(train, test, rows)
    deviation = np.nanmean(np.abs(both.train), axis=0)
    varies = deviation > 0
    return -_manhattan(both.train[:, varies] / deviation[varies], both.test[:, varies] / deviation[varies])


def absolute(train: Sample, test: Sample, rows: Array) -> Array:
    both = shared(train, test, rows)
    return -_absolute(both.train, both.test)


def relative(train: Sample, test: Sample, rows: Array) -> Array:
    """The order of times, so the raw means: centring would change it."""
    features = np.intersect1d(train.features, test.features)
    means = [sample.spread_out(sample.log_mean, features, np.nan) for sample in (train, test)]
    common = np.minimum(*((~np.isnan(mean)).mean(axis=0) for mean in means)) >= SHARE
    near, far = means[0][:, common], means[1][rows][:, common]
    return -_relative(near, far, np.argsort(near, axis=1), np.argsort(far, axis=1))


@njit(cache=True, parallel=True)
def _manhattan(train: Array, test: Array) -> Array:  # pragma: no cover — compiled
    result = np.full((test.shape[0], train.shape[0]), NONE_SHARED)
    for row in prange(test.shape[0]):
        for other in range(train.shape[0]):
            total, count = 0.0, 0
            for feature in range(train.shape[1]):
                gap = abs(test[row, feature] - train[other, feature])
                if gap == gap:
                    total += gap
                    count += 1
            if count:
                result[row, other] = total / count
    return result


@njit(cache=True, parallel=True)
def _absolute(train: Array, test: Array) -> Array:  # pragma: no cover — compiled
    result = np.full((test.shape[0], train.shape[0]), NONE_SHARED)
    for row in prange(test.shape[0]):
        for other in range(train.shape[0]):
            unlike, count = 0, 0
            for feature in range(train.shape[1]):
                gap = abs(test[row, feature] - train[other, feature])
                if gap == gap:
                    count += 1
                    if gap > RATIO:
                        unlike += 1
            if count:
                result[row, other] = unlike / count
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
