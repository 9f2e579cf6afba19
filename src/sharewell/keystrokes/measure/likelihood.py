"""A likelihood ratio over log times: the same person against two people of the population.

Per feature (a digraph's latency, a key's hold time) the difference a − b of two people's mean log times is normal with
variance v = w/n_a + w/n_b if they are one person, and v + 2·s if they are two, where w is the variance within and s
between people. The score adds log N(a−b; 0, v) − log N(a−b; 0, v + 2s) over all features that both have
(the two-level normal model of Lindley 1977).
"""

from dataclasses import dataclass

import numpy as np

from sharewell.keystrokes.arrays import Array
from sharewell.keystrokes.samples import TypingSample
from sharewell.stats.compiled import njit

SHARE = 0.2  # a feature is used where at least this share of students typed it in both samples
LEAST_BETWEEN, MOST_BETWEEN = 1e-4, 1e12  # of the variance within: a feature on which people do not differ says nothing
ENDLESS = 1e24  # times the variance within: what a mean over nothing is off by


@dataclass(frozen=True, kw_only=True)
class TimingEvidence:
    """Mean log times and counts of both samples over the shared features, with the variances of the model."""

    train_mean: Array
    train_count: Array
    test_mean: Array
    test_count: Array
    within: Array
    between: Array


def scores(train: TypingSample, test: TypingSample, rows: Array | None = None) -> Array:
    """How much every person of `train` looks like every person of `test` (or its chosen rows): larger, more alike."""
    evidence = gather(train, test)
    rows = np.arange(len(test.students)) if rows is None else rows
    within, count = evidence.within, evidence.test_count[rows]
    train_noise, test_noise = (
        np.where(number > 0, within / np.maximum(number, 1.0), ENDLESS * within)
        for number in (evidence.train_count, count)
    )
    mean, noise = (np.ascontiguousarray(one.T) for one in (evidence.train_mean, train_noise))
    return _log_ratios(mean, noise, evidence.test_mean[rows], test_noise, 2 * evidence.between)


def gather(train: TypingSample, test: TypingSample, *, share: float = SHARE) -> TimingEvidence:
    features = np.intersect1d(train.features, test.features)
    counts = [sample.spread_out(sample.count, features) for sample in (train, test)]
    enough = np.minimum(*((count > 0).mean(axis=0) for count in counts)) >= share
    features, counts = features[enough], [count[:, enough] for count in counts]
    means = [sample.spread_out(sample.log_mean, features) for sample in (train, test)]
    spread = np.vstack([sample.spread_out(sample.log_spread, features) for sample in (train, test)])
    within = spread.sum(axis=0) / np.maximum((np.vstack(counts) - 1).clip(0).sum(axis=0), 1)
    between = np.minimum(*(_between(mean, count, within) for mean, count in zip(means, counts, strict=True)))
    varies = (within > 0) & (between > LEAST_BETWEEN * within) & (between < MOST_BETWEEN * within)
    centred = [_centred(mean, count) for mean, count in zip(means, counts, strict=True)]
    return TimingEvidence(
        train_mean=centred[0][:, varies],
        train_count=counts[0][:, varies],
        test_mean=centred[1][:, varies],
        test_count=counts[1][:, varies],
        within=within[varies],
        between=between[varies],
    )


def _centred(mean: Array, count: Array) -> Array:
    """Means relative to the sample's own: what moves everybody alike (a rounding upwards) hides nobody."""
    has = count > 0
    return np.where(has, mean - (mean * has).sum(axis=0) / np.maximum(has.sum(axis=0), 1), 0.0)


def _between(mean: Array, count: Array, within: Array) -> Array:
    """Estimate variance between people: that of their means less what noise adds."""
    has = count > 0
    people = np.maximum(has.sum(axis=0), 2)
    centred = _centred(mean, count)
    noise = within * np.where(has, 1 / np.maximum(count, 1), 0).sum(axis=0) / people
    return np.asarray((centred**2).sum(axis=0) / (people - 1) - noise)


@njit(cache=True, fastmath=True)
def _log_ratios(
    train_mean: Array, train_noise: Array, test_mean: Array, test_noise: Array, between: Array
) -> Array:  # pragma: no cover — compiled
    """Candidates stand in the columns of what is known, so that the inner loop runs along memory."""
    people = train_mean.shape[1]
    result, ratios = np.zeros((test_mean.shape[0], people)), np.empty(people)
    for row in range(test_mean.shape[0]):
        total = result[row]
        ratios[:] = 1.0
        for feature in range(len(between)):
            mean, noise, more = test_mean[row, feature], test_noise[row, feature], between[feature]
            for other in range(people):
                same = noise + train_noise[feature, other]
                two = same + more
                gap, inverse = mean - train_mean[feature, other], 1.0 / (same * two)
                total[other] -= gap * gap * more * inverse
                ratios[other] *= two * two * inverse
            if feature % 16 == 15:  # one logarithm for sixteen: each ratio is far below 10^15
                for other in range(people):
                    total[other] += np.log(ratios[other])
                    ratios[other] = 1.0
        for other in range(people):
            total[other] = 0.5 * (total[other] + np.log(ratios[other]))
    return result
