"""The walk along a chain, student after student, compiled. Keyed come from one numpy generator, in order."""

import numpy as np
from numba import njit

BEFORE_START = -1  # the "item" before the start, in contexts of higher order


@njit(cache=True)
def walk(
    limits: np.ndarray,
    items: int,
    order: int,
    group: np.ndarray,
    starts: np.ndarray,
    targets: np.ndarray,
    chances: np.ndarray,
    rungs: np.ndarray,
    contexts: np.ndarray,
    context_starts: np.ndarray,
    generator: np.random.Generator,
) -> tuple[np.ndarray, np.ndarray]:
    """Item codes of all walks, one after the other, and how long each is: at most its limit, and never empty."""
    students = limits.size
    out = np.empty(max(64, 16 * students), dtype=np.int32)
    lengths = np.empty(students, dtype=np.int64)
    filled = 0
    recent = np.empty(3, dtype=np.int64)
    for student in range(students):
        recent[0], recent[1], recent[2] = items, BEFORE_START, BEFORE_START
        begun = filled
        while filled - begun < limits[student]:
            code = _next(
                recent, order, items, group, starts, targets, chances, rungs, contexts, context_starts, generator
            )
            if code == items and filled == begun:
                continue  # nobody has an empty log: draw the start again
            if code == items:
                break
            if filled == out.size:
                larger = np.empty(2 * out.size, dtype=np.int32)
                larger[:filled] = out
                out = larger
            out[filled] = code
            filled += 1
            recent[2], recent[1], recent[0] = recent[1], recent[0], code
        lengths[student] = filled - begun
    return out[:filled].copy(), lengths


@njit(cache=True)
def _next(
    recent: np.ndarray,
    order: int,
    items: int,
    group: np.ndarray,
    starts: np.ndarray,
    targets: np.ndarray,
    chances: np.ndarray,
    rungs: np.ndarray,
    contexts: np.ndarray,
    context_starts: np.ndarray,
    generator: np.random.Generator,
) -> int:
    """One step: try the rungs from the finest down; what no rung gives is the end."""
    for rung in range(order + 3):
        row = _row(rung, recent, order, items, group, rungs, contexts, context_starts)
        if row < 0:
            continue
        code = _draw(row, starts, targets, chances, generator)
        if code > items:  # "some item of group g"
            code = _draw(rungs[order + 3] + code - items - 1, starts, targets, chances, generator)
        if code >= 0:
            return code
    return items


@njit(cache=True)
def _row(
    rung: int,
    recent: np.ndarray,
    order: int,
    items: int,
    group: np.ndarray,
    rungs: np.ndarray,
    contexts: np.ndarray,
    context_starts: np.ndarray,
) -> int:
    """The row of a rung for the items just done; −1 where a longer context was never seen."""
    last = recent[0]
    if rung == order - 1:
        return rungs[rung] + last
    if rung == order + 2:
        return rungs[rung]
    if rung >= order:
        return rungs[rung] + group[last]
    depth = order - rung
    key = last
    for back in range(1, depth):
        key = key * (items + 2) + (recent[back] + 1)
    low, high = context_starts[rung], context_starts[rung + 1]
    place = low + np.searchsorted(contexts[low:high], key)
    return rungs[rung] + place - low if place < high and contexts[place] == key else -1


@njit(cache=True)
def _draw(
    row: int, starts: np.ndarray, targets: np.ndarray, chances: np.ndarray, generator: np.random.Generator
) -> int:
    """A target of the row, or −1 where the draw falls into what the row does not keep."""
    low, high = starts[row], starts[row + 1]
    if low == high:
        return -1
    draw = generator.random()
    if draw >= chances[high - 1]:
        return -1
    while low < high:
        middle = (low + high) // 2
        if chances[middle] > draw:
            high = middle
        else:
            low = middle + 1
    return targets[low]
