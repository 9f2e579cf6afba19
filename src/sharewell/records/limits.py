"""What a class must hold: enough students (k), enough sensitive values (l), values spread as everywhere (t)."""

import math
from dataclasses import dataclass

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
        """How many of so many rows may be suppressed."""
        return math.floor(self.max_suppressed * rows + 1e-9)

    def __str__(self) -> str:
        named = [("k", self.k), ("l", self.l), ("t", self.t)]
        return ", ".join(f"{name} = {value}" for name, value in named if value is not None)
