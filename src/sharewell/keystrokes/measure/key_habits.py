"""Which keys someone uses: corrections, shifts, caps lock, punctuation, codes of a layout or browser; no times.

Rates per key struck (square roots, which evens the spread of counts) of every class of keys, of every key that is no
letter or digit, and how many keys a session has; weighed by a metric learnt on other typists.
"""

import numpy as np

from sharewell.keystrokes.arrays import Array
from sharewell.keystrokes.keygroups import CLASSES, DIGIT, LETTER, key_classes
from sharewell.keystrokes.measure import pair_metric
from sharewell.keystrokes.samples import TypingSample, matched

LEAST_SHARE = 0.02  # of the people use a key for it to be a feature of its own
MOST_KEYS = 40


def scores(train: TypingSample, test: TypingSample, rows: Array, seed: int = 0) -> Array:
    keys = np.union1d(_struck(train), _struck(test))
    features = np.array([f"press {key}" for key in keys])
    near, far = (sample.spread_out(sample.count, features) for sample in (train, test))
    classes = key_classes(keys)
    chosen = _telling(near, far, classes)
    values = [_rates(counts, classes, chosen, _sessions(s)) for counts, s in ((near, train), (far, test))]
    both, own = matched(train, test)
    return _scores(values[0], values[1], rows, both, own, seed)


def _scores(near: Array, far: Array, rows: Array, both: Array, own: Array, seed: int) -> Array:
    pairs = pair_metric.Pairs(near=near, far=far[both], pair=own)
    return pair_metric.scores(pairs, np.searchsorted(both, rows), seed)


def _struck(sample: TypingSample) -> Array:
    names = sample.features[np.char.startswith(sample.features, "press ")]
    return np.array([name.removeprefix("press ") for name in names], dtype=str)


def _sessions(sample: TypingSample) -> Array:
    return sample.spread_out(sample.count, np.array(["length any"]))[:, 0]


def _telling(near: Array, far: Array, classes: Array) -> Array:
    """Keys that are no text by themselves and that some people use, the commonest of them."""
    used = ((near > 0).mean(axis=0) >= LEAST_SHARE) | ((far > 0).mean(axis=0) >= LEAST_SHARE)
    candidates = np.flatnonzero(used & (classes != LETTER) & (classes != DIGIT))
    order = np.argsort(-far[:, candidates].sum(axis=0), kind="stable")
    return np.asarray(candidates[order[:MOST_KEYS]])


def _rates(counts: Array, classes: Array, chosen: Array, sessions: Array) -> Array:
    total = np.maximum(counts.sum(axis=1, keepdims=True), 1)
    grouped = np.stack([counts[:, classes == one].sum(axis=1) for one in range(len(CLASSES))], axis=1)
    size = np.log(total / np.maximum(sessions[:, None], 1))
    return np.hstack([np.sqrt(grouped / total), np.sqrt(counts[:, chosen] / total), size])
