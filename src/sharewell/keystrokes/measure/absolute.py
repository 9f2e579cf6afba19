"""Absolute measure: the share of features whose times differ by more than a quarter (Gunetti and Picardi 2005, §3)."""

import numpy as np

from sharewell.keystrokes.arrays import Array
from sharewell.keystrokes.measure.shared_times import centred, mean_gap, shared
from sharewell.keystrokes.samples import Sample

RATIO = np.log(1.25)  # t = 1.25


def scores(train: Sample, test: Sample, rows: Array) -> Array:
    near, far = centred(*shared(train, test))
    return -mean_gap(near, far[rows], RATIO)
