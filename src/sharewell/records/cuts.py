"""Round numbers between measured ones: a range that ended at a student's own mark would publish that mark."""

from collections.abc import Sequence
from decimal import ROUND_FLOOR, Decimal
from functools import lru_cache
from itertools import pairwise

END = Decimal("0.05")  # of the span, within which the outermost cuts are sought


def range_label(values: Sequence[str], first: int, last: int) -> str:
    """The half-open range around some neighbours of the sorted values, such as `[7.5, 9)`."""
    cuts = _cuts(tuple(values))
    return f"[{cuts[first]}, {cuts[last + 1]})"


def are_measured(values: Sequence[str]) -> bool:
    """Whether the numbers are more than counts: some have decimals."""
    return any(not float(value).is_integer() for value in values)


@lru_cache(maxsize=256)
def _cuts(values: tuple[str, ...]) -> list[str]:
    """A cut before every value and one after the last; each value lies in [its cut, the next one)."""
    numbers = [Decimal(value) for value in values]
    room = max((numbers[-1] - numbers[0]) * END, abs(numbers[-1]) * Decimal("1e-9"), Decimal("1e-9"))
    ends = roundest(numbers[0] - room, numbers[0]), roundest(numbers[-1], numbers[-1] + room)
    inner = [roundest(low, high) for low, high in pairwise(numbers)]
    return [f"{cut.normalize():f}" for cut in (ends[0], *inner, ends[1])]


def roundest(low: Decimal, high: Decimal) -> Decimal:
    """A number above `low` and at most `high`: a multiple of the largest 1, 2 or 5 times ten to the n that has one."""
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
