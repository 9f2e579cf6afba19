"""Find candidates that share every known point (algorithm 1, lines 7 and 8)."""

import numpy as np

from sharewell.stats.compiled import njit
from sharewell.traces.arrays import Array


@njit(cache=True, inline="always")
def holds(shared: Array, holders: Array, point: int, student: int) -> bool:
    """Whether a student has a point: bisection in the ascending list of its holders."""
    low, high = shared[point], shared[point + 1]
    while low < high:
        middle = (low + high) >> 1
        if holders[middle] < student:
            low = middle + 1
        else:
            high = middle
    return bool(low < shared[point + 1] and holders[low] == student)


@njit(cache=True)
def company(shared: Array, holders: Array, targets: Array, drawn: Array) -> Array:
    """How many of the first known points some one other student shares, at most, for each target.

    A target is alone with k known points exactly if this is below k, so one number answers for every k. Only
    students at the first two points can share more than one: the shorter list is walked, and the walk ends
    at the first student who shares everything.
    """
    deepest = np.zeros(targets.size, np.int16)
    for i in range(targets.size):
        deepest[i] = _longest_prefix(shared, holders, targets[i], drawn[i])
    return deepest


@njit(cache=True)
def _longest_prefix(shared: Array, holders: Array, target: int, known: Array) -> int:
    count = 0
    while count < known.size and known[count] >= 0:
        count += 1
    if count == 0 or shared[known[0] + 1] - shared[known[0]] < 2:
        return 0
    if count == 1:
        return 1
    short, other = known[0], known[1]
    if shared[short + 1] - shared[short] > shared[other + 1] - shared[other]:
        short, other = other, short
    best = 1
    for place in range(shared[short], shared[short + 1]):
        student = holders[place]
        if student == target or not holds(shared, holders, other, student):
            continue
        depth = 2
        while depth < count and holds(shared, holders, known[depth], student):
            depth += 1
        best = max(best, depth)
        if best == count:
            break
    return best
