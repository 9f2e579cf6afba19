"""The walk along a chain, student after student, compiled. Uniform numbers are drawn before it, and used in order.

The kernels take single arrays: a tuple of arrays is counted as used anew with every field that is read of it, which
took nine tenths of the time, as calls of a generator out of compiled code did of the rest.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from sharewell.responses.steps_taken import BEFORE_START
from sharewell.stats.arrays import Array
from sharewell.stats.compiled import njit

ROOM = 1_000  # uniform numbers beyond those asked for: one step takes 250 at most, and mostly a few


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


def with_draws(
    walk: Callable[[Array, int, int], tuple[int, int]], students: int, about: int, generator: np.random.Generator
) -> None:
    """Let `walk` go over students with about so many uniform numbers, and again from where it ran out of them.

    `walk(draws, student, used)` goes on with a student at a place of the draws, and says where it came to. The
    generator is left as if it had given the numbers one by one.
    """
    before = generator.bit_generator.state
    draws = generator.random(about + ROOM)
    student, used = walk(draws, 0, 0)
    while student < students:
        draws = np.concatenate([draws, generator.random(draws.size)])
        student, used = walk(draws, student, used)
    generator.bit_generator.state = before
    generator.random(used)


def walk(limits: Array, chain: Rungs, generator: np.random.Generator) -> tuple[Array, Array]:
    """Item codes of all walks, one after the other, and how long each is: at most its limit, and never empty."""
    lengths, found = np.zeros(limits.size, dtype=np.int64), []

    def go(draws: Array, student: int, used: int) -> tuple[int, int]:
        item, student, used = _walk(limits, lengths, student, draws, used, *chain)
        found.append(item)
        return student, used

    with_draws(go, limits.size, 32 * limits.size, generator)
    return np.concatenate(found), lengths


@njit(cache=True)
def _walk(
    limits: Array,
    lengths: Array,
    student: int,
    draws: Array,
    used: int,
    items: int,
    order: int,
    group: Array,
    starts: Array,
    targets: Array,
    chances: Array,
    rungs: Array,
    contexts: Array,
    context_starts: Array,
) -> tuple[Array, int, int]:
    """Walk from one student on until all have, or the draws may not suffice for another step."""
    out = np.empty(draws.size, dtype=np.int32)
    filled = 0
    while student < limits.size:
        last, earlier, earliest = items, BEFORE_START, BEFORE_START
        place, at = filled, used
        while place - filled < limits[student]:
            if at + order + 4 > draws.size:
                return out[:filled].copy(), student, used
            code, at = next_item(
                last, earlier, earliest, draws, at,
                items, order, group, starts, targets, chances, rungs, contexts, context_starts,
            )  # fmt: skip
            if code == items and place == filled:
                continue  # nobody has an empty log: draw the start again
            if code == items:
                break
            out[place] = code
            place += 1
            earliest, earlier, last = earlier, last, code
        lengths[student] = place - filled
        filled, used = place, at
        student += 1
    return out[:filled].copy(), student, used


@njit(cache=True)
def next_item(
    last: int,
    earlier: int,
    earliest: int,
    draws: Array,
    at: int,
    items: int,
    order: int,
    group: Array,
    starts: Array,
    targets: Array,
    chances: Array,
    rungs: Array,
    contexts: Array,
    context_starts: Array,
) -> tuple[int, int]:
    """One step: try the rungs from the finest down; what no rung gives is the end. And the place of the next draw."""
    for rung in range(order + 3):
        if rung == order - 1:
            row = rungs[rung] + last
        elif rung == order + 2:
            row = rungs[rung]
        elif rung >= order:
            row = rungs[rung] + group[last]
        else:  # a longer context, which may never have been seen
            key = last * (items + 2) + earlier + 1
            if order - rung == 3:
                key = key * (items + 2) + earliest + 1
            low, high = context_starts[rung], context_starts[rung + 1]
            place = low + np.searchsorted(contexts[low:high], key)
            if place == high or contexts[place] != key:
                continue
            row = rungs[rung] + place - low
        code, at = _draw(starts[row], starts[row + 1], chances, targets, draws, at)
        if code > items:  # "some item of group g"
            row = rungs[order + 3] + code - items - 1
            code, at = _draw(starts[row], starts[row + 1], chances, targets, draws, at)
        if code >= 0:
            return code, at
    return items, at


@njit(cache=True)
def _draw(low: int, high: int, chances: Array, targets: Array, draws: Array, at: int) -> tuple[int, int]:
    """A target of the row, or −1 where the draw falls into what the row does not keep."""
    if low == high:
        return -1, at
    draw = draws[at]
    if draw >= chances[high - 1]:
        return -1, at + 1
    while low < high:
        middle = (low + high) // 2
        if chances[middle] > draw:
            high = middle
        else:
            low = middle + 1
    return int(targets[low]), at + 1
