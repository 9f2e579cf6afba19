"""Simulated annealing over levels (Kirkpatrick, Gelatt and Vecchi 1983) for lattices that cannot be settled.

A move sets one column to another level, or raises one and lowers another. Nodes that suppress too much are
allowed on the way, at a price; only nodes that keep every limit are ever the result.
"""

from typing import NamedTuple

import numpy as np

from sharewell.records.arrays import Array
from sharewell.records.kernels import Secrets, classify, faults, suppression, swap_tags, unexplained
from sharewell.records.limits import Limits
from sharewell.records.protection.search_space import PRIOR, Aim, Node, NodeCost, Space, evaluate
from sharewell.stats.compiled import njit

ROUNDS = 6  # coolings, each from the best node so far
BATCH = 400  # moves between two looks at the best node, at most
HOT, COLD = 0.01, 0.0005  # temperatures, in units of the value (0 to 1)
PRICE = 2.0  # of a suppressed row beyond the limit, as a share of all rows
PACE = 20e6  # combinations visited per second on a modest machine


class Budget:
    """Time as combinations visited: the same input gives the same result, however busy the machine is."""

    def __init__(self, seconds: float) -> None:
        self.most, self.spent = seconds * PACE, 0.0

    def spend(self, space: Space, times: int = 1) -> None:
        self.spent += times * (space.counts.size + 10 * len(space.columns))

    @property
    def left(self) -> bool:
        return self.spent < self.most


def anneal(
    space: Space, limits: Limits, aim: Aim, first: NodeCost, *, budget: Budget, seed: int, floor: Node | None = None
) -> tuple[NodeCost, int]:
    """The best node that keeps the limits, not below `floor`, and how many were tried."""
    lowest = np.array(floor or [0] * len(first.node), np.int64)
    best, tried, number = first, 0, 0
    node, already = np.array(first.node, np.int64), budget.spent
    length = max(budget.most - already, 1.0)
    while budget.left:
        phase = (budget.spent - already) / length * ROUNDS
        heat = HOT * (COLD / HOT) ** (phase % 1.0)
        if int(phase) > number:
            number, node = int(phase), np.array(best.node, np.int64)
        moves = max(2, min(BATCH, int(length / (ROUNDS * 4 * space.counts.size))))
        walk = Walk(lowest, heat, best.value, moves, (seed * 1_000_003 + tried) % 2**31)
        node, candidate = _batch(space, limits, aim, node, walk)
        tried += moves
        budget.spend(space, moves)
        verdict = evaluate(space, candidate, limits, aim)
        if verdict.feasible and verdict.value < best.value:
            best = verdict
    return best, tried


def compile_kernels(space: Space, limits: Limits) -> None:
    """Let numba translate what the search needs before its clock starts: at the first run that takes seconds."""
    small, node = space.head(), np.array(space.top, np.int64)
    evaluate(small, space.top, limits, Aim(weight=1.0))
    small.rolled_up(space.top)
    _batch(small, limits, Aim(), node, Walk(np.zeros_like(node), HOT, 0.0, 1, 0))


class Walk(NamedTuple):
    """A batch of moves: the levels that it may go down to, its temperature, the value to beat, how many, the seed."""

    lowest: Array
    heat: float
    least: float
    moves: int
    seed: int


def _batch(space: Space, limits: Limits, aim: Aim, node: Array, walk: Walk) -> tuple[Array, Node]:
    means = np.zeros((len(space.columns), int(space.heights.max()) + 1))
    for column, levels in enumerate(space.mean_costs):
        means[column, : levels.size] = levels
    ground = Ground(
        space.codes, space.counts, space.heights, space.starts, space.widths, space.costs, space.tags, means,
        space.secrets(limits), space.sums, space.squares, space.slots,
    )  # fmt: skip
    rules = Rules(limits.k, space.rows, limits.most_suppressed(space.rows), float(aim.weight), float(aim.best))
    after, best = _walk(node, space.keys(tuple(node)), ground, rules, walk)
    return after, tuple(int(level) for level in best)


