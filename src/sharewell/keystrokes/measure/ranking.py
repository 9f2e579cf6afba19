"""Where the own profile stands among all others: distances in a kernel that never holds more than one row.

A row stops as soon as more others are nearer than the longest list takes, so that 100,000 against 100,000 needs
neither the memory nor the time of all pairs. Distances that differ by less than a rounding error are ties.
"""

import numpy as np

from sharewell.keystrokes.arrays import Array
from sharewell.stats.compiled import njit, prange

TIE = 1e-9  # relative: sums of the same numbers in another order differ by less


@njit(cache=True, parallel=True, fastmath=False)
def euclidean(train: Array, test: Array, own: Array, enough: int) -> Array:  # pragma: no cover — compiled
    """Per row of `test`: how many of `train` are nearer than train[own], and how many as near (itself included)."""
    result = np.zeros((test.shape[0], 2), dtype=np.int64)
    for row in prange(test.shape[0]):
        mine = 0.0
        for column in range(test.shape[1]):
            mine += (test[row, column] - train[own[row], column]) ** 2
        low, high = mine - TIE * (1.0 + mine), mine + TIE * (1.0 + mine)
        nearer, equal = 0, 0
        for other in range(train.shape[0]):
            distance = 0.0
            for column in range(test.shape[1]):
                distance += (test[row, column] - train[other, column]) ** 2
                if distance > high:
                    break
            if distance < low:
                nearer += 1
                if nearer >= enough:
                    break
            elif distance <= high:
                equal += 1
        result[row, 0] = nearer
        result[row, 1] = max(equal, 1)
    return result


def of_scores(scores: Array, own: Array) -> Array:
    """The same two counts from a test × train matrix in which larger is more alike."""
    mine = scores[np.arange(len(own)), own][:, None]
    slack = TIE * (1.0 + np.abs(mine))
    nearer = (scores > mine + slack).sum(axis=1)
    equal = (np.abs(scores - mine) <= slack).sum(axis=1)
    return np.stack([nearer, np.maximum(equal, 1)], axis=1)
