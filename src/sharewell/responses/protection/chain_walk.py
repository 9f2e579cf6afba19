"""The walk along a chain, student after student, compiled. Draws come from one numpy generator, in order."""

from typing import NamedTuple

import numpy as np

from sharewell.responses.steps_taken import BEFORE_START
from sharewell.stats.arrays import Array
from sharewell.stats.compiled import njit


class Rungs(NamedTuple):
    """The arrays of a chain, as the compiled walk takes them; see `markov_chain.Chain`."""

    items: int
    order: int
    group: Array
    starts: Array
    targets: Array
    chances: Array
    rungs: Array
    contexts: Array
    context_starts: Array


@njit(cache=True)
def walk(limits: Array, chain: Rungs, generator: np.random.Generator) -> tuple[Array, Array]:
    """Item codes of all walks, one after the other, and how long each is: at most its limit, and never empty."""
    students, items = limits.size, chain.items
    out = np.empty(max(64, 16 * students), dtype=np.int32)
    lengths = np.empty(students, dtype=np.int64)
    filled = 0
    recent = np.empty(3, dtype=np.int64)
    for student in range(students):
        recent[0], recent[1], recent[2] = items, BEFORE_START, BEFORE_START
        begun = filled
        while filled - begun < limits[student]:
            code = next_item(recent, chain, generator)
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
def next_item(recent: Array, chain: Rungs, generator: np.random.Generator) -> int:
    """One step: try the rungs from the finest down; what no rung gives is the end."""
    for rung in range(chain.order + 3):
        row = _row(rung, recent, chain)
        if row < 0:
            continue
        code = _draw(row, chain, generator)
        if code > chain.items:  # "some item of group g"
            code = _draw(chain.rungs[chain.order + 3] + code - chain.items - 1, chain, generator)
        if code >= 0:
            return code
    return chain.items


@njit(cache=True)
def _row(rung: int, recent: Array, chain: Rungs) -> int:
    """The row of a rung for the items just done; −1 where a longer context was never seen."""
    last, order, rungs = recent[0], chain.order, chain.rungs
    if rung == order - 1:
        return int(rungs[rung] + last)
    if rung == order + 2:
        return int(rungs[rung])
    if rung >= order:
        return int(rungs[rung] + chain.group[last])
    depth = order - rung
    key = last
    for back in range(1, depth):
        key = key * (chain.items + 2) + (recent[back] + 1)
    low, high = chain.context_starts[rung], chain.context_starts[rung + 1]
    place = low + np.searchsorted(chain.contexts[low:high], key)
    return rungs[rung] + place - low if place < high and chain.contexts[place] == key else -1


@njit(cache=True)
def _draw(row: int, chain: Rungs, generator: np.random.Generator) -> int:
    """A target of the row, or −1 where the draw falls into what the row does not keep."""
    chances = chain.chances
    low, high = chain.starts[row], chain.starts[row + 1]
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
    return int(chain.targets[low])
