"""Full-domain search: the levels with the least loss among those that keep every limit.

The loss of a node is additive before suppression, so `base(node)` bounds it from below. Rows that fail k or l at a
node fail at every node below it (classes only merge on the way up), so a node that must suppress too many of them
rules out everything below. Where the lattice is small enough, all nodes are settled that way and the result is
proven; beyond that, or with outcomes to keep predictable, `annealing.py` searches until its time is up.
"""

import time
from dataclasses import dataclass

import numpy as np

from sharewell.errors import Refused
from sharewell.records.annealing import Budget, anneal
from sharewell.records.diversity import Limits
from sharewell.records.space import Aim, Node, Space, Verdict, evaluate

LARGEST_EXACT = 2_000_000  # nodes
ANCHORS = 5  # columns by which rolled-up groups are kept for reuse
MOST_KEPT = 64  # rolled-up groups in memory


@dataclass(frozen=True, kw_only=True)
class Found:
    best: Verdict
    proven: bool
    evaluated: int


def search(space: Space, limits: Limits, *, seconds: float, seed: int) -> Found:
    """The node with the least loss where that can be proven in time, else the best found."""
    began = time.monotonic()
    first = descend(space, limits, Aim(), began + seconds)
    if space.size <= LARGEST_EXACT:
        first = settle(space, limits, first, Budget(space, seconds, began))
        if first.proven:
            return first
    best, tried = anneal(space, limits, Aim(), first.best, seconds=seconds, seed=seed, began=began)
    return Found(best=best, proven=False, evaluated=first.evaluated + tried)


def descend(space: Space, limits: Limits, aim: Aim, deadline: float) -> Found:
    """Greedy from the top: always the one-level step down that is best after it."""
    best = evaluate(space, space.top, limits, aim)
    if not best.feasible:
        raise Refused(f"even with every quasi column hidden, {space.rows} rows cannot meet {limits}")
    evaluated, here = 1, best
    while time.monotonic() < deadline:
        steps = [_below(here.node, column) for column, level in enumerate(here.node) if level > 0]
        tried = [evaluate(space, node, limits, aim) for node in steps]
        evaluated += len(tried)
        fine = [verdict for verdict in tried if verdict.feasible]
        if not fine:
            break
        here = min(fine, key=lambda verdict: verdict.value)
        best = min(best, here, key=lambda verdict: verdict.value)
    return Found(best=best, proven=False, evaluated=evaluated)


def _below(node: Node, column: int) -> Node:
    return (*node[:column], node[column] - 1, *node[column + 1 :])


def settle(space: Space, limits: Limits, first: Found, budget: Budget) -> Found:
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
        if not budget.covers(evaluated - first.evaluated):
            return Found(best=best, proven=False, evaluated=evaluated)
        node = tuple(int(level) for level in np.unravel_index(index, shape))
        verdict = evaluate(rolled.under(node), node, limits)
        evaluated += 1
        if verdict.feasible and verdict.loss < best.loss:
            best = verdict
        below = bound[tuple(slice(0, level + 1) for level in node)]
        if verdict.hard > limits.most_suppressed(space.rows):
            below += np.inf
        elif limits.t is None:  # what is suppressed here is suppressed below, where it costs at least as much
            np.maximum(below, _bound_below(space, node, verdict), out=below)
    return Found(best=best, proven=True, evaluated=evaluated)


def _bound_below(space: Space, node: Node, verdict: Verdict) -> np.ndarray:
    extra = verdict.loss - space.base(node)
    parts = [levels[: level + 1] / len(node) for levels, level in zip(space.mean_costs, node, strict=True)]
    total = np.zeros([part.size for part in parts])
    for column, part in enumerate(parts):
        total += part.reshape([-1 if axis == column else 1 for axis in range(len(parts))])
    return total + extra


class RolledUp:
    """Spaces rolled up by the levels of a few columns: many nodes share one, and it is smaller than the whole."""

    def __init__(self, space: Space) -> None:
        self.space = space
        fewest = np.argsort(-space.heights * np.log1p(space.widths), kind="stable")
        self.anchors = sorted(int(column) for column in fewest[:ANCHORS])
        self.kept: dict[Node, Space] = {}

    def under(self, node: Node) -> Space:
        anchor = tuple(level if column in self.anchors else 0 for column, level in enumerate(node))
        if anchor not in self.kept:
            if len(self.kept) >= MOST_KEPT:
                self.kept.pop(next(iter(self.kept)))
            self.kept[anchor] = self.space.rolled_up(anchor)
        return self.kept[anchor]
