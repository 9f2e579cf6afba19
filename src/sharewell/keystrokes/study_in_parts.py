"""A file of key events that is not held whole, asked the four questions part by part (see `parts`)."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial

import pyarrow as pa

from sharewell.contract import Change, Count, Job, Protected, Risk, Utility
from sharewell.data import engine
from sharewell.keystrokes.columns import Columns, canonical
from sharewell.keystrokes.eventlog import Events
from sharewell.keystrokes.kind import AMONG_GIVERS, OVER_VERSIONS, STRONGEST
from sharewell.keystrokes.measure.known_sessions import known_sessions
from sharewell.keystrokes.measure.measuring import Attackers
from sharewell.keystrokes.parts import FIRST, Parts, Roster, parted, roster
from sharewell.keystrokes.protection import earlier_speeds, judging, versions
from sharewell.keystrokes.protection.in_parts import (
    Basis,
    Request,
    chosen_basis,
    loaded,
    material_of,
    protected_in_parts,
)
from sharewell.keystrokes.protection.judging import Original, Panel
from sharewell.keystrokes.protection.search import USUAL_DRAWS, Choice, Goal
from sharewell.keystrokes.releasing import (
    bound,
    columns_of,
    facts_of,
    held,
    lists,
    releasable,
    released_events,
    risks_before,
    uses_kept,
)
from sharewell.keystrokes.section import Section
from sharewell.keystrokes.splits import WAYS
from sharewell.stats.intervals import wilson

MOST_JUDGED = 8  # parts whose students are looked for, those of one part among each other
WATCHED = 1  # the part on which the file as it stands and its uses are measured: it chose nothing


@dataclass(frozen=True, kw_only=True)
class StudyInParts:
    """The original in parts on disk, and what the plan holds the release to."""

    job: Job
    section: Section
    columns: Columns
    roster: Roster
    original: Parts

    def before(self) -> list[Risk]:
        """How many typists are found in the data as it stands, among those of one part."""
        original = self._original(WATCHED)
        students = len(original.events.students)
        within, _ = bound(self.section.limit, students)
        risks = risks_before(original, within, self.job.seed)
        return [replace(one, setting={**one.setting, "students drawn": Count(students)}) for one in risks]

    def protect(self) -> Protected:
        """Keys exchanged and sessions typed at drawn speeds as far as the limit asks; sessions get new names."""
        request, told = self._request
        choice, basis = self._chosen
        done = protected_in_parts(request, choice, basis)
        facts = facts_of(done, self.job, self.columns, *bound(self.section.limit, len(self.roster.names)))
        speeds = earlier_speeds.table(self.roster.names, basis.speeds, basis.setting)
        private = {**done.private, "speeds": speeds}
        return replace(done, facts=facts, changes=(*done.changes, *told), private=private)

    def attack(self, protected: Protected) -> list[Risk]:
        """Every attack on the finished rows, part by part: their mean over parts and ways is held to the limit.

        Students are looked for among those of their part, who are fewer than all, and are found there more often. The
        way was chosen on those who stand for all: they are looked for apart, and a release is refused where they, or
        anybody by several versions, are surely found too often.
        """
        within, _ = self._bound
        panel = judging.without_slow(lists(within))
        longer = self._among_first(within)
        panels = {**dict.fromkeys(self._judged, panel), WATCHED: judging.everyone(lists(within))}
        panels[FIRST] = judging.without_slow(lists(longer))
        found = self.seen(protected, panels).found(panels)
        risks = over_parts([found[part] for part in self._judged])
        limit = self.section.limit
        judged = held(risks, within, limit, STRONGEST)
        givers = held(over_parts([found[FIRST]]), longer, limit, AMONG_GIVERS, "low")
        later = held(self._over_versions(within), within, limit, OVER_VERSIONS, "low")
        return [judged, givers, later, *risks]

    def seen(self, protected: Protected, parts: Iterable[int]) -> "Seen":
        """The finished rows of some parts, beside the original."""
        return Seen(
            original=self.original,
            released=parted(protected.table, self.columns.student, self.roster.only(parts)),
            sessions=protected.private["sessions"],
            columns=self.columns,
            seed=self.job.seed,
        )

    def utility(self, protected: Protected) -> list[Utility]:
        """What an analyst can still learn, measured on the students of one part."""
        before = loaded(self.original, WATCHED, self.columns)
        after = self.seen(protected, [WATCHED]).after(WATCHED)
        drawn = {"students drawn": Count(len(before.students))}
        return [replace(one, setting={**one.setting, **drawn}) for one in uses_kept(self.job, before, after)]

    @property
    def _judged(self) -> range:
        return range(WATCHED, min(self.roster.parts, WATCHED + MOST_JUDGED))

    @property
    def _bound(self) -> tuple[int, float]:
        """A list that is short enough for the smallest part, and the share that may be found in the largest."""
        limit, sizes = self.section.limit, [self.roster.students(part) for part in self._judged]
        within, _ = bound(limit, min(sizes))
        return within, bound(replace(limit, within=within), max(sizes))[1]

    def _among_first(self, within: int) -> int:
        """A list that holds the same share of those who stand for all as another one of the students of a part.

        They are more, and fewer of them are found on a list of the same length: a choice by that would be refused.
        """
        smallest = min(self.roster.students(part) for part in self._judged)
        return -(-within * self.roster.students(FIRST) // smallest)

    @cached_property
    def _request(self) -> tuple[Request, tuple[Change, ...]]:
        """What may be released, without pasted text and names, in the same parts; and what was taken out."""
        table, told = releasable(self.job, self.columns)
        within, share = self._bound
        again = self.section.recoding
        request = Request(
            original=self.original,
            releasable=parted(table, self.columns.student, self.roster),
            roster=self.roster,
            columns=self.columns,
            goal=Goal(found=share, within=self._among_first(within), seed=self.job.seed),
            keyed=self.job.keyed,
            earlier=None if again is None else earlier_speeds.read(self.section.folder / again),
        )
        return request, told

    @cached_property
    def _chosen(self) -> tuple[Choice, Basis]:
        return chosen_basis(self._request[0])

    def _original(self, part: int) -> Original:
        return judging.original(loaded(self.original, part, self.columns), self.job.seed)

    def _over_versions(self, within: int) -> list[Risk]:
        """What somebody finds who holds several versions of the rows of one part."""
        request, (_, basis) = self._request[0], self._chosen
        made = material_of(request.roster, basis, loaded(request.releasable, WATCHED, self.columns))
        draws = [self.job.keyed.generator(f"versions:{one}") for one in range(USUAL_DRAWS)]
        return versions.found(self._original(WATCHED), made, basis.setting, draws, within)


@dataclass(frozen=True, kw_only=True)
class Seen:
    """Finished rows in parts beside the original: what is attacked, by whoever has room for a part."""

    original: Parts
    released: Parts
    sessions: pa.Table
    columns: Columns
    seed: int

    def after(self, part: int) -> Events:
        return released_events(self.released.table(part), self.sessions, self.columns, self.released.row)

    def found(self, panels: Mapping[int, Panel]) -> dict[int, list[Risk]]:
        """What is found in every part by the attacks of its panel."""
        told = engine.answers(engine.workers(), partial(_attacked, self), list(panels.items()))
        return dict(zip(panels, told, strict=True))


def _attacked(seen: Seen, task: tuple[int, Panel]) -> list[Risk]:
    """One part, by each way of parting sessions; and what numbers of sessions tell."""
    part, panel = task
    original = judging.original(loaded(seen.original, part, seen.columns), seen.seed)
    typing = seen.after(part).typing
    sessions = known_sessions(original.events.typing, typing, Attackers(within=panel.within, seed=seen.seed))
    return [*judging.attacked(original, typing, panel, WAYS, seen.seed), *sessions]


def over_parts(found: Sequence[Sequence[Risk]]) -> list[Risk]:
    """The mean of every attack over parts and ways, told with the number of parts that saw it."""
    means = judging.averaged(found)  # of the one draw that is released: what it calls draws are parts and ways
    plain = [replace(one, setting={key: cell for key, cell in one.setting.items() if key != "draws"}) for one in means]
    seen = Counter(attack for part in found for attack in {judging.attack_of(one) for one in part})
    return [_as_of_students(one, seen[judging.attack_of(one)]) for one in plain]


def _as_of_students(risk: Risk, parts: int) -> Risk:
    """With an interval no narrower than so many students leave: ways of parting sessions look at the same ones."""
    told = replace(risk, setting={**risk.setting, "parts": parts})
    if not judging.found(risk) or risk.low is None or risk.high is None:
        return told
    students = risk.n * parts
    low, high = wilson(risk.value * students, students)
    return replace(told, low=min(low, risk.low), high=max(high, risk.high))


def open_in_parts(job: Job) -> StudyInParts:
    columns = columns_of(job)
    canonical(job.source, columns)  # says what is missing, before parts are made
    students = roster(job.source, columns.student, job.keyed)
    original = parted(job.source, columns.student, students)
    return StudyInParts(job=job, section=job.section, columns=columns, roster=students, original=original)
