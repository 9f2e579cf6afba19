"""One file of key events under study: opened once, then asked the four questions."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import pyarrow as pa
from ibis.expr.types import Table

from sharewell.contract import Change, Count, Job, Protected, Risk, Utility
from sharewell.data import engine
from sharewell.data.formats.clocks import guess_unit
from sharewell.keystrokes import eventlog
from sharewell.keystrokes.arrays import Array, Typing, session_starts
from sharewell.keystrokes.columns import Columns
from sharewell.keystrokes.eventlog import Events
from sharewell.keystrokes.kind import STRONGEST, THIS_RELEASE
from sharewell.keystrokes.measure import measuring
from sharewell.keystrokes.measure.averaged_rounding import averaging
from sharewell.keystrokes.measure.known_sessions import known_sessions
from sharewell.keystrokes.measure.measuring import Attackers
from sharewell.keystrokes.protection import earlier_speeds, judging
from sharewell.keystrokes.protection.draft import KeySetting, Setting
from sharewell.keystrokes.protection.judging import Original
from sharewell.keystrokes.protection.pasted_text import without_pastes
from sharewell.keystrokes.protection.search import Goal, Search, protected
from sharewell.keystrokes.protection.session_names import renumbered
from sharewell.keystrokes.protection.typed_text import without_names
from sharewell.keystrokes.section import Limit, Section
from sharewell.keystrokes.splits import WAYS
from sharewell.keystrokes.utility.experience import compare_inference
from sharewell.keystrokes.utility.habits import compare, habits
from sharewell.keystrokes.utility.typed_keys import compare_keys

WITHIN = 10
Redact = Callable[[Sequence[str]], list[str]]


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
        """How many typists are found in the data as it stands; the strongest attack stands first."""
        risks = judging.attacked(self.original, None, judging.everyone(self._lists()), WAYS[:1], self.job.seed)
        strongest = replace(judging.strongest(risks, self.within), measure=STRONGEST)
        events, late = self.original.events, self.original.targets["late"]
        rounded = averaging(
            events.typing, events.students, late, self.original.raw["late"], within=[self.within], seed=self.job.seed
        )
        return [strongest, *risks, *rounded]

    def protect(self) -> Protected:
        """Keys exchanged and sessions typed at drawn speeds as far as the limit asks; sessions get new names."""
        search, told = self._search
        names = self._session_names
        done = protected(search, names)
        facts = {
            **done.facts,
            "columns": self.columns.named(),
            "unit": self.columns.unit,
            "within": self.within,
            "found": self.share,
            "gate": gate_of(self.section.limit),
            "seed": self.job.seed,
        }
        setting, students = setting_of(done), self.original.events.students
        speeds = earlier_speeds.table(students, search.material.speeds(setting.classes), setting)
        private = {"sessions": self._named_sessions(), "speeds": speeds}
        return replace(done, facts=facts, changes=(*done.changes, *told), private=private)

    def attack(self, protected: Protected) -> list[Risk]:
        """Every attack, on fresh draws of the setting that was chosen: their mean is held to the limit.

        Beside it stand the strongest attack on the very draw that is released, and what numbers of sessions tell. A
        release is also refused where somebody who will hold later versions of it is sure to find too many.
        """
        search, _ = self._search
        risks = search.judged(setting_of(protected), self._lists())
        worst = judging.strongest(risks, self.within)
        limit: dict[str, Any] = {"gate": gate_of(self.section.limit), "limit": self.share}
        held = replace(worst, measure=STRONGEST, **limit)
        later = replace(search.over_versions(setting_of(protected)), bound="low", **limit)
        released = self._released(protected).typing
        attackers = Attackers(within=self._lists(), seed=self.job.seed)
        by_sessions = known_sessions(self.original.events.typing, released, attackers)
        return [held, later, self._this_release(released), *risks, *by_sessions]

    def utility(self, protected: Protected) -> list[Utility]:
        """Speed, pauses and latencies of groups of digraphs kept, and what was typed; a two-class column inferred."""
        before, after = self.original.events, self._released(protected)
        kept = [*compare(habits(before), habits(after)), *compare_keys(before, after)]
        if self.section.experience is None:
            return kept
        classes = _classes(self.job.source, self.columns.student, self.section.experience)
        return [*kept, *compare_inference(before, after, classes, seed=self.job.seed)]

    def _lists(self) -> list[int]:
        return sorted({1, min(5, self.within), self.within})

    @cached_property
    def _search(self) -> tuple[Search, tuple[Change, ...]]:
        """What may be released, without pasted text and names, ready to be protected; and what was taken out."""
        source, told = self._releasable()
        goal = Goal(found=self.share, within=self.within, seed=self.job.seed)
        events, again = eventlog.load(source, self.columns), self.section.recoding
        earlier = None if again is None else earlier_speeds.read(self.section.folder / again)
        return Search(self.original, events, goal, self.job.keyed, earlier), told

    @cached_property
    def _session_names(self) -> Array:
        events = self.original.events
        owner = events.typing.student[session_starts(events.typing.session)[:-1]]
        taken = [*events.sessions.tolist(), *map(str, events.students.tolist())]
        return renumbered(owner, taken, self.job.keyed.generator("sessions"))

    def _named_sessions(self) -> pa.Table:
        """Which session became which, for the private folder."""
        events = self.original.events
        owner = events.students[events.typing.student[session_starts(events.typing.session)[:-1]]]
        names = {"student": owner, "session": events.sessions, "released_as": self._session_names}
        return pa.table({name: pa.array([str(one) for one in values]) for name, values in names.items()})

    def _released(self, protected: Protected) -> Events:
        """What is released, its sessions in the order of the original's."""
        private = engine.table(protected.private["sessions"])
        student, session = self.columns.student, self.columns.session
        named = private.select(
            **{engine.fresh(protected.table.columns, "whose"): private.student,
               engine.fresh(protected.table.columns, "named"): private.released_as,
               engine.fresh(protected.table.columns, "was"): private.session}
        )  # fmt: skip
        whose, new, was = named.columns
        # computed first: an engine that reorders joins would bring together all students' first, second … sessions
        table = engine.materialise(protected.table.mutate(**{whose: protected.table[student].cast("string")}))
        joined = table.inner_join(named, [table[whose] == named[whose], table[session] == named[new]])
        return eventlog.load(joined.mutate(**{session: joined[was]}).select(*protected.table.columns), self.columns)

    def _this_release(self, released: Typing) -> Risk:
        panel = judging.without_slow([self.within])
        risks = judging.attacked(self.original, released, panel, WAYS, self.job.seed)
        return replace(judging.strongest(risks, self.within), measure=THIS_RELEASE)

    def _releasable(self) -> tuple[Table, tuple[Change, ...]]:
        """Text that was pasted is no key; names that were typed are taken out, and if they stay the report says so."""
        key = (self.section.key,)
        source = self.job.source.drop(*self.section.direct, *self.section.drop)
        source, pastes = without_pastes(source, self.section.key)
        what, why = "cells that hold text instead of a key became a placeholder", "pasted text can say anything"
        pasted = Change(columns=key, action="redacted", detail=what, reason=why, cells=Count(pastes))
        told = (pasted,) if pastes else ()
        if not self.section.redact_text:
            what = "NOT looked through for names: what was typed is released as it is, where it is released"
            why = "the plan says redact_text = false; whoever reads the keys reads the names typed into them"
            return source, (*told, Change(columns=key, action="untouched", detail=what, reason=why))
        table, keys = without_names(source, self.columns, redaction(self.job))
        what = "names and identifiers typed replaced by a placeholder, key by key"
        why = "they tell who typed, or of whom"
        return table, (*told, Change(columns=key, action="redacted", detail=what, reason=why, cells=Count(keys)))


