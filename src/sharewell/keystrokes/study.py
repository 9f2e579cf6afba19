"""One file of key events under study: opened once, then asked the four questions, partition by partition."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property, partial

import pyarrow as pa
import pyarrow.compute as pc
from ibis.expr.types import Table

from sharewell.contract import Change, Count, Job, Protected, Risk, Utility
from sharewell.keystrokes.columns import KeyColumns, canonical
from sharewell.keystrokes.eventlog import Events
from sharewell.keystrokes.kind import OVER_VERSIONS, STRONGEST, THIS_RELEASE
from sharewell.keystrokes.measure.known_amounts import known_sessions
from sharewell.keystrokes.measure.measuring import Attackers
from sharewell.keystrokes.partitions import (
    FIRST,
    Partitions,
    StudentPartitions,
    at_least_two_students,
    partitioned,
    roster,
)
from sharewell.keystrokes.profile_study import ProfileStudy
from sharewell.keystrokes.protection import earlier_speeds, judging, search
from sharewell.keystrokes.protection.judging import Original
from sharewell.keystrokes.protection.release import TypingRequest, original_of, protected
from sharewell.keystrokes.protection.search import IdentificationGoal, SettingSearch
from sharewell.keystrokes.releasing import (
    bound,
    columns_of,
    facts_of,
    gated,
    lists,
    releasable,
    released_events,
    risks_before,
    setting_of,
    uses_kept,
)
from sharewell.keystrokes.section import EVENTS, Section
from sharewell.keystrokes.splits import WAYS

MOST_JUDGED = 3  # partitions


@dataclass(frozen=True)
class KeystrokeStudy:
    """The original in partitions, and what the plan holds the release to.

    The setting is chosen on the first partition and judged on fresh draws of others, where there are any. Students are
    looked for among those of their partition, who are fewer than all, and are found there more often.
    """

    job: Job
    section: Section
    columns: KeyColumns
    roster: StudentPartitions
    original: Partitions

    def before(self) -> list[Risk]:
        """How many typists are found in the data as it stands."""
        return self._sampled(risks_before(self._watched, self._bound[0], self.job.seed))

    def protect(self) -> Protected:
        """Keys exchanged and sessions typed at drawn speeds as far as the limit asks; sessions get new names."""
        request, told = self._request
        done = protected(request)
        facts = facts_of(done, self.job, self.columns, *bound(self.section.limit, len(self.roster.names)))
        setting = setting_of(done)
        speeds = earlier_speeds.table(self.roster.names, request.speeds(setting), setting)
        private = {**done.private, "speeds": speeds}
        return replace(done, facts=facts, changes=(*done.changes, *told), private=private)

    def attack(self, protected: Protected) -> list[Risk]:
        """Every attack, on fresh draws of the setting that was chosen; the upper end of their mean decides.

        So does that of attacks on several versions. Beside them stand the strongest attack on the very draw that is
        released, and what numbers of sessions tell.
        """
        setting, (within, _) = setting_of(protected), self._bound
        searches = [partial(self._search, one) for one in self._judged]
        risks = search.judged(searches, setting, lists(within))
        over_versions = self._search(self._judged[0]).over_versions(setting)
        judged = gated(risks, within, self.section.limit, STRONGEST)
        later = gated(over_versions, within, self.section.limit, OVER_VERSIONS)
        released = self._released(protected).typing
        draw = judging.attacked(self._watched, released, judging.without_texts([within]), WAYS, self.job.seed)
        this = replace(judging.strongest(draw, within), measure=THIS_RELEASE)
        attackers = Attackers(within=lists(within), seed=self.job.seed)
        by_sessions = known_sessions(self._watched.events.typing, released, attackers)
        return self._sampled([judged, later, this, *risks, *by_sessions])

    def utility(self, protected: Protected) -> list[Utility]:
        """What an analyst can still learn, measured on the students of one partition."""
        kept = uses_kept(self.job, self._watched.events, self._released(protected))
        return [replace(one, setting={**one.setting, **self._students_drawn}) for one in kept]

    @cached_property
    def _judged(self) -> range:
        """The partitions on which a release is judged: those after the first, or the only one."""
        return range(FIRST + 1, min(self.roster.partitions, FIRST + 1 + MOST_JUDGED)) or range(1)

    @cached_property
    def _bound(self) -> tuple[int, float]:
        """A list that is short enough for the smallest partition, and the share that may be found in the largest."""
        limit, sizes = self.section.limit, self.roster.sizes[[FIRST, *self._judged]]
        within, _ = bound(limit, int(sizes.min()))
        return within, bound(replace(limit, within=within), int(sizes.max()))[1]

    @cached_property
    def _watched(self) -> Original:
        return original_of(self.original, self.columns, self._judged[0], self.job.seed)

    @cached_property
    def _request(self) -> tuple[TypingRequest, tuple[Change, ...]]:
        """What may be released, without pasted text and names, in the same partitions; and what was taken out."""
        table, told = releasable(self.job, self.columns)
        within, share = self._bound
        again = self.section.recoding
        request = TypingRequest(
            original=self.original,
            releasable=partitioned(table, self.columns.student, self.roster),
            roster=self.roster,
            columns=self.columns,
            goal=IdentificationGoal(found=share, within=within, seed=self.job.seed),
            keyed=self.job.keyed,
            watched=(self._judged[0], self._watched),
            earlier=None if again is None else earlier_speeds.read(self.section.folder / again),
        )
        return request, told

    def _search(self, partition: int) -> SettingSearch:
        return self._request[0].search(partition)

    def _released(self, protected: Protected) -> Events:
        """The finished rows of the partition that is watched."""
        if protected.table not in self._finished:  # attacked, and asked for its uses
            sessions = protected.private["sessions"]
            mine = pc.is_in(
                sessions["student"], value_set=pa.array(self._watched.events.students.tolist(), pa.string())
            )
            self._finished[protected.table] = released_events(protected.table, sessions.filter(mine), self.columns)
        return self._finished[protected.table]

    @cached_property
    def _finished(self) -> dict[Table, Events]:
        return {}

    @property
    def _students_drawn(self) -> dict[str, Count]:
        """How many students a figure is about, where it is not about all."""
        if self.roster.partitions == 1:
            return {}
        return {"students drawn": Count(len(self._watched.events.students))}

    def _sampled(self, risks: Iterable[Risk]) -> list[Risk]:
        return [replace(one, setting={**one.setting, **self._students_drawn}) for one in risks]


def open(job: Job) -> KeystrokeStudy | ProfileStudy:
    """The file prepared once, ready for the four questions."""
    columns = columns_of(job)
    canonical(job.source, columns)  # says what is missing, before anything is written
    students = roster(job.source, columns.student, job.keyed)
    at_least_two_students(students, columns.student)
    original = partitioned(job.source, columns.student, students)
    study = KeystrokeStudy if job.section.publish == EVENTS else ProfileStudy
    return study(job, job.section, columns, students, original)
