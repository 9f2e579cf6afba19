"""Pauses as a fingerprint: how often someone stops for longer than typing rhythm goes, and for how long."""

import numpy as np

from sharewell.keystrokes.arrays import Array
from sharewell.keystrokes.samples import TypingSample

FEATURE = "pause any"


def scores(train: TypingSample, test: TypingSample, rows: Array) -> Array:
    """Less the distance in rate (square root, which evens the spread of counts) and in mean log length."""
    near, far = _habits(train), _habits(test)[rows]
    both = np.vstack([near, far])
    spread = np.where(both.std(axis=0) > 0, both.std(axis=0), np.inf)
    return np.asarray(-np.sqrt((((far[:, None, :] - near[None, :, :]) / spread) ** 2).sum(axis=2)))


def _habits(sample: TypingSample) -> Array:
    pauses = sample.spread_out(sample.count, np.array([FEATURE]))[:, 0]
    length = sample.spread_out(sample.log_mean, np.array([FEATURE]), np.nan)[:, 0]
    typed = np.char.startswith(sample.features, "latency ")[sample.feature]
    keys = np.bincount(sample.student[typed], sample.count[typed], len(sample.students))
    typical = np.nanmean(length) if (~np.isnan(length)).any() else 0.0
    return np.stack([np.sqrt(pauses / np.maximum(keys, 1)), np.where(np.isnan(length), typical, length)], axis=1)
