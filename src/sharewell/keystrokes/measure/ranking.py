"""Where the own profile stands among all others. What differs by less than a rounding error is a tie."""

import numpy as np

from sharewell.keystrokes.arrays import Array

TIE = 1e-9  # relative: sums of the same numbers in another order differ by less


def of_scores(scores: Array, own: Array) -> Array:
    """Count those nearer than one's own, and as near; larger is more alike."""
    mine = scores[np.arange(len(own)), own][:, None]
    slack = TIE * (1.0 + np.abs(mine))
    nearer = (scores > mine + slack).sum(axis=1)
    equal = (np.abs(scores - mine) <= slack).sum(axis=1)
    return np.stack([nearer, np.maximum(equal, 1)], axis=1)
