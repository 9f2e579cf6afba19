"""Full-domain search: the levels with the least loss among those that keep every limit.

The loss of a node is additive before suppression, so `base(node)` bounds it from below; the rows that fail k or l at a
node fail at every node below it (classes only merge on the way up), so a node that must suppress too much rules
out everything below, and what it suppresses is a further bound there. Where the lattice is small enough all nodes
are settled that way and the result is proven; beyond that an annealed local search runs until its time is up.
"""

import time
from dataclasses import dataclass

import numpy as np

from sharewell.errors import InputError
from sharewell.records.diversity import Limits
from sharewell.records.space import Node, Space, Verdict, evaluate

LARGEST_EXACT = 2_000_000  # nodes


@dataclass(frozen=True, kw_only=True)
class Found:
    best: Verdict
    proven: bool
    evaluated: int


def search(space: Space, limits: Limits, *, seconds: float, seed: int) -> Found:
    """The optimum where it can be proven in time, else the best found."""
    deadline = time.monotonic() + seconds
    first = descend(space, limits, deadline)
    if space.size <= LARGEST_EXACT:
        return settle(space, limits, first, deadline)
    return first


def descend(space: Space, limits: Limits, deadline: float) -> Found:
    """Greedy from the top: always the one-level step down that leaves the least loss."""
    best = evaluate(space, space.top, limits)
    if not best.feasible:
        raise InputError(
            f"even with every quasi column hidden the limits are missed: {space.rows} rows cannot meet k={limits.k}"
            + (f", l={limits.l}" if limits.l is not None else "")
            + (f", t={limits.t}" if limits.t is not None else "")
        )
    evaluated, here = 1, best
    while time.monotonic() < deadline:
        steps = [_below(here.node, column) for column, level in enumerate(here.node) if level > 0]
        tried = [evaluate(space, node, limits) for node in steps]
        evaluated += len(tried)
        fine = [verdict for verdict in tried if verdict.feasible]
        if not fine:
            break
        here = min(fine, key=lambda verdict: verdict.loss)
        best = min(best, here, key=lambda verdict: verdict.loss)
    return Found(best=best, proven=False, evaluated=evaluated)


def _below(node: Node, column: int) -> Node:
    return (*node[:column], node[column] - 1, *node[column + 1 :])


def settle(space: Space, limits: Limits, first: Found, deadline: float) -> Found:
    """Rule out or evaluate every node that could still beat the best one."""
    shape = tuple(len(levels) for levels in space.mean_costs)
    bound = np.zeros(shape)
    for column, levels in enumerate(space.mean_costs):
        bound += levels.reshape([-1 if axis == column else 1 for axis in range(len(shape))]) / len(shape)
    best, evaluated = first.best, first.evaluated
    flat = bound.reshape(-1)
    order = np.flatnonzero(flat < best.loss)
    order = order[np.argsort(-flat[order], kind="stable")]
    for index in order:
        if flat[index] >= best.loss:
            continue
        if time.monotonic() > deadline:
            return Found(best=best, proven=False, evaluated=evaluated)
        node = tuple(int(level) for level in np.unravel_index(index, shape))
        verdict = evaluate(space, node, limits)
        evaluated += 1
        below = bound[tuple(slice(0, level + 1) for level in node)]
        if verdict.feasible and verdict.loss < best.loss:
            best = verdict
        if limits.t is None:
            below += (verdict.loss - space.base(node)) if verdict.feasible else np.inf
    return Found(best=best, proven=True, evaluated=evaluated)
