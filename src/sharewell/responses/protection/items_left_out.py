"""What a generator may learn from: items with enough students and a finite difficulty."""

import math
from dataclasses import dataclass

import numpy as np

from sharewell.errors import InputError
from sharewell.responses.log import Log
from sharewell.stats.arrays import Array


@dataclass(frozen=True, kw_only=True)
class LeftOut:
    """Items that the generator never saw, by reason, and the rows they took with them."""

    extreme: int  # 0 % or 100 % success: no finite difficulty (Vie et al. 2022, §5.1)
    extreme_rows: int
    few_students: int  # fewer than m students
    few_students_rows: int

    @property
    def rows(self) -> int:
        return self.extreme_rows + self.few_students_rows


NEAR, MOST_NOISE = 4, 6.0  # times m students; standard errors
STUDENTS_PER_ITEM = 8  # with so many for each item near the threshold its count gets as much noise as an answer
OFF = 2.0  # standard deviations of that noise by which the threshold lies above m, up to as far again as m
LEAST_KEPT = 0.25  # of the items that enough students had: what is left of a small course whatever the noise


def without_scarce_items(log: Log, m: int, *, extremes: bool = False) -> tuple[Log, LeftOut]:
    """The log without items that have too few students and, unless `extremes` may stay, no finite difficulty.

    Where difficulties carry noise all are finite, and an absent item would
    disclose that none of the students learnt from failed it.
    """
    few = students_per_item(log) < m
    extreme = np.zeros_like(few) if log.correct is None or extremes else _extreme(log)
    gone = few | extreme
    smaller = log.without_items(gone)
    if not smaller.rows:
        raise InputError(f"no item has {m} students and both right and wrong answers: there is nothing to learn from")
    seen = np.bincount(log.item, minlength=len(log.items)) > 0
    return smaller, LeftOut(
        extreme=int((extreme & seen & ~few).sum()),
        extreme_rows=int((extreme & ~few)[log.item].sum()),
        few_students=int((few & seen).sum()),
        few_students_rows=int(few[log.item].sum()),
    )


def hidden_items(log: Log, m: int, *, c: float, generator: np.random.Generator) -> Array:
    """Which items stay away though m students had them: a count with noise must reach more than m.

    That an item is there or not is one more number about who was learnt from. A few such numbers about many students
    disclose little; that grows with the root of how many there are for each student, and so does the noise, in standard
    errors of each count.
    """
    return stay_away(students_per_item(log), m, c=c, people=log.lengths.size, generator=generator)


def stay_away(students: Array, m: int, *, c: float, people: int, generator: np.random.Generator) -> Array:
    """The same for anything that `students` of all `people` had each."""
    near = int(((students >= m) & (students < NEAR * m)).sum())
    c = min(c * math.sqrt(near * STUDENTS_PER_ITEM / people), MOST_NOISE)
    noisy = students + c * np.sqrt(students) * generator.standard_normal(students.size)
    kept = math.ceil(LEAST_KEPT * int((students > 0).sum()))
    enough = min(m + min(OFF * c * math.sqrt(m), m), float(np.sort(noisy[students > 0])[-kept]))
    found: Array = (students > 0) & (noisy < enough)
    return found


def students_per_item(log: Log) -> Array:
    pairs = np.unique(log.item.astype(np.int64) * log.lengths.size + log.student)
    return np.bincount(pairs // log.lengths.size, minlength=len(log.items))


def _extreme(log: Log) -> Array:
    right = np.bincount(log.item, weights=log.correct, minlength=len(log.items))
    times = np.bincount(log.item, minlength=len(log.items))
    found: Array = (times > 0) & ((right == 0) | (right == times))
    return found
