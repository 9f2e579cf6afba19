"""Ranks with ties: what a list of the nearest holds when equally near ones come in random order."""

import numpy as np

from sharewell.stats.arrays import Array


def share_within(nearer: Array, equal: Array, length: int) -> Array:
    """The probability that the own entry is among the first `length`.

    `nearer` entries come before it for sure; `equal` entries, the own one among them, come in random order, so the
    own one takes each of their places with the same probability.
    """
    nearer, equal = np.asarray(nearer, dtype=float), np.asarray(equal, dtype=float)
    return np.clip((length - nearer) / equal, 0.0, 1.0)
