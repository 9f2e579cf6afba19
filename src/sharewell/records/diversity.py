"""What a class must hold: enough students (k), enough sensitive values (l), values spread as everywhere (t)."""

import math
from dataclasses import dataclass

import numpy as np

from sharewell.errors import InputError


@dataclass(frozen=True, kw_only=True)
class Limits:
    """k students in a class, l distinct values and a distance of at most t for each sensitive column."""

    k: int
    l: int | None = None  # noqa: E741
    t: float | None = None
    max_suppressed: float = 0.02

    def __post_init__(self) -> None:
        if self.k < 1 or (self.l is not None and self.l < 1):
            raise InputError("k and l must be at least 1")
        if self.t is not None and not 0 <= self.t <= 1:
            raise InputError("t must lie between 0 and 1")
        if not 0 <= self.max_suppressed <= 1:
            raise InputError("max_suppressed must lie between 0 and 1")

    def most_suppressed(self, rows: int) -> int:
        return math.floor(self.max_suppressed * rows + 1e-9)

    def __str__(self) -> str:
        named = [("k", self.k), ("l", self.l), ("t", self.t)]
        return ", ".join(f"{name} = {value}" for name, value in named if value is not None)


def closeness(held: np.ndarray, *, ordered: bool) -> np.ndarray:
    """Earth mover's distance of every class (a row of counts by value) from the whole table: see kernels.distance."""
    whole = held.sum(axis=0) / held.sum()
    apart = held / np.maximum(held.sum(axis=1, keepdims=True), 1) - whole
    if ordered and held.shape[1] > 1:
        return np.abs(np.cumsum(apart, axis=1)).sum(axis=1) / (held.shape[1] - 1)
    return np.abs(apart).sum(axis=1) / 2


def is_ordered(values: tuple[str | None, ...]) -> bool:
    """Numbers have an order; a missing value among them takes it away."""
    try:
        return all(value is not None and math.isfinite(float(value)) for value in values)
    except ValueError:
        return False


def tree_closeness(held: np.ndarray, groups: np.ndarray) -> np.ndarray:
    """Earth mover's distance where moving between values costs the height of their common group (Li et al. 2007, §4.2).

    `groups[level, value]`, level 0 the values. What is left over in a group after its parts are balanced moves one
    level up; a move that meets at level h costs h / height, so that every level adds its positive surplus / height.
    """
    whole = held.sum(axis=0) / held.sum()
    extra = held / np.maximum(held.sum(axis=1, keepdims=True), 1) - whole
    height = len(groups) - 1
    cost = np.zeros(len(held))
    for level in range(height):
        per_group = np.zeros((len(held), int(groups[level].max()) + 1))
        np.add.at(per_group.T, groups[level], extra.T)
        cost += np.maximum(per_group, 0).sum(axis=1) / max(height, 1)
    return cost
