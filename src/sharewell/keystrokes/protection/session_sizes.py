"""How many keys a session has: cut to the next lower size of a ladder, so that a text is not found by its length."""

import numpy as np

from sharewell.keystrokes.arrays import Array, session_starts


def kept_events(session: Array, factor: float) -> Array:
    """Which events stay when every session ends at the largest power of `factor` that it reaches; 1 cuts nothing."""
    starts = session_starts(session)
    sizes = np.diff(starts)
    if factor > 1:
        sizes = np.floor(factor ** np.floor(np.log(sizes) / np.log(factor) + 1e-9) + 1e-9)
    place = np.arange(len(session)) - starts[session]
    return np.asarray(place < np.maximum(sizes, 1)[session])
