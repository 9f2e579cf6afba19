"""Round numbers between measured ones: a range that ended at a student's own mark would publish that mark."""

from bisect import bisect_left
from collections.abc import Sequence
from decimal import ROUND_FLOOR, Decimal
from functools import cached_property
from itertools import pairwise

END = Decimal("0.05")  # of the span, within which the outermost cuts are sought


class Ranges:
    """What is published for neighbours among the sorted numbers of a column; texts may write one number in two ways."""

    def __init__(self, values: Sequence[str]) -> None:
        self.values = tuple(values)
        self.measured = any(not float(value).is_integer() for value in values)  # more than counts

    def label(self, first: int, last: int) -> str:
        """Whole numbers as they are, measured ones between cuts: half-open, such as `[7.5, 9)`."""
        if first == last:
            return self.values[first]
        if not self.measured:
            return f"[{self.values[first]}, {self.values[last]}]"
        low, high = (bisect_left(self._numbers, Decimal(self.values[place])) for place in (first, last))
        return f"[{self._cuts[low]}, {self._cuts[high + 1]})"

    @cached_property
    def _numbers(self) -> list[Decimal]:
        return sorted({Decimal(value) for value in self.values})

    @cached_property
    def _cuts(self) -> list[str]:
        """A cut before every number and one after the last; each lies in [its cut, the next one)."""
        smallest, largest = self._numbers[0], self._numbers[-1]
        room = max((largest - smallest) * END, abs(largest) * Decimal("1e-9"), Decimal("1e-9"))
        inner = [roundest(low, high) for low, high in pairwise(self._numbers)]
        cuts = (roundest(smallest - room, smallest), *inner, roundest(largest, largest + room))
        return [f"{cut.normalize():f}" for cut in cuts]


def roundest(low: Decimal, high: Decimal) -> Decimal:
    """A number above `low` and at most `high`: a multiple of the largest 1, 2 or 5 times ten to the n that has one."""
    if low >= high:
        raise ValueError("there is no number between equal ones")
    if low < 0 <= high:
        return Decimal(0)
    power = max(abs(low), abs(high)).adjusted() + 1
    while True:
        for factor in (5, 2, 1):
            step = factor * Decimal(10) ** power
            cut = (high / step).to_integral_value(ROUND_FLOOR) * step
            if cut > low:
                return cut
        power -= 1
