"""Full-domain search: the levels with the least loss among those that keep every limit.

The loss of a node is additive before suppression, so `base(node)` bounds it from below. Rows that fail k or l at a
node fail at every node below it (classes only merge on the way up), so a node that must suppress too many of them
rules out everything below. Where the lattice is small enough, all nodes are settled that way and the result is
proven; beyond that, or with outcomes to keep predictable, `annealing.py` searches until its time is up.
"""

from dataclasses import dataclass

import numpy as np

from sharewell.errors import Refused
from sharewell.records.arrays import Array
from sharewell.records.limits import Limits
from sharewell.records.protection.annealing import Budget, anneal
from sharewell.records.protection.search_space import Aim, Node, NodeCost, Space, evaluate

LARGEST_EXACT = 2_000_000  # nodes
REACH = 2  # levels that a rolled-up space reaches below a node
ANCHORS = 4  # columns by which combinations are rolled up for reuse
WORTH_KEEPING = 2  # requests before a rolled-up space is made
MOST_KEPT = 4  # rolled-up combinations in memory, as a multiple of all
LARGE = 100_000  # combinations
EXTRA = 0.5  # of the time once more, for the search that takes over where nothing could be proven


@dataclass(frozen=True, kw_only=True)
class Optimum:
    best: NodeCost
    proven: bool
    evaluated: int


def search(space: Space, limits: Limits, *, seconds: float, seed: int) -> Optimum:
    """The node with the least loss where that can be proven in time, else the best found."""
    budget = Budget(seconds)
    first = descend(space, limits, Aim(), budget)
    if space.size <= LARGEST_EXACT:
        first = settle(space, limits, first, budget)
        if first.proven:
            return first
        budget = Budget(EXTRA * seconds)
    best, tried = near(space, limits, Aim(), first.best, budget=budget, seed=seed)
    return Optimum(best=best, proven=False, evaluated=first.evaluated + tried)


def near(space: Space, limits: Limits, aim: Aim, first: NodeCost, *, budget: Budget, seed: int) -> tuple[NodeCost, int]:
    """Annealing; in a large table only at most two levels below the best node so far, where combinations are fewer."""
    if space.counts.size <= LARGE:
        return anneal(space, limits, aim, first, budget=budget, seed=seed)
    floor = tuple(max(0, level - REACH) for level in first.node)
    return anneal(space.rolled_up(floor), limits, aim, first, budget=budget, seed=seed, floor=floor)


def descend(space: Space, limits: Limits, aim: Aim, budget: Budget) -> Optimum:
    """Greedy from the top: always the one-level step down that is best after it."""
    best = evaluate(space, space.top, limits, aim)
    if not best.feasible:
        raise Refused(f"even with every quasi column hidden, {space.rows} rows cannot meet {limits}")
    evaluated, here, smaller, floor = 1, best, space, space.top
    while budget.left:
        if any(level <= low and level > 0 for level, low in zip(here.node, floor, strict=True)):
            floor = tuple(max(0, level - REACH) for level in here.node)
            smaller = space  # the one before is let go before the next is made
            smaller = space.rolled_up(floor)
            budget.spend(space)
        steps = [_below(here.node, column) for column, level in enumerate(here.node) if level > 0]
        tried = [evaluate(smaller, node, limits, aim) for node in steps]
        evaluated += len(tried)
        budget.spend(smaller, len(tried))
        fine = [verdict for verdict in tried if verdict.feasible]
        if not fine:
            break
        here = min(fine, key=lambda verdict: verdict.value)
        best = min(best, here, key=lambda verdict: verdict.value)
    return Optimum(best=best, proven=False, evaluated=evaluated)


def _below(node: Node, column: int) -> Node:
    return (*node[:column], node[column] - 1, *node[column + 1 :])


def settle(space: Space, limits: Limits, first: Optimum, budget: Budget) -> Optimum:
    """Rule out or evaluate every node that could still beat the best one, the most general first."""
    shape = tuple(len(levels) for levels in space.mean_costs)
    bound = np.zeros(shape)
    for column, levels in enumerate(space.mean_costs):
        bound += levels.reshape([-1 if axis == column else 1 for axis in range(len(shape))]) / len(shape)
    best, evaluated = first.best, first.evaluated
    flat, rolled = bound.reshape(-1), RolledUp(space)
    order = np.flatnonzero(flat < best.loss)
    for index in order[np.argsort(-flat[order], kind="stable")]:
        if flat[index] >= best.loss:
            continue
        if not budget.left:
            return Optimum(best=best, proven=False, evaluated=evaluated)
        node = tuple(int(level) for level in np.unravel_index(index, shape))
        smaller = rolled.under(node)
        budget.spend(smaller)
        verdict = evaluate(smaller, node, limits)
        evaluated += 1
        if verdict.feasible and verdict.loss < best.loss:
            best = verdict
        below = bound[tuple(slice(0, level + 1) for level in node)]
        if verdict.hard > limits.most_suppressed(space.rows):
            below += np.inf
        elif limits.t is None:  # what is suppressed here is suppressed below, where it costs at least as much
            np.maximum(below, _bound_below(space, node, verdict), out=below)
    return Optimum(best=best, proven=True, evaluated=evaluated)


def _bound_below(space: Space, node: Node, verdict: NodeCost) -> Array:
    extra = verdict.loss - space.base(node)
    parts = [levels[: level + 1] / len(node) for levels, level in zip(space.mean_costs, node, strict=True)]
    total = np.zeros([part.size for part in parts])
    for column, part in enumerate(parts):
        total += part.reshape([-1 if axis == column else 1 for axis in range(len(parts))])
    return total + extra


class RolledUp:
    """Spaces rolled up to the levels of the columns that merge most, once they have been asked for often enough."""

    def __init__(self, space: Space) -> None:
        merging = np.argsort(-space.heights * np.log1p(space.widths), kind="stable")
        self.anchors = sorted(int(column) for column in merging[:ANCHORS])
        self.bottom = tuple(0 for _ in space.columns)
        self.kept: dict[Node, Space] = {self.bottom: space}
        self.asked: dict[Node, int] = {}
        self.room = MOST_KEPT * space.counts.size

    def under(self, node: Node) -> Space:
        """A space, as small as there is, that gives the same answers for this node as the whole one."""
        anchor = tuple(level if column in self.anchors else 0 for column, level in enumerate(node))
        if anchor in self.kept:
            return self.kept[anchor]
        below = [known for known in self.kept if all(a <= b for a, b in zip(known, anchor, strict=True))]
        smallest = self.kept[min(below, key=lambda known: self.kept[known].counts.size)]
        self.asked[anchor] = self.asked.get(anchor, 0) + 1
        if self.asked[anchor] < WORTH_KEEPING or self.room <= 0:
            return smallest
        self.kept[anchor] = smallest.rolled_up(anchor)
        self.room -= self.kept[anchor].counts.size
        return self.kept[anchor]
