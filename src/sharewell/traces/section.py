"""What a plan may say about a log of events."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar

from sharewell.plan.sections import Audience, Columns, column, columns, limit, setting
from sharewell.plan.sections import Section as BaseSection

WINDOW = r"[1-9]\d*(s|min|h|d|w|mo)|hour-of-day|weekday|iso-week"
ATTACKERS = ("random", "rare", "classmate", "consecutive", "worst")


@dataclass(frozen=True, kw_only=True)
class Limit:
    """At most this share of the students may be singled out by someone who knows `known` points."""

    unicity: float | None = limit(low=0, high=1)
    known: int = setting(4, low=1, high=50)


@dataclass(frozen=True, kw_only=True)
class Section(BaseSection):
    """Timestamped events: one row per click, statement, view or attempt."""

    kind: ClassVar[str] = "traces"
    audience_limits: ClassVar[Mapping[Audience, Mapping[str, float]]] = {
        "public": {"unicity": 0.02},
        "agreement": {"unicity": 0.05},
        "enclave": {"unicity": 0.20},
    }

    at: str = column("time")
    quasi: Columns = columns("quasi")  # what else someone may know of an event: verb, device, item
    target: str | None = field(default=None, metadata={"mention": True, "many": False})  # an outcome to predict
    group: str | None = field(default=None, metadata={"mention": True, "many": False})  # course or language
    attackers: tuple[str, ...] = setting(("random",))  # the worst of them is held to the limit
    rows_without_time: str = setting("refuse", one_of=("refuse", "drop"))
    window: str | None = setting()  # the time resolution to release; None: searched for
    shift_weeks: int = setting(0, low=0, high=52)  # move each student's calendar by up to so many weeks
    jitter: str | None = setting()  # move times by at most this, keeping their order
    timezone: str | None = setting()  # where the students live: days and weeks begin there
    limit: Limit = field(default_factory=Limit)

    def problems(self) -> list[str]:
        unknown = [name for name in self.attackers if name not in ATTACKERS]
        found = [f"'{name}' is not an attacker: choose from {', '.join(ATTACKERS)}" for name in unknown]
        if not self.attackers:
            found.append("attackers is empty: name at least one, for instance random")
        for name in ("window", "jitter"):
            given = getattr(self, name)
            if given is not None and not re.fullmatch(WINDOW, given):
                found.append(f"{name}: '{given}' is not a time window; write for instance 15min, 1h, 1d or 1w")
        return found
