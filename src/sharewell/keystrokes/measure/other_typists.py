"""Learn from other typists, never from the two people who are compared.

A metric fits those it was learnt on a little better than others. Were only the one who is looked for left out, every
wrong candidate but few would be somebody the metric was learnt on, and the right one never: a difference that finds
people in releases that tell nothing (with names shuffled all attacks together found .060 of 200 typists within ten
instead of .050), and that nobody has who learnt elsewhere. So both are left out: people are parted into folds, and a
comparison is made by what the people outside the folds of its two taught. Within a fold one more is left out, so
that all learn from equally many.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from sharewell.keystrokes.arrays import Array

FOLDS = 10  # four of five people teach what a comparison is made by


@dataclass(frozen=True, kw_only=True)
class FoldLesson:
    """Candidates who teach, and blocks of comparisons between others: positions of rows and of candidates."""

    teaches: Array  # of every candidate
    blocks: tuple[tuple[Array, Array], ...]


def lessons(own: Array, candidates: int, seed: int, folds: int = FOLDS) -> Iterator[FoldLesson]:
    """What all comparisons of some rows with all candidates can be learnt from; `own` is each row's right candidate."""
    fold = np.random.default_rng(seed).permutation(candidates) % folds
    sought, known = ([np.flatnonzero(one == number) for number in range(folds)] for one in (fold[own], fold))
    for pair in combinations(range(folds), 2):
        blocks = [(one, other) for one in pair for other in pair if one != other or (one + 1) % folds in pair]
        yield FoldLesson(
            teaches=(fold != pair[0]) & (fold != pair[1]),
            blocks=tuple((sought[one], known[other]) for one, other in blocks),
        )
