"""Simulated annealing over levels (Kirkpatrick, Gelatt and Vecchi 1983) for lattices that cannot be settled.

A move sets one column to another level, or raises one and lowers another. Nodes that suppress too much are
allowed on the way, at a price; only nodes that keep every limit are ever the result.
"""

import time

import numpy as np
from numba import njit

from sharewell.records import kernels
from sharewell.records.diversity import Limits
from sharewell.records.space import PRIOR, Aim, Node, Space, Verdict, evaluate

ROUNDS = 8  # coolings, each from the best node so far
BATCH = 400  # moves between two looks at the best node
HOT, COLD = 0.02, 0.0002  # temperatures, in units of the value (0 to 1)
PRICE = 2.0  # of a suppressed row beyond the limit, as a share of all rows
PACE = 15e6  # combinations visited per second on a modest machine


class Budget:
    """Time as a number of evaluations, so that the same input gives the same result; the clock is the last resort."""

    def __init__(self, space: Space, seconds: float, began: float) -> None:
        self.most = max(BATCH, int(seconds * PACE / (space.counts.size + 50 * len(space.columns))))
        self.deadline = began + 2 * seconds

    def covers(self, evaluated: int) -> bool:
        return evaluated < self.most and time.monotonic() < self.deadline


def anneal(
    space: Space, limits: Limits, aim: Aim, first: Verdict, *, seconds: float, seed: int, began: float
) -> tuple[Verdict, int]:
    """The best node that keeps the limits, and how many were tried."""
    budget, best, tried, number = Budget(space, seconds, began), first, 0, 0
    node = np.array(first.node, np.int64)
    while budget.covers(tried):
        phase = tried / budget.most * ROUNDS
        heat = HOT * (COLD / HOT) ** (phase % 1.0)
        if int(phase) > number:
            number, node = int(phase), np.array(best.node, np.int64)
        node, candidate = _batch(space, limits, aim, node, heat, best.value, seed * 1_000_003 + tried)
        tried += BATCH
        verdict = evaluate(space, candidate, limits, aim)
        if verdict.feasible and verdict.value < best.value:
            best = verdict
    return best, tried


def _batch(
    space: Space, limits: Limits, aim: Aim, node: np.ndarray, heat: float, least: float, seed: int
) -> tuple[np.ndarray, Node]:
    means = np.zeros((len(space.columns), int(space.heights.max()) + 1))
    for column, levels in enumerate(space.mean_costs):
        means[column, : levels.size] = levels
    after, best = _walk(
        node, space.keys(node), space.codes, space.counts, space.heights, space.starts, space.widths, space.costs,
        space.tags, means, space.sensitive, space.sensitive_sizes, space.sensitive_ordered, space.sums, space.squares,
        space.slots, limits.k, limits.l or 0, -1.0 if limits.t is None else limits.t,
        limits.most_suppressed(space.rows), aim.weight, aim.best, heat, least, BATCH, seed % 2**31,
    )  # fmt: skip
    return after, tuple(int(level) for level in best)


@njit(cache=True)
def _walk(
    node, keys, codes, counts, heights, starts, widths, costs, tags, means, sensitive, values, ordered, sums, squares,
    slots, k, l, t, most, weight, reachable, heat, least, moves, seed,  # noqa: E741
):  # type: ignore[no-untyped-def]  # fmt: skip
    """`moves` steps at one temperature; returns where it ends and the best node seen below `least`."""
    np.random.seed(seed)
    columns, rows = codes.shape[0], counts.sum()
    here, best, trial = node.copy(), node.copy(), node.copy()
    ids = np.empty(counts.size, np.int32)
    trial_keys = keys.copy()
    value = np.inf
    for move in range(moves):
        if move > 0:
            trial[:] = here
            _draw_move(trial, heights)
            trial_keys[:] = keys
            for c in range(columns):
                if trial[c] != here[c]:
                    old, new = starts[c] + here[c] * widths[c], starts[c] + trial[c] * widths[c]
                    kernels.swap_tags(
                        trial_keys, codes[c], tags[old : old + widths[c]], tags[new : new + widths[c]], trial_keys
                    )
        classes = kernels.classify(trial_keys, ids, slots)
        wrong = kernels.faults(ids, classes, counts, k, sensitive, values, ordered, l, t)
        gone, _, extra = kernels.suppression(ids, wrong, counts, codes, trial, costs, starts, widths)
        loss = extra / (rows * columns)
        for c in range(columns):
            loss += means[c, trial[c]] / columns
        new_value = loss
        if weight > 0:
            left = kernels.unexplained(ids, classes, wrong, counts, sums, squares, PRIOR)
            new_value = (1 - weight) * loss + weight * (left - reachable) / max(1.0 - reachable, 1e-9)
        if gone <= most and new_value < least:
            least = new_value
            best[:] = trial
        new_value += PRICE * max(0, gone - most) / rows
        if move == 0 or new_value < value or np.random.random() < np.exp((value - new_value) / heat):
            value = new_value
            here[:] = trial
            keys[:] = trial_keys
    return here, best


@njit(cache=True)
def _draw_move(trial: np.ndarray, heights: np.ndarray) -> None:
    """One column to another level; every other time also a second one, the other way."""
    first = np.random.randint(heights.size)
    if heights[first] == 0:
        return
    old = trial[first]
    trial[first] = (old + 1 + np.random.randint(heights[first])) % (heights[first] + 1)
    second = np.random.randint(heights.size)
    if np.random.random() < 0.5 or second == first:
        return
    if trial[first] < old and trial[second] < heights[second]:
        trial[second] += 1 + np.random.randint(heights[second] - trial[second])
    elif trial[first] > old and trial[second] > 0:
        trial[second] -= 1 + np.random.randint(trial[second])
