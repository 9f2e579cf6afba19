"""Where to look in a table of events."""

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class EventColumns:
    """`verb` is the column whose order matters, `order` one that sorts events within a window, where there are any."""

    student: str
    at: str
    verb: str | None = None
    order: str | None = None
