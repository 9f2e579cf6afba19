"""A scale for a chart: where a number lies, and which numbers to write along it."""

import math
from collections.abc import Iterable
from dataclasses import dataclass

WIDE = 40  # numbers that lie further apart than this need a logarithmic scale to stand apart
TINY = 1e-9  # on a chart, as good as zero
ROOM = 0.05  # of a tight scale, left free at both ends


@dataclass(frozen=True, kw_only=True)
class Axis:
    """A linear or logarithmic scale from `low` to `high`; positions run from 0 to 100."""

    low: float
    high: float
    log: bool = False

    def at(self, value: float) -> float:
        """Return where a number lies; on a log scale zero stands at the end."""
        if self.log:
            value = max(value, self.low)
            position = math.log(value / self.low) / math.log(self.high / self.low)
        else:
            position = (value - self.low) / (self.high - self.low)
        return round(100 * min(1.0, max(0.0, position)), 2)

    def ticks(self) -> list[float]:
        if self.log:
            first, last = round(math.log10(self.low)), round(math.log10(self.high))
            every = max(1, math.ceil((last - first) / 5))
            return [10.0**power for power in range(first, last + 1, every)]
        step = _step((self.high - self.low) / 6)
        first, last = math.ceil(self.low / step - 1e-9), math.floor(self.high / step + 1e-9)
        return [round(count * step, 12) for count in range(first, last + 1)]


def from_zero(numbers: Iterable[float | None], *, share: bool) -> Axis:
    """Make a scale for risks, from zero or in powers of ten where they lie far apart."""
    known = _finite(numbers)
    positive = [value for value in known if value > TINY]
    if positive and max(positive) / min(positive) > WIDE:
        low = 10.0 ** math.floor(math.log10(min(positive)))
        return Axis(low=low, high=10.0 ** math.ceil(math.log10(max(positive))), log=True)
    top = max(positive, default=1.0)
    if share and top > 0.6:
        return Axis(low=0.0, high=1.0)
    step = _step(top / 4)
    return Axis(low=0.0, high=step * math.ceil(top * 1.05 / step))


def around(numbers: Iterable[float | None]) -> Axis:
    """For usefulness: the stretch that the numbers cover, with a little room."""
    known = _finite(numbers) or [0.0, 1.0]
    low, high = min(known), max(known)
    span = high - low
    if span <= 1e-6 * max(abs(low), abs(high), 1e-3):
        span = max(abs(high), 1.0) * 0.2
    return Axis(low=low - ROOM * span, high=high + ROOM * span)


def _finite(numbers: Iterable[float | None]) -> list[float]:
    return [value for value in numbers if value is not None and math.isfinite(value)]


def _step(rough: float) -> float:
    """Round up to 1, 2 or 5 times a power of ten."""
    power = 10.0 ** math.floor(math.log10(rough))
    return next(factor * power for factor in (1, 2, 5, 10) if factor * power >= rough * (1 - 1e-9))
