"""The grammar of time windows, for plans and for kernels alike: from a second to months, and the recurring ones."""

import re
from dataclasses import dataclass

from sharewell.errors import InputError

DAY = 86_400
SECONDS = {"s": 1, "min": 60, "h": 3_600, "d": DAY, "w": 7 * DAY}
RECURRING = ("hour-of-day", "weekday")
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
        """The second at which one of the windows starts."""
        whole_weeks = self.unit == "w" or (self.unit == "d" and self.count % 7 == 0)
        return MONDAY if whole_weeks else 0


def parse(text: "str | Window") -> Window:
    """'1min', '15min', '1d', '1w', '1mo', 'hour-of-day', 'weekday', 'iso-week' …"""
    if isinstance(text, Window):
        return text
    if text == "iso-week":
        return Window(1, "w")
    if text in RECURRING:
        return Window(1, text)
    found = re.fullmatch(r"(\d*)\s*(s|min|h|d|w|mo)", text)
    window = Window(int(found[1] or 1), found[2]) if found else None
    if window is None or window.count == 0:
        raise InputError(
            f"'{text}' is not a time window: write for instance 1s, 15min, 1h, 1d, 1w, 1mo, "
            "hour-of-day, weekday or iso-week"
        )
    if window.unit == "mo" and 12 % window.count:
        raise InputError(f"a window of {window.count} months does not divide the year: take 1, 2, 3, 4, 6 or 12")
    return window


def parse_length(text: "str | Window") -> int:
    """The seconds of a window whose length is fixed: months and recurring windows have none."""
    window = parse(text)
    if window.seconds is None:
        raise InputError(f"'{window.label}' has no fixed length: write for instance 30s, 15min, 1h, 1d or 1w")
    return window.seconds
