"""Chance for a draw: one stream for all, or one for each student where a file is drawn part by part.

A student's numbers are then the same whoever else is in the part, and so are the rows that are released.
"""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from sharewell.data.keyed import Keyed
from sharewell.keystrokes.arrays import Array


@dataclass(frozen=True)
class OfStudents:
    """One generator for each student, in the order of their codes."""

    generators: tuple[np.random.Generator, ...]


Chance = np.random.Generator | OfStudents


def of_students(keyed: Keyed, purpose: str, names: Iterable[str]) -> OfStudents:
    return OfStudents(tuple(keyed.generator(f"{purpose}:{name}") for name in names))


def numbers(chance: Chance, owner: Array, *each: int) -> Array:
    """A number in [0, 1), or so many, for everything that is somebody's; `owner` are codes in their order."""
    if isinstance(chance, np.random.Generator):
        return chance.random((len(owner), *each))
    counts = np.bincount(owner, minlength=len(chance.generators))
    return np.concatenate([one.random((count, *each)) for one, count in zip(chance.generators, counts, strict=True)])
