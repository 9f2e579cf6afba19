"""New names for sessions: numbers within each student, in an order that only the key knows."""

from collections.abc import Iterable

import numpy as np

from sharewell.keystrokes.arrays import Array


def renumbered(student: Array, originals: Iterable[str], generator: np.random.Generator) -> Array:
    """The new name of every session, given whose it is: s1, s2 and so on for each student.

    None of them is one of the names that were there before, of sessions or of students: a longer beginning is taken
    where one would be.
    """
    chance = generator.random(len(student))
    order = np.lexsort((chance, student))
    ordered = student[order]
    number = np.empty(len(student), dtype=np.int64)
    number[order] = np.arange(len(student)) - np.searchsorted(ordered, ordered) + 1
    stem, before = "s", set(originals)
    while any(f"{stem}{one}" in before for one in range(1, int(number.max(initial=0)) + 1)):
        stem += "_"
    return np.array([f"{stem}{one}" for one in number], dtype=object)
