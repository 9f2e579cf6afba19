"""Simulated annealing over levels (Kirkpatrick, Gelatt and Vecchi 1983) for lattices that cannot be settled.

A move sets one column to another level, or raises one and lowers another. Nodes that suppress too much are
allowed on the way, at a price; only nodes that keep every limit are ever the result.
"""

from typing import NamedTuple

import numpy as np

from sharewell.records.arrays import Array
from sharewell.records.kernels import Ground, assess_node
from sharewell.records.limits import Limits
from sharewell.records.protection.search_space import Aim, Node, NodeCost, Space, evaluate
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
        batch = Moves(lowest, heat, best.value, moves, (seed * 1_000_003 + tried) % 2**31)
        node, candidate = _moved(space, limits, aim, node, batch)
        tried += moves
        budget.spend(space, moves)
        verdict = evaluate(space, candidate, limits, aim)
        if verdict.feasible and verdict.value < best.value:
            best = verdict
    return best, tried


class Moves(NamedTuple):
    """The levels that moves may go down to, their temperature, the value to beat, how many they are, and the seed."""

    lowest: Array
    heat: float
    least: float
    moves: int
    seed: int


class Rules(NamedTuple):
    """The levels of columns and their mean costs, the rows, how many of them may be suppressed, the aim, and tags."""

    heights: Array
    means: Array
    rows: int
    most: int
    weight: float
    best: float
    tags: Array


def _moved(space: Space, limits: Limits, aim: Aim, node: Array, batch: Moves) -> tuple[Array, Node]:
    """Where a batch of moves ends, and the best node on the way."""
    means = np.zeros((len(space.columns), int(space.heights.max()) + 1))
    for column, levels in enumerate(space.mean_costs):
        means[column, : levels.size] = levels
    most = limits.most_suppressed(space.rows)
    rules = Rules(space.heights, means, space.rows, most, float(aim.weight), float(aim.best), space.tags)
    nodes, keys = np.stack([node] * 3), np.stack([space.keys(node.tolist())] * 2)
    _walk(nodes, keys, space.ground(limits), rules, batch)
    return nodes[0], tuple(int(level) for level in nodes[1])


@njit(cache=True)
def _walk(nodes: Array, keys: Array, ground: Ground, rules: Rules, batch: Moves) -> None:
    """Move at one temperature: `nodes` are the present one, the best one below the value to beat, and the next one.

    `keys` are those of the present and of the next. A move takes one column to another level; every other time also a
    second one, the other way.
    """
    np.random.seed(batch.seed)
    here, best, trial = nodes[0], nodes[1], nodes[2]
    columns, least, value = here.size, batch.least, np.inf
    for move in range(batch.moves):
        if move > 0:
            trial[:] = here
            first, second = np.random.randint(columns), np.random.randint(columns)
            low, span = batch.lowest[first], rules.heights[first] - batch.lowest[first]
            if span > 0:
                trial[first] = low + (here[first] - low + 1 + np.random.randint(span)) % (span + 1)
                if np.random.random() >= 0.5 and second != first:
                    if trial[first] < here[first] and trial[second] < rules.heights[second]:
                        trial[second] += 1 + np.random.randint(rules.heights[second] - trial[second])
                    elif trial[first] > here[first] and trial[second] > batch.lowest[second]:
                        trial[second] -= 1 + np.random.randint(trial[second] - batch.lowest[second])
            keys[1] = keys[0]
            for c in range(columns):
                if trial[c] != here[c]:
                    old = ground.starts[c] + here[c] * ground.widths[c]
                    new = ground.starts[c] + trial[c] * ground.widths[c]
                    for i in range(ground.counts.size):
                        code = ground.codes[c, i]
                        keys[1, i] += rules.tags[new + code] - rules.tags[old + code]
        gone, _, extra, left = assess_node(keys[1], trial, ground, rules.weight > 0)
        new_value = extra / (rules.rows * columns)
        for c in range(columns):
            new_value += rules.means[c, trial[c]] / columns
        if rules.weight > 0:
            reach = max(1.0 - rules.best, 1e-9)
            new_value = (1 - rules.weight) * new_value + rules.weight * (left - rules.best) / reach
        if gone <= rules.most and new_value < least:
            least = new_value
            best[:] = trial
        new_value += PRICE * max(0, gone - rules.most) / rules.rows
        if move == 0 or new_value < value or np.random.random() < np.exp((value - new_value) / batch.heat):
            value = new_value
            here[:] = trial
            keys[0] = keys[1]
