"""What a class must hold: enough students (k), enough sensitive values (l), values spread as everywhere (t)."""

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from sharewell.errors import InputError
from sharewell.records import kernels

if TYPE_CHECKING:
    from sharewell.records.space import Space


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


def class_fails(space: "Space", ids: np.ndarray, classes: int, limits: Limits) -> np.ndarray:
    """Which classes miss a limit."""
    sizes = kernels.total(ids, classes, space.counts)
    fails = sizes < limits.k
    for column in space.sensitive:
        if limits.l is None and limits.t is None:
            break
        held = kernels.tally(ids, classes, column.codes, len(column.values), space.counts)
        if limits.l is not None:
            fails |= (held > 0).sum(axis=1) < limits.l
        if limits.t is not None:
            fails |= closeness(held, ordered=is_ordered(column.values)) > limits.t + 1e-12
    return fails


def closeness(held: np.ndarray, *, ordered: bool) -> np.ndarray:
    """Earth mover's distance of every class from the whole table (Li, Li and Venkatasubramanian 2007, §4).

    Equal distance: half of Σ|q−p|; ordered: Σ|cumulated (q−p)| / (m−1). Columns of `held` are in the values' order.
    """
    whole = held.sum(axis=0) / held.sum()
    sizes = held.sum(axis=1, keepdims=True)
    apart = held / np.maximum(sizes, 1) - whole
    if ordered and held.shape[1] > 1:
        return np.abs(np.cumsum(apart, axis=1)).sum(axis=1) / (held.shape[1] - 1)
    return np.abs(apart).sum(axis=1) / 2


def is_ordered(values: tuple[str | None, ...]) -> bool:
    """Numbers have an order; a missing value among them takes it away."""
    try:
        return all(value is not None and math.isfinite(float(value)) for value in values)
    except ValueError:
        return False
