"""Kinds of pairs as a fingerprint: how fast someone is between digits, signs, arrows, control keys.

Single pairs of rare keys are typed by too few people to be compared one by one; all pairs of a kind together tell what
no attack on single pairs sees. Mean log times per kind, shrunk where someone has few of them, weighed by a metric
learnt on other typists.
"""

import numpy as np

from sharewell.keystrokes.arrays import Array
from sharewell.keystrokes.keygroups import GROUPS, digraph_groups, key_kinds
from sharewell.keystrokes.latencies import TO
from sharewell.keystrokes.measure import pair_metric
from sharewell.keystrokes.samples import TypingSample, matched

ENOUGH = 3.0  # times that count as much as the mean of the kind
PREFIX = "latency "


def scores(train: TypingSample, test: TypingSample, rows: Array, seed: int = 0) -> Array:
    both, own = matched(train, test)
    pairs = pair_metric.Pairs(near=_deviations(train), far=_deviations(test)[both], pair=own)
    return pair_metric.scores(pairs, np.searchsorted(both, rows), seed)


def _deviations(sample: TypingSample) -> Array:
    """Students × kinds: the mean log time less that of everyone; none is no deviation."""
    kind = _kinds(sample.features)[sample.feature]
    some = kind >= 0
    cell, size = sample.student[some] * len(GROUPS) + kind[some], len(sample.students) * len(GROUPS)
    count = np.bincount(cell, sample.count[some], size).reshape(-1, len(GROUPS))
    total = np.bincount(cell, (sample.count * sample.log_mean)[some], size).reshape(-1, len(GROUPS))
    mean, has = total / np.maximum(count, 1), count > 0
    centre = (mean * has).sum(axis=0) / np.maximum(has.sum(axis=0), 1)
    return np.where(has, (mean - centre) * count / (count + ENOUGH), 0.0)


def _kinds(features: Array) -> Array:
    """Number the kind of each feature that is a pair of keys; −1 for the others."""
    pairs = np.flatnonzero(np.char.startswith(features, PREFIX) & ~np.char.endswith(features, TO))
    split = np.char.rpartition(features[pairs], TO).reshape(-1, 3)
    ends = [name[len(PREFIX) :] for name in split[:, 0].tolist()] + split[:, 2].tolist()
    keys, code = np.unique(np.array(ends, dtype=str), return_inverse=True)
    first, second = key_kinds(keys.tolist())[code].reshape(2, -1)
    kinds = np.full(len(features), -1)
    kinds[pairs] = digraph_groups(first, second)
    return kinds
