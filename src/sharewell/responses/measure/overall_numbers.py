"""Numbers of a whole log: its learning curve, how able and how alike students are, and whether long logs are better.

They are few and so exact that even much noise on every item leaves them: one number that follows its members closely
discloses as much as many that hardly do. Every number is a mean of values that rows or students have.
"""

from dataclasses import dataclass

import numpy as np

from sharewell.responses.log import Log
from sharewell.responses.practice_counts import attempts_before
from sharewell.stats.arrays import Array

ATTEMPTS = 10  # attempts on a skill that are counted one by one; later ones count together
MOMENTS = 5


@dataclass(frozen=True)
class Values:
    """Which number each value belongs to, whose it is, and what it is."""

    number: Array
    student: Array
    value: Array

    def standard(self, centre: Array, spread: Array) -> "Values":
        """The same in units of how values scatter in a population."""
        return Values(self.number, self.student, (self.value - centre[self.number]) / spread[self.number])

    def scatter(self) -> tuple[Array, Array]:
        """Mean and standard deviation of the values of each number."""
        times = np.maximum(np.bincount(self.number, minlength=NUMBERS), 1)
        centre = np.bincount(self.number, weights=self.value, minlength=NUMBERS) / times
        squares = np.bincount(self.number, weights=(self.value - centre[self.number]) ** 2, minlength=NUMBERS)
        return centre, np.where(squares > 0, np.sqrt(squares / times), 1.0)


NUMBERS = MOMENTS + ATTEMPTS + 1


def overall_values(log: Log, ability: Array, skill_of: Array) -> Values:
    """Moments of abilities and lengths over students, and right answers at the first, second … attempt."""
    assert log.correct is not None
    students, length = np.arange(log.lengths.size), np.log(log.lengths)
    length = length - length.mean()
    moments = (ability, ability**2, np.log(log.lengths), length**2, ability * length)
    attempt = np.minimum(attempts_before(log.student, skill_of[log.item]), ATTEMPTS)
    return Values(
        number=np.concatenate([np.repeat(np.arange(MOMENTS), students.size), MOMENTS + attempt]),
        student=np.concatenate([np.tile(students, MOMENTS), log.student.astype(np.int64)]),
        value=np.concatenate([*moments, log.correct.astype(float)]),
    )
