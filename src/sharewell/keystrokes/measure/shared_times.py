"""Mean log times over the features that two samples share, and how far every two people are apart on them."""

import numpy as np

from sharewell.keystrokes.arrays import Array
from sharewell.keystrokes.samples import Sample
from sharewell.stats.compiled import njit, prange

SHARE = 0.2  # a feature is used where at least this share of students typed it in both samples
NONE_SHARED = 1e9  # the distance of people who share no feature


def shared(train: Sample, test: Sample) -> tuple[Array, Array]:
    """Mean log times of both samples over shared features; NaN where someone never typed one."""
    features = times_of(np.intersect1d(train.features, test.features))
    means = [sample.spread_out(sample.log_mean, features, np.nan) for sample in (train, test)]
    common = np.minimum(*((~np.isnan(mean)).mean(axis=0) for mean in means)) >= SHARE
    return means[0][:, common], means[1][:, common]


def times_of(features: Array) -> Array:
    """The features that are times: how often a key was struck is none."""
    return np.asarray(features[~np.char.startswith(features, "press ")])


def centred(near: Array, far: Array) -> tuple[Array, Array]:
    return near - np.nanmean(near, axis=0), far - np.nanmean(far, axis=0)


def mean_gap(train: Array, test: Array, counts_from: float = -1.0) -> Array:
    """The mean gap of every two people over what both have; with a threshold, the share of gaps above it."""
    has_train, has_test = (~np.isnan(train)).astype(float), (~np.isnan(test)).astype(float)
    both = has_test @ has_train.T
    total = _total_gap(np.nan_to_num(train), has_train, np.nan_to_num(test), has_test, counts_from)
    return np.where(both > 0, total / np.maximum(both, 1), NONE_SHARED)


@njit(cache=True, parallel=True, fastmath=True)
def _total_gap(
    train: Array, has_train: Array, test: Array, has_test: Array, counts_from: float
) -> Array:  # pragma: no cover — compiled
    """Sums over features; without a branch for those that somebody lacks the processor adds several at once."""
    result = np.zeros((test.shape[0], train.shape[0]))
    for row in prange(test.shape[0]):
        for other in range(train.shape[0]):
            total = 0.0
            if counts_from < 0:
                for feature in range(train.shape[1]):
                    both = has_test[row, feature] * has_train[other, feature]
                    total += both * abs(test[row, feature] - train[other, feature])
            else:
                for feature in range(train.shape[1]):
                    both = has_test[row, feature] * has_train[other, feature]
                    total += both if abs(test[row, feature] - train[other, feature]) > counts_from else 0.0
            result[row, other] = total
    return result
