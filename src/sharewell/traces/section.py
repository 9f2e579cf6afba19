"""What a plan may say about a log of events."""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import ClassVar, Self

from sharewell.errors import InputError
from sharewell.plan.audience_limits import Audience, limits_of
from sharewell.plan.sections import Columns, column, columns, limit, setting, table
from sharewell.plan.sections import Section as BaseSection
from sharewell.plan.windows import parse, parse_length
from sharewell.traces.before_2026_12 import RETIRED_KEYS

METHODS = ("search", "groups", "features", "synthetic")
PROMISES = ("company", "points")
POINTS, INVENTED = (
    ("unicity", "guess", "exposed"),
    ("membership", "tpr", "guess"),
)  # limits where company is not promised


@dataclass(frozen=True, kw_only=True)
class Limit:
    """The limits of a log; `known` is how many points an attacker knows."""

    k: int | None = limit(low=2, high=1000, says="How many students must have identical rows, kept columns included.")
    unicity: float | None = limit(
        low=0, high=1, says='`promise = "points"`: the largest share of students whom `known` points may single out.'
    )
    guess: float | None = limit(
        low=0, high=1, says='How often naming a student may be right, on average; raises k unless `promise = "points"`.'
    )
    exposed: float | None = limit(low=0, high=1, says="The same for the student who is most exposed.")
    membership: float | None = limit(
        low=0.5,
        high=1,
        says="Invented students: how well the strongest attack may tell who was learnt from (AUC; 0.5 is guessing).",
    )
    tpr: float | None = limit(
        low=0,
        high=1,
        says="Invented students: the share of those learnt from that may be found when one in a hundred others is.",
    )
    inference: float | None = limit(
        low=0, high=1,
        says="How much oftener a kept column may be read off those who look alike than with their rows left out.",
    )  # fmt: skip
    known: int = setting(4, low=1, high=50, says="How many points of a student's log an attacker knows.")


