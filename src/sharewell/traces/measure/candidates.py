"""Who else fits? Candidates that share every known point (algorithm 1, lines 7 and 8), or as many as possible."""

import numpy as np

from sharewell.stats.compiled import njit, prange
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


@njit(parallel=True, cache=True)
def company(shared: Array, holders: Array, targets: Array, drawn: Array) -> Array:
    """How many of the first known points some one other student shares, at most, for each target.

    A target is alone with k known points exactly if this is below k, so one number answers for every k. Only
    students at the first two points can share more than one: the shorter list is walked, and the walk ends
    at the first student who shares everything. A target below 0 is not among the holders.
    """
    deepest = np.zeros(targets.size, np.int16)
    for i in prange(targets.size):
        deepest[i] = _longest_prefix(shared, holders, targets[i], drawn[i])
    return deepest


@njit(cache=True)
def _longest_prefix(shared: Array, holders: Array, target: int, known: Array) -> int:
    count = 0
    while count < known.size and known[count] >= 0:
        count += 1
    if count == 0 or shared[known[0] + 1] - shared[known[0]] < (2 if target >= 0 else 1):
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


@njit(parallel=True, cache=True)
def best_match(shared: Array, holders: Array, targets: Array, drawn: Array) -> Array:
    """Which targets fit their known points better than everyone else in the release does.

    The points were drawn from the original, so some may be gone from the release: whoever has the most of them is
    the guess, and it counts if it is right and no second candidate fits as well.
    """
    found = np.zeros(targets.size, np.bool_)
    for i in prange(targets.size):
        found[i] = _stands_out(shared, holders, targets[i], drawn[i])
    return found


@njit(cache=True)
def _stands_out(shared: Array, holders: Array, target: int, drawn: Array) -> bool:
    known = drawn.copy()
    count = _shortest_first(shared, known)
    fit = _fit(shared, holders, target, known, count)
    # Whoever has `fit` of the points is on one of the shortest (points − fit + 1) lists of holders.
    for number in range(count - fit + 1 if fit > 0 else 0):
        for place in range(shared[known[number]], shared[known[number] + 1]):
            if holders[place] != target and _fit(shared, holders, holders[place], known, count) >= fit:
                return False
    return fit > 0


@njit(cache=True)
def _shortest_first(shared: Array, known: Array) -> int:
    """Sort known points by how many hold them; how many there are."""
    count = 0
    while count < known.size and known[count] >= 0:
        point, place = known[count], count
        while place > 0 and shared[known[place - 1] + 1] - shared[known[place - 1]] > shared[point + 1] - shared[point]:
            known[place] = known[place - 1]
            place -= 1
        known[place] = point
        count += 1
    return count


@njit(cache=True)
def _fit(shared: Array, holders: Array, student: int, known: Array, count: int) -> int:
    fit = 0
    for place in range(count):
        fit += holds(shared, holders, known[place], student)
    return fit