def open(job: Job) -> Study:
    """The file prepared once, ready for the four questions."""
    section: Section = job.section
    columns = _columns(job)
    events = eventlog.load(job.source, columns)
    eventlog.at_least_two_students(events)
    within, share = bound(section.limit, len(events.students))
    return Study(job, section, columns, judging.original(events, job.seed), within, share)


def redaction(job: Job) -> Redact:
    """The redaction of free text, with the people of the course."""
    from sharewell.text.redact import redact_texts

    return lambda texts: redact_texts(texts, job.people)


def setting_of(done: Protected) -> Setting:
    """The setting that a protected file says it was drawn with."""
    keys = KeySetting(exchanged=float(done.facts["exchanged"]), any_size=bool(done.facts["any_size"]))
    return Setting(keys=keys, classes=int(done.facts["classes"]), stray=float(done.facts["stray"]))


def gate_of(limit: Limit) -> str:
    return "found" if limit.found is not None else "times_chance"


def bound(limit: Limit, students: int) -> tuple[int, float]:
    """The length of the attacker's list and the share that may be found on it."""
    within = measuring.list_length(limit.within or WITHIN, students)
    if limit.found is not None:
        return within, limit.found
    return within, min(1.0, (limit.times_chance or 1.0) * within / students)


def _columns(job: Job) -> Columns:
    """The columns with the unit of the original clock: times that begin at zero no longer tell it."""
    section: Section = job.section
    return Columns(
        student=section.student,
        session=section.session,
        key=section.key,
        press=section.press,
        release=section.release,
        week=section.week,
        unit=section.unit or guess_unit(job.source, section.press),
    )


def _classes(source: Table, student: str, column: str) -> dict[str, str]:
    """The class of every student who has one."""
    known = source.filter(source[column].notnull())
    rows = engine.arrow(
        known.group_by(student=known[student].cast("string")).agg(value=known[column].cast("string").max())
    )
    return dict(zip(rows["student"].to_pylist(), rows["value"].to_pylist(), strict=True))
