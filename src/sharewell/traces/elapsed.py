"""Times that count from the start of something instead of naming a day: read as moments, written as numbers again."""

from dataclasses import dataclass

import ibis
from ibis.expr.types import Table

from sharewell.data import engine
from sharewell.plan.windows import MONDAY

EARLIEST_YEAR = 1990  # no log of learners is older: a smaller number counts from a start of its own


@dataclass(frozen=True, kw_only=True)
class ElapsedTime:
    """Seconds or milliseconds since a start; zero is read as a Monday, so that weeks and days begin with it."""

    at: str
    per_second: int

    def read(self, events: Table) -> Table:
        """Moments of 1970 moved to the Monday on which counting begins."""
        return events.mutate(**{self.at: events[self.at] + ibis.interval(seconds=MONDAY)})

    def written(self, released: Table) -> Table:
        """The start of every window as the number that the file would have there; recurring windows stay."""
        if not released[self.at].type().is_timestamp():
            return released
        seconds = released[self.at].epoch_seconds().cast("int64") - MONDAY
        return released.mutate(**{self.at: ibis.greatest(seconds, 0) * self.per_second})

    def as_moments(self, released: Table) -> Table:
        """Written numbers as moments again, for attackers and analysts."""
        moment = (released[self.at] // self.per_second + MONDAY).cast("timestamp")
        return released.mutate(**{self.at: moment})


def elapsed_time(events: Table, at: str, layout: str | None) -> ElapsedTime | None:
    """Whether numbers that the plan calls epochs are too small to name a day of our time."""
    if layout not in ("epoch-s", "epoch-ms"):
        return None
    last = engine.connection().to_pyarrow(events[at].max()).as_py()
    if last is None or last.year >= EARLIEST_YEAR:
        return None
    return ElapsedTime(at=at, per_second=1 if layout == "epoch-s" else 1000)
