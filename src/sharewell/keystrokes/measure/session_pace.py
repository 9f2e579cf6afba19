"""Session lengths as a fingerprint: the pace, which is how fast and with how many pauses someone works."""

import numpy as np

from sharewell.keystrokes.arrays import Array
from sharewell.keystrokes.samples import TypingSample

FEATURE = "length any"


def scores(train: TypingSample, test: TypingSample, rows: Array) -> Array:
    """Less the distance of two people's mean log pace, each relative to its sample; who has none is like the mean."""
    near, far = (_pace(sample) for sample in (train, test))
    return np.asarray(-np.abs(far[rows][:, None] - near[None, :]))


def _pace(sample: TypingSample) -> Array:
    pace = sample.spread_out(sample.log_mean, np.array([FEATURE]), np.nan)[:, 0]
    return np.nan_to_num(pace - np.nanmean(pace)) if (~np.isnan(pace)).any() else np.zeros(len(pace))
