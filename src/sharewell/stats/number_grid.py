"""A public grid for numbers: where ranges may end, fixed before anybody looks at a group of students.

Ends are whole or round numbers that would be the same for any table of this scale: neither the smallest nor the largest
value of a group, nor of the table, can be read off them. The outermost cells are open ("under 16", "60 or more") and
begin where at least five students lie beyond (top and bottom coding; Hundepool et al. 2012, §3.4.1), so that a mistyped
number does not stretch the grid.
"""

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import ROUND_FLOOR, Decimal

GUARD = 5  # students beyond the outermost ends, where the table is large enough
SMALL = 5  # in a small table a fifth of it
WIDEST = 4096  # whole numbers further apart than this are not taken one by one
MOST_CELLS = 256  # of a grid for measured numbers
SKEWED = 4  # times further from the middle to the ninth tenth than from the first tenth: steps that grow
GROWING = tuple(Decimal(step) for step in ("1", "1.5", "2", "3", "5", "7"))


@dataclass(frozen=True)
class NumberGrid:
    """`cuts` separate the cells: cell 0 is under the first, cell i from cut i − 1 to below cut i, the last open.

    `first` numbers cell 0 on the endless grid, so that cells which belong together do so in every table.
    """

    cuts: tuple[Decimal, ...]
    first: int
    whole: bool  # whole numbers, one by one

    def cell(self, value: str) -> int:
        return bisect_right(self.cuts, Decimal(value))

    @property
    def cells(self) -> int:
        return len(self.cuts) + 1

    def label(self, low: int, high: int) -> str:
        """What is published for the cells from `low` to `high`."""
        if low == 0 and high == self.cells - 1:
            return "*"
        if low == 0:
            return f"under {_text(self.cuts[high])}"
        if high == self.cells - 1:
            return f"{_text(self.cuts[low - 1])} or more"
        start, end = self.cuts[low - 1], self.cuts[high]
        if not self.whole:
            return f"[{_text(start)}, {_text(end)})"
        return _text(start) if end - start == 1 else f"[{_text(start)}, {_text(end - 1)}]"


def make_grid(values: Sequence[str], counts: Sequence[float]) -> NumberGrid:
    """The grid for a column: its scale is taken from where the bulk of the students lies."""
    numbers = sorted(zip((Decimal(value) for value in values), counts, strict=True))
    rows = sum(counts)
    guard = max(1, min(GUARD, rows // SMALL))
    low, high = _beyond(numbers, guard), _beyond(numbers[::-1], guard)
    low, high = min(low, high), max(low, high)
    whole = all(number == number.to_integral_value() for number, _ in numbers)
    if whole and high - low <= min(WIDEST, 8 * len(numbers)):
        return _by_ones(int(low), int(high))
    middle, ninth = _beyond(numbers, rows / 2), _beyond(numbers, 0.9 * rows)
    if numbers[0][0] >= 0 and ninth - middle > SKEWED * (middle - _beyond(numbers, 0.1 * rows)):
        return _growing(low, high, whole)
    return _even(low, high, whole)


def _beyond(numbers: Sequence[tuple[Decimal, float]], students: float) -> Decimal:
    """The value that this many students reach, counted from the first."""
    seen = 0.0
    for number, count in numbers:
        seen += count
        if seen >= students:
            return number
    return numbers[-1][0]


def _by_ones(low: int, high: int) -> NumberGrid:
    """A cell for every whole number from `low`, with all below it, to `high`, with all above it.

    Scales such as 1 to 5 are paired from one, everything else from zero.
    """
    cuts = tuple(Decimal(number) for number in range(low + 1, high + 1))
    return NumberGrid(cuts, low - (low == 1), whole=True)


def _even(low: Decimal, high: Decimal, whole: bool) -> NumberGrid:
    """Multiples of a round step: the smallest 1, 2 or 5 times ten to the n that leaves few enough cells."""
    step = _step(max(high - low, abs(high) * Decimal("1e-9"), Decimal("1e-9")) / MOST_CELLS)
    if whole and step < 1:
        step = Decimal(1)
    first, last = ((end / step).to_integral_value(ROUND_FLOOR) for end in (low, high))
    steps = (step * number for number in range(int(first) + 1, int(last) + 1))
    cuts = tuple(cut for cut in steps if cut < high)
    return NumberGrid(cuts, int(first), whole=False)


def _step(least: Decimal) -> Decimal:
    power = Decimal(10) ** least.adjusted()
    return next(factor * power for factor in (1, 2, 5, 10) if factor * power >= least)


def _growing(low: Decimal, high: Decimal, whole: bool) -> NumberGrid:
    """1, 1.5, 2, 3, 5, 7, 10, 15 …: steps that grow with the number, for columns where few have much."""
    least = max(low, high / 10**6, Decimal("1e-9"))
    start, stop = least.adjusted(), high.adjusted() + 1
    series = [factor * Decimal(10) ** power for power in range(start, stop + 1) for factor in GROWING]
    if whole:
        series = [number for number in series if number == number.to_integral_value()]
    below = sum(number <= low for number in series)
    cuts = tuple(number for number in series if low < number < high)
    return NumberGrid(cuts, below, whole=False)


def _text(number: Decimal) -> str:
    return f"{number.normalize():f}"
