"""How far the sensitive values of a class lie from those of everyone: the distances behind t-closeness."""

import math

import numpy as np

from sharewell.records.arrays import Array


def closeness(counts: Array, *, ordered: bool) -> Array:
    """Earth mover's distance of every class (a row of counts by value) from the whole table: see kernels.distance."""
    whole = counts.sum(axis=0) / counts.sum()
    apart = counts / np.maximum(counts.sum(axis=1, keepdims=True), 1) - whole
    if ordered and counts.shape[1] > 1:
        running: Array = np.abs(np.cumsum(apart, axis=1)).sum(axis=1)
        return running / (counts.shape[1] - 1)
    moved: Array = np.abs(apart).sum(axis=1)
    return moved / 2


def is_ordered(values: tuple[str | None, ...]) -> bool:
    """Numbers have an order; a missing value among them takes it away."""
    try:
        return all(value is not None and math.isfinite(float(value)) for value in values)
    except ValueError:
        return False


def tree_closeness(counts: Array, groups: Array) -> Array:
    """Earth mover's distance where moving between values costs the height of their common group (Li et al. 2007, §4.2).

    `groups[level, value]`, level 0 the values. What is left over in a group after its parts are balanced moves one
    level up; a move that meets at level h costs h / height, so that every level adds its positive surplus / height.
    """
    whole = counts.sum(axis=0) / counts.sum()
    extra = counts / np.maximum(counts.sum(axis=1, keepdims=True), 1) - whole
    height = len(groups) - 1
    cost = np.zeros(len(counts))
    for level in range(height):
        per_group = np.zeros((len(counts), int(groups[level].max()) + 1))
        np.add.at(per_group.T, groups[level], extra.T)
        cost += np.maximum(per_group, 0).sum(axis=1) / max(height, 1)
    return cost
