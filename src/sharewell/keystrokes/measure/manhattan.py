"""Scaled Manhattan: differences of mean log times, each divided by the mean absolute deviation of its feature.

Araújo et al. 2005; the best detector of Killourhy and Maxion 2009.
"""

import numpy as np

from sharewell.keystrokes.arrays import Array
from sharewell.keystrokes.measure.shared_times import centred, mean_gap, shared
from sharewell.keystrokes.samples import Sample


def scores(train: Sample, test: Sample, rows: Array) -> Array:
    near, far = centred(*shared(train, test))
    deviation = np.nanmean(np.abs(near), axis=0)
    varies = deviation > 0
    return -mean_gap(near[:, varies] / deviation[varies], far[rows][:, varies] / deviation[varies])
