"""How often each item comes: aimed at with noise, and met by a chain whose own numbers carry far more of it.

Steps are many and need much noise; a chain of such numbers runs in circles over a few items and forgets others. How
often single items come are few numbers, and little noise on them hides who was counted. The chain is then bent until
it visits items that often: that uses nothing but noisy numbers and gives nothing away.
"""

import numpy as np

from sharewell.responses.log import Log
from sharewell.responses.steps_taken import times_squared
from sharewell.stats.arrays import Array
from sharewell.stats.noise import blurred

DOUBT = 10.0  # rows: an item that came a few times only is hardly corrected
MOST_FALL = 0.5  # of all steps: what is led past the noisy steps, to items that these no longer lead to
USUAL = 1.0  # by which the logarithm of how often items come differs, about
TILTS, MOST_TILT = 20, 1.0  # steps of Newton's method; items are at most so much likelier per logit
AT_ONCE, AT_ALL = 8.0, 1e3  # a factor changes at most by this in one round, and in all


def fit_shares(log: Log, *, group: Array | None, c: float, generator: np.random.Generator) -> Array:
    """The share of rows of every item; noise of c standard errors on its logarithm, drawn towards its group's mean."""
    times = np.bincount(log.item, minlength=len(log.items)).astype(float)
    used = np.flatnonzero(times)
    error = np.sqrt(times_squared(log.item.astype(np.int64), log.student)) / times[used]
    of_group = None if group is None else np.unique(group[used], return_inverse=True)[1]
    place = blurred(np.log(times[used]), error, group=of_group, c=c, generator=generator, usual=USUAL)
    times[used] = np.exp(place)
    found: Array = times / times.sum()
    return found


def as_hard(shares: Array, difficulty: Array, hardness: float) -> Array:
    """The shares tilted so that the mean difficulty of a row is what it should be.

    Noise on how often items come makes the whole log easier or harder; one number more, with noise, sets that right.
    """
    there = (shares > 0) & np.isfinite(difficulty)
    away = np.where(there, difficulty - hardness, 0.0)
    tilt = 0.0
    for _ in range(TILTS):
        weight = np.where(there, shares * np.exp(tilt * away), 0.0)
        off, squares = float(weight @ away), float(weight @ away**2)
        if squares == 0:
            return shares
        tilt = float(np.clip(tilt - off / squares, -MOST_TILT, MOST_TILT))
    tilted = shares * np.exp(tilt * away)
    found: Array = tilted / tilted.sum()
    return found


def corrected(factor: Array, aim: Array, item: Array, care: float) -> Array:
    """Factors of the chances of coming to each item after a look at how often it came."""
    seen = np.bincount(item, minlength=aim.size)
    ratio = (aim * item.size + DOUBT) / (seen + DOUBT)
    found: Array = np.clip(factor * np.clip(ratio, 1 / AT_ONCE, AT_ONCE) ** care, 1 / AT_ALL, AT_ALL)
    return found


def forgotten(aim: Array, item: Array) -> float:
    """The share of rows of items that came less than half as often as they should."""
    seen = np.bincount(item, minlength=aim.size) / item.size
    return float(aim[seen < aim / 2].sum())
