"""One file of key events under study: opened once, then asked the four questions."""

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from sharewell.contract import Change, Job, Protected, Risk, Utility
from sharewell.keystrokes import eventlog
from sharewell.keystrokes.arrays import Array, Typing, session_starts
from sharewell.keystrokes.columns import Columns
from sharewell.keystrokes.eventlog import Events
from sharewell.keystrokes.kind import OVER_VERSIONS, STRONGEST, THIS_RELEASE
from sharewell.keystrokes.measure.known_sessions import known_sessions
from sharewell.keystrokes.measure.measuring import Attackers
from sharewell.keystrokes.parts import is_large
from sharewell.keystrokes.protection import earlier_speeds, judging
from sharewell.keystrokes.protection.judging import Original
from sharewell.keystrokes.protection.search import Goal, Search, protected
from sharewell.keystrokes.protection.session_names import free_stem, named_sessions, renumbered
from sharewell.keystrokes.releasing import (
    bound,
    columns_of,
    facts_of,
    held,
    lists,
    releasable,
    released_events,
    risks_before,
    setting_of,
    uses_kept,
)
from sharewell.keystrokes.section import Section
from sharewell.keystrokes.splits import WAYS
from sharewell.keystrokes.study_in_parts import StudyInParts, open_in_parts


@dataclass(frozen=True)
class Study:
    """The original as arrays, what attackers know of it, and what the plan holds the release to."""

    job: Job
    section: Section
    columns: Columns
    original: Original
    within: int
    share: float  # that may be found on a list of `within`

    def before(self) -> list[Risk]:
        """How many typists are found in the data as it stands."""
        return risks_before(self.original, self.within, self.job.seed)

    def protect(self) -> Protected:
        """Keys exchanged and sessions typed at drawn speeds as far as the limit asks; sessions get new names."""
        search, told = self._search
        names = self._session_names
        done = protected(search, names)
        facts = facts_of(done, self.job, self.columns, self.within, self.share)
        setting, students = setting_of(done), self.original.events.students
        speeds = earlier_speeds.table(students, search.material.speeds(setting.classes), setting)
        private = {"sessions": named_sessions(self.original.events, names), "speeds": speeds}
        return replace(done, facts=facts, changes=(*done.changes, *told), private=private)

    def attack(self, protected: Protected) -> list[Risk]:
        """Every attack, on fresh draws of the setting that was chosen: their mean is held to the limit.

        Beside it stand the strongest attack on the very draw that is released, and what numbers of sessions tell. A
        release is also refused where somebody who will hold later versions of it is sure to find too many.
        """
        search, _ = self._search
        risks = search.judged(setting_of(protected), lists(self.within))
        over_versions = search.over_versions(setting_of(protected))
        judged = held(risks, self.within, self.section.limit, STRONGEST)
        later = held(over_versions, self.within, self.section.limit, OVER_VERSIONS, "low")
        released = self._released(protected).typing
        attackers = Attackers(within=lists(self.within), seed=self.job.seed)
        by_sessions = known_sessions(self.original.events.typing, released, attackers)
        return [judged, later, self._this_release(released), *risks, *by_sessions]

    def utility(self, protected: Protected) -> list[Utility]:
        """What an analyst can still learn."""
        return uses_kept(self.job, self.original.events, self._released(protected))

    @cached_property
    def _search(self) -> tuple[Search, tuple[Change, ...]]:
        """What may be released, without pasted text and names, ready to be protected; and what was taken out."""
        source, told = releasable(self.job, self.columns)
        goal = Goal(found=self.share, within=self.within, seed=self.job.seed)
        events, again = eventlog.load(source, self.columns), self.section.recoding
        earlier = None if again is None else earlier_speeds.read(self.section.folder / again)
        return Search(self.original, events, goal, self.job.keyed, earlier), told

    @cached_property
    def _session_names(self) -> Array:
        events = self.original.events
        owner = events.typing.student[session_starts(events.typing.session)[:-1]]
        taken = [*events.sessions.tolist(), *map(str, events.students.tolist())]
        chance = self.job.keyed.generator("sessions").random(len(owner))
        return renumbered(owner, chance, free_stem(taken, int(np.bincount(owner).max())))

    def _released(self, protected: Protected) -> Events:
        return released_events(protected.table, protected.private["sessions"], self.columns)

    def _this_release(self, released: Typing) -> Risk:
        panel = judging.without_slow([self.within])
        risks = judging.attacked(self.original, released, panel, WAYS, self.job.seed)
        return replace(judging.strongest(risks, self.within), measure=THIS_RELEASE)


def open(job: Job) -> Study | StudyInParts:
    """The file prepared once, ready for the four questions."""
    return open_in_parts(job) if is_large(job.source, job.section.student) else held_whole(job)


def held_whole(job: Job) -> Study:
    section: Section = job.section
    columns = columns_of(job)
    events = eventlog.load(job.source, columns)
    eventlog.at_least_two_students(events)
    within, share = bound(section.limit, len(events.students))
    return Study(job, section, columns, judging.original(events, job.seed), within, share)
