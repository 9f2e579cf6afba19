"""The walk along a chain: step by step for all students at once, and one compiled step for walks that look back.

The kernel takes single arrays: a tuple of arrays is counted as used anew with every field that is read of it, which
took nine tenths of the time, as calls of a generator out of compiled code did of the rest.
"""

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


def walk(limits: Array, chain: Rungs, generator: np.random.Generator) -> tuple[Array, Array]:
    """Return item codes of all walks, one after the other, and how long each is: at most its limit, and never empty."""
    going = np.arange(limits.size)
    past = np.full((3, limits.size), BEFORE_START)  # the last item, and those one and two back
    past[0] = chain.items
    who, codes = [], []
    for length in range(int(limits.max(initial=0))):
        code = next_items(past[:, going], chain, generator)
        while length == 0 and (ended := code == chain.items).any():  # nobody has an empty log: draw the start again
            code[ended] = next_items(past[:, going[ended]], chain, generator)
        goes_on = code != chain.items
        going, code = going[goes_on], code[goes_on]
        who.append(going)
        codes.append(code)
        past[:, going] = np.stack([code, past[0, going], past[1, going]])
        going = going[limits[going] > length + 1]
    student = np.concatenate(who)
    order = np.argsort(student, kind="stable")
    return np.concatenate(codes)[order].astype(np.int32), np.bincount(student, minlength=limits.size)


def next_items(past: Array, chain: Rungs, generator: np.random.Generator) -> Array:
    """Draw one step of many students: the rungs from the finest down; what no rung gives is the end."""
    last, earlier, earliest = past
    row_of = np.repeat(np.arange(chain.starts.size - 1), np.diff(chain.starts))
    rising = row_of + chain.chances  # one sorted array for all rows

    def drawn(row: Array) -> Array:
        """Targets, or −1 where the draw falls into what the row does not keep."""
        place = np.searchsorted(rising, row + generator.random(row.size), side="right")
        kept = place < chain.starts[row + 1]
        return np.where(kept, chain.targets[np.where(kept, place, 0)], -1)

    found, open_yet = np.full(last.size, chain.items), np.arange(last.size)
    for rung in range(chain.order + 3):
        here = last[open_yet]
        if rung == chain.order - 1:
            row = chain.rungs[rung] + here
        elif rung == chain.order + 2:
            row = np.full(here.size, chain.rungs[rung])
        elif rung >= chain.order:
            row = chain.rungs[rung] + chain.group[here]
        else:  # a longer context, which may never have been seen
            key = here * (chain.items + 2) + earlier[open_yet] + 1
            if chain.order - rung == 3:
                key = key * (chain.items + 2) + earliest[open_yet] + 1
            known = chain.contexts[chain.context_starts[rung] : chain.context_starts[rung + 1]]
            place = np.minimum(np.searchsorted(known, key), max(known.size - 1, 0))
            seen = known[place] == key if known.size else np.zeros(key.size, dtype=bool)
            row = np.where(seen, chain.rungs[rung] + place, chain.rungs[chain.order + 3] - 1)
            code = np.where(seen, drawn(row), -1)
        if rung >= chain.order - 1:
            code = drawn(row)
        of_group = code > chain.items  # some item of a group
        code[of_group] = drawn(chain.rungs[chain.order + 3] + code[of_group] - chain.items - 1)
        found[open_yet] = np.where(code >= 0, code, found[open_yet])
        open_yet = open_yet[code < 0]
        if not open_yet.size:
            break
    return found


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
    """One step of one student as in `next_items`, by draws made beforehand; and the place of the next draw."""
    for rung in range(order + 3):
        if rung == order - 1:
            row = rungs[rung] + last
        elif rung == order + 2:
            row = rungs[rung]
        elif rung >= order:
            row = rungs[rung] + group[last]
        else:
            key = last * (items + 2) + earlier + 1
            if order - rung == 3:
                key = key * (items + 2) + earliest + 1
            low, high = context_starts[rung], context_starts[rung + 1]
            place = low + np.searchsorted(contexts[low:high], key)
            if place == high or contexts[place] != key:
                continue
            row = rungs[rung] + place - low
        while True:
            low, high = starts[row], starts[row + 1]
            if low == high:
                break
            draw = draws[at]
            at += 1
            if draw >= chances[high - 1]:
                break
            while low < high:
                middle = (low + high) // 2
                if chances[middle] > draw:
                    high = middle
                else:
                    low = middle + 1
            code = int(targets[low])
            if code <= items:
                return code, at
            row = rungs[order + 3] + code - items - 1
    return items, at