@dataclass(frozen=True, kw_only=True)
class Section(BaseSection):
    """Timestamped events: one row per click, statement, view or attempt."""

    kind: ClassVar[str] = "traces"
    withheld: ClassVar[Columns] = ("direct", "drop", "ids")  # a number of a row would tell its student
    used_again: ClassVar[str | None] = "groups.csv"
    retired: ClassVar[Mapping[str, str]] = RETIRED_KEYS
    audience_limits: ClassVar[Mapping[Audience, Mapping[str, float]]] = limits_of("traces")

    at: str = column("time", says="The column that tells when an event happened.")
    quasi: Columns = columns("quasi", says="What else someone may know of an event: verb, device, item.")
    target: str | None = field(
        default=None,
        metadata={"mention": True, "many": False, "says": "A kept column with an outcome that analysts predict."},
    )
    sensitive: Columns | None = field(
        default=None,
        metadata={
            "mention": True,
            "many": True,
            "says": "The kept columns that nobody should learn of a student; all of them if not given, and `[]` says "
            "that none is: groups may then be formed within an outcome.",
        },
    )
    group: str | None = field(
        default=None,
        metadata={"mention": True, "many": False, "says": "A kept column with the course or language of an event."},
    )
    promise: str = setting(
        "company",
        one_of=PROMISES,
        says="What is promised: company (identical rows for k students: nobody stands out, whatever is known), or "
        "points (the weaker limit on unicity: who knows more than `known` points is not covered).",
    )
    unknowable: Mapping[str, str] = table(
        default_factory=dict,
        says="Kept columns that nobody can know, each with the reason in writing; the others count as known.",
    )
    method: str | None = setting(
        one_of=METHODS,
        says="How to protect: search (less detail), groups (like students share rows), features (one row per student, "
        "the same for k of them), or synthetic (students are invented); the better one of search and groups if not "
        "given.",
    )
    group_size: int | None = setting(low=2, high=1000, says="Raises `limit.k`, as plans of version 0.1 wrote it.")
    recoding: str | None = setting(
        says="The private groups.csv of an earlier release: students stay in the groups that they had, newcomers form "
        "groups of their own; two such releases cannot be intersected."
    )
    m: int = setting(
        5, low=2, says="Invented students: how many real ones must share every verb, step and size of a session."
    )
    noise: float | None = setting(
        low=0,
        high=100,
        says="Invented students: noise on every number that is learnt, in sampling errors; the least that meets the "
        "limits if not given.",
    )
    students: int | None = setting(low=1, says="How many students to invent; as many as the log has if not given.")
    control: float = setting(
        0.2, low=0.1, high=0.5, says="Invented students: the share of real ones never learnt from, only compared with."
    )
    repeats: int | None = setting(
        low=1,
        high=200,
        says="Invented students: fits and attacks that are averaged; enough for a steady number if not given.",
    )
    rows_without_time: str = setting(
        "refuse", one_of=("refuse", "drop"), says="What to do with events that have no time."
    )
    window: str | None = setting(says="The time resolution to release, such as 1d or 1w; searched for if not given.")
    shift_weeks: int = setting(0, low=0, high=52, says="Move each student's calendar by up to so many weeks.")
    jitter: str | None = setting(says="Move times by at most this, such as 15min, keeping their order.")
    timezone: str | None = setting(says="Where the students live, such as Europe/Vienna: days and weeks begin there.")
    limit: Limit = table(default_factory=Limit, says="Bounds on risk; the audience sets what is not given.")

    @property
    def uses_again(self) -> bool:
        """Groups formed anew could be intersected with those of the release before."""
        return self.recoding is None and self.method in (None, "groups", "features")

    @property
    def k(self) -> int:
        """How many students must have identical rows; limits on guesses ask for as many as make them rare enough."""
        guesses = [bound for bound in (self.limit.guess, self.limit.exposed) if bound]
        return max(self.limit.k or 2, self.group_size or 2, *(math.ceil(1 / bound - 1e-9) for bound in guesses))

    @property
    def promises_company(self) -> bool:
        return self.promise == "company" and self.method != "synthetic"

    @property
    def may_be_read(self) -> Columns:
        """The kept columns that nobody should read off a group."""
        if self.sensitive is not None:
            return self.sensitive
        return tuple(name for name in self.keep if name != self.group)

    def for_audience(self, audience: Audience) -> Self:
        """Where company is promised, limits that the plan itself states raise k; the audience states k alone."""
        filled = super().for_audience(audience)
        if not self.promises_company:
            return filled
        return filled.held_to(**{name: getattr(self.limit, name) for name in POINTS})

    def limits(self) -> dict[str, float]:
        """The limits of what is promised."""
        if self.promises_company:
            read = {"inference": self.limit.inference} if self.may_be_read else {}
            return {"k": self.k, **{name: value for name, value in read.items() if value is not None}}
        promised = INVENTED if self.method == "synthetic" else POINTS
        return {name: value for name, value in super().limits().items() if name in promised}

    def _of_real_rows(self) -> list[str]:
        return [name for name in ("peers", "group_size", "recoding", "shift_weeks", "jitter") if getattr(self, name)]

    def problems(self) -> list[str]:
        found = [f"unknowable: '{name}' is not a kept column" for name in self.unknowable if name not in self.keep]
        found += [f"sensitive: '{name}' is not a kept column" for name in self.sensitive or () if name not in self.keep]
        unsaid = [name for name, reason in self.unknowable.items() if not reason.strip()]
        found += [f"unknowable: say why nobody can know '{name}'" for name in unsaid]
        if self.method == "synthetic":
            found += [f"{name}: invented students have none; leave it out" for name in self._of_real_rows()]
            if self.window in ("hour-of-day", "weekday"):
                found.append(f"window: invented students need a calendar, not '{self.window}'")
        if self.method == "features" and self.window:
            found.append("window: a table of features has none; leave it out")
        if self.promise == "points" and self.method in ("groups", "features", "synthetic"):
            found.append(
                'promise = "points": only the search (less detail) can promise less than company; leave it out'
            )
        if self.recoding and self.method == "search":
            found.append('recoding: groups of an earlier release are used again by method = "groups"')
        return [*found, *_refused("window", self.window, parse), *_refused("jitter", self.jitter, parse_length)]


def _refused(name: str, given: str | None, read: Callable[[str], object]) -> list[str]:
    """What the grammar of windows says against a setting."""
    if given is None:
        return []
    try:
        read(given)
    except InputError as error:
        return [f"{name}: {error}"]
    return []
