"""What a generator may learn from: items with enough students and a finite difficulty."""

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


def without_scarce_items(log: Log, m: int) -> tuple[Log, LeftOut]:
    """The log without items that have no finite difficulty or too few students."""
    few = students_per_item(log) < m
    extreme = np.zeros_like(few) if log.correct is None else _extreme(log)
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


def students_per_item(log: Log) -> Array:
    pairs = np.unique(log.item.astype(np.int64) * log.lengths.size + log.student)
    return np.bincount(pairs // log.lengths.size, minlength=len(log.items))


def _extreme(log: Log) -> Array:
    right = np.bincount(log.item, weights=log.correct, minlength=len(log.items))
    times = np.bincount(log.item, minlength=len(log.items))
    found: Array = (times > 0) & ((right == 0) | (right == times))
    return found