class Ground(NamedTuple):
    """The arrays of a Space."""

    codes: Array
    counts: Array
    heights: Array
    starts: Array
    widths: Array
    costs: Array
    tags: Array
    means: Array
    secrets: Secrets
    sums: Array
    squares: Array
    slots: Array


class Rules(NamedTuple):
    """k, how many of the rows may be suppressed, and the aim."""

    k: int
    rows: int
    most: int
    weight: float
    best: float


@njit(cache=True)
def _walk(node: Array, keys: Array, ground: Ground, rules: Rules, walk: Walk) -> tuple[Array, Array]:
    """A batch of moves at one temperature; returns where it ends and the best node seen below the value to beat."""
    np.random.seed(walk.seed)
    least = walk.least
    here, best, trial = node.copy(), node.copy(), node.copy()
    trial_keys = keys.copy()
    value = np.inf
    for move in range(walk.moves):
        if move > 0:
            for c in range(here.size):
                trial[c] = here[c]
            _draw_move(trial, walk.lowest, ground.heights)
            _rekey(keys, here, trial, ground, trial_keys)
        new_value, gone = _value(trial_keys, trial, ground, rules)
        if gone <= rules.most and new_value < least:
            least = new_value
            for c in range(here.size):
                best[c] = trial[c]
        new_value += PRICE * max(0, gone - rules.most) / rules.rows
        if move == 0 or new_value < value or np.random.random() < np.exp((value - new_value) / walk.heat):
            value = new_value
            for c in range(here.size):
                here[c] = trial[c]
            for i in range(keys.size):
                keys[i] = trial_keys[i]
    return here, best


@njit(cache=True)
def _rekey(keys: Array, here: Array, trial: Array, ground: Ground, out: Array) -> None:
    for i in range(keys.size):
        out[i] = keys[i]
    for c in range(here.size):
        if trial[c] != here[c]:
            width = ground.widths[c]
            old, new = ground.starts[c] + here[c] * width, ground.starts[c] + trial[c] * width
            swap_tags(out, ground.codes[c], ground.tags[old : old + width], ground.tags[new : new + width], out)


@njit(cache=True)
def _value(keys: Array, node: Array, ground: Ground, rules: Rules) -> tuple[float, int]:
    """What `space.evaluate` computes, without leaving the loop: the value of a node and the rows it suppresses."""
    ids = np.empty(keys.size, np.int32)
    classes = classify(keys, ids, ground.slots)
    wrong = faults(ids, classes, ground.counts, rules.k, ground.secrets)
    gone, _, extra = suppression(
        ids, wrong, ground.counts, ground.codes, node, ground.costs, ground.starts, ground.widths
    )
    loss = extra / (rules.rows * node.size)
    for c in range(node.size):
        loss += ground.means[c, node[c]] / node.size
    if rules.weight <= 0:
        return loss, gone
    left = unexplained(ids, classes, wrong, ground.counts, ground.sums, ground.squares, PRIOR)
    return (1 - rules.weight) * loss + rules.weight * (left - rules.best) / max(1.0 - rules.best, 1e-9), gone


@njit(cache=True)
def _draw_move(trial: Array, lowest: Array, heights: Array) -> None:
    """One column to another level; every other time also a second one, the other way."""
    first, second = np.random.randint(heights.size), np.random.randint(heights.size)
    span = heights[first] - lowest[first]
    if span == 0:
        return
    old = trial[first]
    trial[first] = lowest[first] + (old - lowest[first] + 1 + np.random.randint(span)) % (span + 1)
    if np.random.random() < 0.5 or second == first:
        return
    if trial[first] < old and trial[second] < heights[second]:
        trial[second] += 1 + np.random.randint(heights[second] - trial[second])
    elif trial[first] > old and trial[second] > lowest[second]:
        trial[second] -= 1 + np.random.randint(trial[second] - lowest[second])
