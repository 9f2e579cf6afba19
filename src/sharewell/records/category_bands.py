"""Bands of neighbouring categories: `10-20% to 30-40%`, or alphabetical ones where words have no order of their own.

Bands are named after values that at least two students have: a mistyped word joins its neighbour and is never listed.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

_NUMBER = re.compile(r"\d+(?:\.\d+)?")
FEWEST_HOLDERS = 2  # students who must have a value before it may name a band
OTHERS = "other"


def in_order(values: Sequence[str]) -> list[str] | None:
    """The values from low to high, by the number that each begins with; None where two begin alike."""
    found = {value: _NUMBER.search(value) for value in values}
    keys = {value: float(number[0]) for value, number in found.items() if number and _leads(value, number.start())}
    if len(values) < 3 or len(keys) < len(values) or len(set(keys.values())) < len(values):
        return None
    return sorted(values, key=lambda value: keys[value])


def _leads(value: str, start: int) -> bool:
    """Before its number a band has signs at most: `<18`, `[0, 10)`; a code such as `Q12` has letters."""
    return not any(sign.isalnum() for sign in value[:start])


@dataclass(frozen=True)
class CategoryBands:
    """The cells in their order: each holds a value that may be listed, and those of single students beside it."""

    members: tuple[tuple[str, ...], ...]
    first: int = 0

    @property
    def cells(self) -> int:
        return len(self.members)

    @cached_property
    def _cell_of(self) -> dict[str, int]:
        return {value: number for number, inside in enumerate(self.members) for value in inside}

    def cell(self, value: str) -> int:
        return self._cell_of[value]

    def named(self, label: str) -> tuple[int, int] | None:
        """The first and the last cell of a label, also of one that a table with other values would have."""
        alone = label.removesuffix(" and others")
        if alone in self._cell_of:
            return self._cell_of[alone], self._cell_of[alone]
        words = label.split(" to ")
        ends = ((" to ".join(words[:cut]), " to ".join(words[cut:])) for cut in range(1, len(words)))
        known = (
            (self._cell_of[one], self._cell_of[other]) for one, other in ends if {one, other} <= self._cell_of.keys()
        )
        return next(known, None)

    def label(self, low: int, high: int) -> str:
        if low == 0 and high == self.cells - 1:
            return "*"
        if low < high:
            return f"{self.members[low][0]} to {self.members[high][0]}"
        return self.members[low][0] if len(self.members[low]) == 1 else f"{self.members[low][0]} and others"


def make_bands(ordered: Sequence[str], holders: Mapping[str, float]) -> CategoryBands | None:
    """Values in their order, those of single students beside the one before; None where nothing may be listed."""
    cells: list[list[str]] = []
    waiting: list[str] = []
    for value in ordered:
        if holders[value] >= FEWEST_HOLDERS:
            cells.append([value, *waiting])
            waiting = []
        elif cells:
            cells[-1].append(value)
        else:
            waiting.append(value)
    return CategoryBands(tuple(tuple(cell) for cell in cells)) if cells else None
