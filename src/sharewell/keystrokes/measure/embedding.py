"""Every time at once: people as points in a few dimensions, compared by a metric learnt on other typists.

Mean log times of the features that most people share, each shrunk to its mean where someone has few of them; principal
components of those; then the pair metric. It stands for the linear back end of neural verifiers (LDA and PLDA), and an
equal-error rate is told with it.
"""

import numpy as np

from sharewell.keystrokes.arrays import Array
from sharewell.keystrokes.measure import pair_metric
from sharewell.keystrokes.measure.shared_times import times_of
from sharewell.keystrokes.samples import Sample, matched

SHARE, MOST_FEATURES = 0.5, 200
ENOUGH = 3.0  # occurrences that count as much as the feature's mean
PEOPLE_PER_DIMENSION, MOST_DIMENSIONS = 8, 40


def scores(train: Sample, test: Sample, rows: Array, seed: int = 0) -> Array:
    features = _common(train, test)
    if len(features) == 0:
        return np.zeros((len(rows), len(train.students)))
    both, own = matched(train, test)
    near, far = _shrunk(train, features), _shrunk(test, features)
    near, far = _components(near, far, max(1, min(MOST_DIMENSIONS, len(both) // PEOPLE_PER_DIMENSION)))
    pairs = pair_metric.Pairs(near=near, far=far[both], pair=own)
    return pair_metric.scores(pairs, np.searchsorted(both, rows), seed)


def equal_error_rate(scores: Array, own: Array) -> float:
    """Where as many pairs of one person are refused as pairs of two people are accepted."""
    genuine = scores[np.arange(len(own)), own]
    others = np.ones(scores.shape, dtype=bool)
    others[np.arange(len(own)), own] = False
    impostors = np.sort(scores[others])
    thresholds = np.sort(genuine)
    refused = np.arange(len(thresholds)) / len(thresholds)
    accepted = 1 - np.searchsorted(impostors, thresholds) / len(impostors)
    place = int(np.argmin(np.abs(refused - accepted)))
    return float((refused[place] + accepted[place]) / 2)


def _common(train: Sample, test: Sample) -> Array:
    features = times_of(np.intersect1d(train.features, test.features))
    shares = [(sample.spread_out(sample.count, features) > 0).mean(axis=0) for sample in (train, test)]
    share = np.minimum(*shares)
    order = np.argsort(-share, kind="stable")[:MOST_FEATURES]
    return np.asarray(features[np.sort(order[share[order] >= SHARE])])


def _shrunk(sample: Sample, features: Array) -> Array:
    """Deviations from the mean of each feature, those of few occurrences smaller; none is no deviation."""
    count = sample.spread_out(sample.count, features)
    mean = sample.spread_out(sample.log_mean, features)
    centre = (mean * (count > 0)).sum(axis=0) / np.maximum((count > 0).sum(axis=0), 1)
    return np.where(count > 0, (mean - centre) * count / (count + ENOUGH), 0.0)


def _components(near: Array, far: Array, dimensions: int) -> tuple[Array, Array]:
    spread = np.maximum(np.vstack([near, far]).std(axis=0), 1e-9)
    near, far = near / spread, far / spread
    _, _, directions = np.linalg.svd(np.vstack([near - near.mean(axis=0), far - far.mean(axis=0)]), full_matrices=False)
    return near @ directions[:dimensions].T, far @ directions[:dimensions].T
