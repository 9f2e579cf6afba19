"""Time windows: from a second to months, and the recurring ones (hour of day, weekday)."""

import re
from dataclasses import dataclass
from typing import Any

import ibis
import numpy as np
from ibis.expr.types import IntegerValue, TimestampValue

from sharewell.errors import InputError

DAY = 86_400
SECONDS = {"s": 1, "min": 60, "h": 3_600, "d": DAY, "w": 7 * DAY}
RECURRING = {"hour-of-day": 24, "weekday": 7}
MONDAY = 4 * DAY  # the first Monday after the epoch began: ISO weeks start there (ISO 8601)
COARSENING = ("1s", "1min", "15min", "1h", "1d", "1w", "1mo")  # each a union of the ones before it, months excepted


@dataclass(frozen=True)
class Window:
    """A partition of time. `unit` is s, min, h, d, w, mo, or a recurring one."""

    count: int
    unit: str

    @property
    def label(self) -> str:
        return self.unit if self.recurring else f"{self.count}{self.unit}"

    @property
    def recurring(self) -> bool:
        return self.unit in RECURRING

    @property
    def seconds(self) -> int | None:
        """The length where it is fixed."""
        return self.count * SECONDS[self.unit] if self.unit in SECONDS else None

    @property
    def origin(self) -> int:
        whole_weeks = self.unit == "w" or (self.unit == "d" and self.count % 7 == 0)
        return MONDAY if whole_weeks else 0

    def number(self, moment: TimestampValue) -> IntegerValue:
        """Which window a moment falls into, as a whole number that grows with time; released numbers stay."""
        if moment.type().is_integer():
            return moment.cast("int64")
        if self.unit == "hour-of-day":
            return moment.hour().cast("int64")
        if self.unit == "weekday":
            return moment.day_of_week.index().cast("int64")
        if self.unit == "mo":
            months = (moment.year().cast("int64") - 1970) * 12 + moment.month().cast("int64") - 1
            return months if self.count == 1 else (months / self.count).floor().cast("int64")
        size = self.count * SECONDS[self.unit]
        seconds = moment.epoch_seconds().cast("float64") - self.origin
        return (seconds / size).floor().cast("int64")

    def of_seconds(self, seconds: np.ndarray) -> np.ndarray:
        """The same numbers from whole seconds since the epoch."""
        if self.unit == "hour-of-day":
            return seconds % DAY // SECONDS["h"]
        if self.unit == "weekday":
            return (seconds - MONDAY) // DAY % 7
        if self.unit == "mo":
            return seconds.astype("datetime64[s]").astype("datetime64[M]").astype(np.int64) // self.count
        return (seconds - self.origin) // (self.count * SECONDS[self.unit])

    def start(self, moment: TimestampValue) -> Any:
        """The moment at which the window starts; recurring windows give their number."""
        if self.recurring:
            return self.number(moment)
        if self.unit == "mo":
            return moment.truncate("M") - ibis.interval(months=1) * ((moment.month() - 1) % self.count).cast("int32")
        return moment.bucket(
            ibis.interval(seconds=self.count * SECONDS[self.unit]), offset=ibis.interval(seconds=self.origin)
        )


def parse(text: "str | Window") -> Window:
    """'1min', '15min', '1d', '1w', '1mo', 'hour-of-day', 'weekday', 'iso-week' …"""
    if isinstance(text, Window):
        return text
    if text == "iso-week":
        return Window(1, "w")
    if text in RECURRING:
        return Window(1, text)
    found = re.fullmatch(r"(\d*)\s*(s|min|h|d|w|mo)", text)
    if not found or found[1] == "0":
        raise InputError(
            f"'{text}' is not a time window: write for instance 1s, 15min, 1h, 1d, 1w, 1mo, "
            "hour-of-day, weekday or iso-week"
        )
    window = Window(int(found[1] or 1), found[2])
    if window.unit == "mo" and 12 % window.count:
        raise InputError(f"a window of {window.count} months does not divide the year: take 1, 2, 3, 4, 6 or 12")
    return window
