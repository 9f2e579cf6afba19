"""Random draws inside numba kernels that do not depend on how the work is split over threads.

Every unit of work gets a stream of its own from its numbers by SplitMix64 (Steele, Lea and Flood 2014, fig. 2).
"""

import math
from typing import Any

import numpy as np

from sharewell.stats.arrays import Array
from sharewell.stats.compiled import njit

GOLDEN = np.uint64(0x9E3779B97F4A7C15)
MIX_1 = np.uint64(0xBF58476D1CE4E5B9)
MIX_2 = np.uint64(0x94D049BB133111EB)


@njit(cache=True, inline="always")
def mixed(state: Any) -> Any:
    z = np.uint64(state)
    z = (z ^ (z >> np.uint64(30))) * MIX_1
    z = (z ^ (z >> np.uint64(27))) * MIX_2
    return z ^ (z >> np.uint64(31))


@njit(cache=True)
def stream(seed: int, first: int, second: int) -> Any:
    """The state of a stream of its own for each (seed, first, second)."""
    state = mixed(np.uint64(seed) + GOLDEN)
    state = mixed(state ^ (np.uint64(first) * GOLDEN + GOLDEN))
    return mixed(state ^ (np.uint64(second) * MIX_1 + GOLDEN))


@njit(cache=True, inline="always")
def uniform(state: Any) -> float:
    """In (0, 1): the upper 53 bits, moved off zero so that its logarithm exists."""
    return (float(mixed(state) >> np.uint64(11)) + 0.5) * (1.0 / 9007199254740992.0)


@njit(cache=True)
def draw_distinct(state: Any, size: int, out: Array, count: int) -> None:
    """`count` different numbers below `size` into `out`, every ordered choice equally likely."""
    filled = 0
    while filled < count:
        state = np.uint64(state) + GOLDEN
        candidate = int(uniform(state) * size)
        fresh = True
        for i in range(filled):
            fresh = fresh and out[i] != candidate
        if fresh:
            out[filled] = candidate
            filled += 1


@njit(cache=True)
def draw_weighted(state: Any, weights: Array, out: Array, count: int) -> None:
    """`count` different positions, one after the other in proportion to the weights left.

    The smallest of exponential waiting times with rates `weights` (Efraimidis and Spirakis 2006, algorithm A-Res).
    """
    waits = np.full(count, np.inf)
    for position in range(weights.size):
        state = np.uint64(state) + GOLDEN
        wait = -math.log(uniform(state)) / weights[position]
        if wait < waits[count - 1]:
            slot = count - 1
            while slot > 0 and waits[slot - 1] > wait:
                waits[slot], out[slot] = waits[slot - 1], out[slot - 1]
                slot -= 1
            waits[slot], out[slot] = wait, position
