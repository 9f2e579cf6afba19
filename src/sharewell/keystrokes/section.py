"""What a plan may say of a file of key events."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from sharewell.plan.audience_limits import Audience, limits_of
from sharewell.plan.sections import Columns, Roster, column, limit, setting, table
from sharewell.plan.sections import Section as Base

UNITS = ("ns", "us", "ms", "s")
EVENTS, PROFILES, COURSE = "events", "profiles", "course"
ABOUT = ("latencies", "holds", "corrections")


@dataclass(frozen=True, kw_only=True)
class Limit:
    """How many typists the strongest attack may find.

    `found` is a share of the students; `times_chance` says the same as a multiple of guessing and is what an
    audience asks for where the plan names no share. `within` is the length of the attacker's list.
    """

    found: float | None = limit(low=0.0, high=1.0, says="the share of students whom the strongest attack may find")
    times_chance: float | None = limit(low=1.0, says="the same as a multiple of what guessing finds")
    within: int | None = setting(low=1, says="how many names the attacker's list holds; ten where nothing is said")
    membership: float | None = limit(
        low=0.5, high=1.0, says="the AUC, at its upper end, of telling who is in profiles or in the means of a course"
    )

    def __post_init__(self) -> None:
        if self.found is not None:  # a share that the plan names stands instead of the audience's multiple
            object.__setattr__(self, "times_chance", None)


@dataclass(frozen=True, kw_only=True)
class Section(Base):
    """One file of key events: who, in which session, which key, pressed when and let go when.

    What is released of it are events, or one row of averages for each student, or those of the whole course.
    """

    kind: ClassVar[str] = "keystrokes"
    used_again: ClassVar[str | None] = "speeds.csv"
    audience_limits: ClassVar[Mapping[Audience, Mapping[str, float]]] = limits_of("keystrokes")

    session: str = column("session", says="which session of typing; sessions of one student are attacked apart")
    key: str = column("key", says="which key: a character, a key's name or a browser's key code")
    press: str = column("press", says="when the key went down")
    release: str | None = column("release", default=None, says="when the key came up")
    week: str | None = column("week", default=None, says="the week of the session; the last week is attacked")
    experience: str | None = column("experience", default=None, says="a two-class column to be inferred from typing")
    unit: str | None = setting(None, one_of=UNITS, says="the unit of the clock, where its numbers do not tell")
    redact_text: bool = setting(True, says="whether names and identifiers typed become a placeholder, as in posts")
    roster: Roster | None = table(None, says="a list of the people of the course, looked for in what was typed")
    recoding: str | None = setting(
        None,
        says="the private speeds.csv of an earlier release: students stay in the classes of speeds that they had, "
        "and as many sessions go by lot; two such releases tell no more than one",
    )
    publish: str = setting(
        EVENTS,
        one_of=(EVENTS, PROFILES, COURSE),
        says="what is released: key events, drawn anew; `profiles`, one row of averages per student, shared by a class "
        "of them; `course`, averages of all students with their intervals",
    )
    about: Columns = setting(
        ABOUT[:1],
        says="what averages are of: `latencies` of the commonest pairs of keys, `holds` of the commonest keys, rates "
        "of `corrections` and errors; the fewer in one file, the less noise",
    )
    digraphs: int = setting(25, low=1, says="how many of the commonest pairs, and of keys, have averages")
    limit: Limit = table(default_factory=Limit, says="how many typists the strongest attack may find")

    @property
    def instead(self) -> str | None:
        return {PROFILES: "averages of typing, one row per student", COURSE: "averages of the course"}.get(self.publish)

    @property
    def uses_again(self) -> bool:
        """Classes and lots drawn anew would come out of several versions."""
        return self.publish == EVENTS and self.recoding is None

    def limits(self) -> dict[str, float]:
        """Leave out what does not apply: the means of a course are nobody's."""
        without = {EVENTS: ("membership",), PROFILES: (), COURSE: ("found", "times_chance")}[self.publish]
        return {name: value for name, value in super().limits().items() if name not in without}

    def problems(self) -> list[str]:
        if unknown := [one for one in self.about if one not in ABOUT]:
            return [f"about: '{unknown[0]}' is not known; use {', '.join(ABOUT)}"]
        if not self.about:
            return [f"about: say what averages are of: {', '.join(ABOUT)}"]
        if self.publish != EVENTS and "holds" in self.about and self.release is None:
            return ["about: holds need the column `release`, when keys came up"]
        if self.publish != EVENTS and self.recoding is not None:
            return [f"recoding is for key events; {self.publish} use nothing of an earlier release"]
        if self.roster is not None and not self.roster.columns:
            return ["name the columns of the roster that hold names or e-mail addresses"]
        return []

    def files(self) -> Mapping[str, Path]:
        return {"roster": self.folder / self.roster.file} if self.roster is not None else {}

    def people(self) -> Mapping[str, Columns]:
        return {"roster": self.roster.columns} if self.roster is not None else {}
