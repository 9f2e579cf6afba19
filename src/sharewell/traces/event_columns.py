"""Where to look in a table of events."""

from dataclasses import dataclass

from sharewell.plan.windows import Window


@dataclass(frozen=True, kw_only=True)
class EventColumns:
    """`verb` is the column whose order matters, `order` one that sorts events within a window, where there are any.

    `window` is the resolution of the release; `part` a number of the part that a student is in.
    """

    student: str
    at: str
    verb: str | None = None
    order: str | None = None
    window: Window = Window(1, "d")
    part: str | None = None
