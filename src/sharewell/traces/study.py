"""One log under study: read once, then asked the four questions."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from ibis.expr.types import Table

from sharewell.contract import Job, Protected, Risk, Utility
from sharewell.data import engine
from sharewell.plan.windows import COARSENING, Window, parse, parse_length
from sharewell.traces import inventing
from sharewell.traces.attacks import battery
from sharewell.traces.attacks.attempts import Attempts
from sharewell.traces.attacks.draws import attacker
from sharewell.traces.attacks.verb_order import in_order, verb_orders
from sharewell.traces.attacks.view import VerbOrder, View
from sharewell.traces.coarser_log import view
from sharewell.traces.event_columns import EventColumns
from sharewell.traces.events import Times, ready
from sharewell.traces.kept_columns import KeptColumns, kept_columns
from sharewell.traces.kind import EXPOSED, GUESS, OVER_ALL_SHIFTS, UNICITY, WITH_ANCHORS, WITHIN_A_GROUP
from sharewell.traces.log import Log, reduce
from sharewell.traces.measure import inference, moved_times
from sharewell.traces.measure.group_size import by_group
from sharewell.traces.measure.known_points import as_risks, singled_out
from sharewell.traces.protection import earlier_groups, moving
from sharewell.traces.protection.cohorts import best_way
from sharewell.traces.protection.count_bands import banded
from sharewell.traces.protection.recoding import Recoding
from sharewell.traces.protection.search import PointLimits
from sharewell.traces.protection.student_features import weeks_named
from sharewell.traces.protection.synthetic import Invention
from sharewell.traces.protection.ways import Request
from sharewell.traces.row_classes import as_risk, class_sizes
from sharewell.traces.section import Section
from sharewell.traces.side_by_side import aligned, both, resolution
from sharewell.traces.utility.sample import of_some_students, some_students
from sharewell.traces.utility.six_analyses import SixAnalyses, analysis_columns
from sharewell.traces.utility.uses import Uses

KNOWN = (1, 2, 4, 8)
WINDOWS = ("1s", "1min", "15min", "1d")
TRIES = 6_000  # attempts at single points
ATTEMPTS = 600  # attempts of an attack that illustrates: a share is known to about two percent
MOST_REPEATS = 200
NEAREST = 3  # attacks shown beside what is promised
BY_DAY = "1d"  # at which attacks other than unicity are measured before: nobody remembers seconds


def open(job: Job) -> "TraceStudy":
    """The events with times that are times, read once for all four questions."""
    section: Section = job.section
    events = ready(
        job.source,
        student=section.student,
        at=section.at,
        also=section.quasi,
        times=Times(
            layout=section.dates.get(section.at),
            zone=section.timezone,
            without=section.rows_without_time,
            file=section.file,
        ),
    )
    sensitive = section.may_be_read if section.promises_company else ()
    plain = tuple(name for name in section.keep if name not in sensitive)
    kept = kept_columns(
        events, section.keep, section.unknowable, student=section.student, file=section.file, plain=plain
    )
    return TraceStudy(job=job, section=section, events=events, kept=kept)


@dataclass(frozen=True, kw_only=True)
class TraceStudy:
    """The four questions, answered for one event log.

    `events` holds the rows that have a student and a time.
    """

    job: Job
    section: Section
    events: Table
    kept: KeptColumns

    @cached_property
    def _course(self) -> inventing.CourseEvents:
        return inventing.course_of(self.events, self.section, self.kept)

    @cached_property
    def _invention(self) -> Invention:
        return inventing.invention(self._course, self.job)

    def before(self) -> list[Risk]:
        """How few points single students out in the log as it is, and what the other attacks come to by the day."""
        section, seed = self.section, self.job.seed
        known = sorted({*KNOWN, section.limit.known})
        control = inventing.positive_control(self._course, self.job) if section.method == "synthetic" else ()
        base = reduce(
            self._sampled(self.events), student=section.student, at=section.at, window=parse("1s"), also=section.quasi
        )
        about = {"log": base.digest, "known": known, "expected": section.limit.known, "seed": seed}
        work = lambda: _before(base, known, section.limit.known, seed)  # noqa: E731
        risks = self.job.memory.recall("traces: before", about, work)
        return [*self._with_sample(risks), *control]

    def protect(self) -> Protected:
        """The way that keeps most of those that keep the promise; or invented students."""
        section, job = self.section, self.job
        if section.method == "synthetic":
            return inventing.invented(self._course, self._invention)
        request = Request(
            student=section.student,
            at=section.at,
            quasi=section.quasi,
            kept=self.kept,
            k=section.k,
            points=None if section.promises_company else PointLimits(known=section.limit.known, **section.limits()),
            windows=self._windows(),
            keyed=job.keyed,
            read=section.may_be_read if section.promises_company else (),
            inference=section.limit.inference,
            seed=job.seed,
            target=section.target,
            method="groups" if section.recoding and section.method != "features" else section.method,
            memory=job.memory,
        )
        events = _moved(self.events.drop(*section.direct, *section.drop), job)
        earlier = None if section.recoding is None else earlier_groups.read(section.folder / section.recoding)
        return best_way(events, request, earlier)

    def _windows(self) -> list[Window]:
        """The resolution that the plan asks for, or all that are not finer than the times of the log."""
        if self.section.window:
            return [parse(self.section.window)]
        own = resolution(self.events, self.section.at).label
        return [parse(label) for label in COARSENING[COARSENING.index(own) :]]

    def attack(self, protected: Protected) -> list[Risk]:
        """Company, which bounds every attack, and the attacks that come nearest; or the attacks that points bound."""
        if protected.synthetic:
            return inventing.attack_invented(protected, self._invention, self._course, self.job)
        section, released = self.section, protected.table
        if section.promises_company:
            outside = protected.facts["private"]
            sizes = class_sizes(released.drop(*outside), section.student)
            company = as_risk(sizes, k=section.k, unknowable=outside)
            nearest = self._illustrated(protected) if section.method != "features" else []
            return [company, *self._read_off(protected), *nearest]
        bounded = [replace(risk, **self._limit(risk)) for risk in self._points(protected)]
        return [*bounded, *_within_groups(released, section, self.job.seed)]

    def _read_off(self, protected: Protected) -> list[Risk]:
        """What the kept columns say of a student through those with the same rows."""
        section, limit = self.section, self.section.limits().get("inference")
        kept = replace(protected, table=self._sampled(protected.table))
        sides = inference.seen(
            self._sampled(self.events), kept, self.kept, student=section.student, at=section.at, quasi=section.quasi
        )
        found = list(inference.risks(sides, section.may_be_read, limit=limit, seed=self.job.seed))
        if not found and limit is not None:
            found = [inference.nothing_left(sides, limit=limit)]
        return self._with_sample(found)

    def _illustrated(self, protected: Protected) -> list[Risk]:
        """What the attacks that come nearest would guess, by students drawn from a large log."""
        seen = self._view(protected, self._sampled(self.events), self._sampled(protected.table))
        attempts = Attempts(seed=self.job.seed, tries=ATTEMPTS)
        return self._with_sample(battery.nearest(seen, attempts, self.section.limit.known, most=NEAREST))

    @cached_property
    def _drawn(self) -> Table | None:
        """The students of a large log whom attacks and measures of usefulness look at; None where they see all."""
        return some_students(self.events, self.section.student)

    def _sampled(self, table: Table) -> Table:
        if self._drawn is None:
            return table
        return engine.here(table.semi_join(self._drawn, table[self.section.student] == self._drawn["__who"]))

    def _with_sample(self, risks: Sequence[Risk]) -> list[Risk]:
        """Risks that state how many students were drawn."""
        if self._drawn is None:
            return list(risks)
        drawn = {"students drawn": engine.value(self._drawn.count())}
        return [replace(risk, setting={**risk.setting, **drawn}) for risk in risks]

    def _points(self, protected: Protected) -> Iterator[Risk]:
        """All who know single points of the original; where calendars were moved, over all moves as well."""
        section, seed = self.section, self.job.seed
        seen = self._view(protected, self.events, protected.table)
        yield from battery.risks(
            seen, Attempts(seed=seed, tries=TRIES), section.limit.known,
            attacks=battery.OF_POINTS, measures=(UNICITY, GUESS, EXPOSED),
        )  # fmt: skip
        if section.shift_weeks or section.jitter:
            before, after = self._logs(protected, self.events, protected.table)
            for name in ("random", "rare", "classmate", "consecutive"):
                yield from _against_moves(before, after, name, section, seed)

    def _view(self, protected: Protected, original: Table, released: Table) -> View:
        before, after = self._logs(protected, original, released)
        verbs = self._verbs(protected, original, released, before)
        return View(known=before, released=aligned(before, after), kept=self.kept.listed, **verbs)

    def _logs(self, protected: Protected, original: Table, released: Table) -> tuple[Log, Log]:
        """The original recoded like the release, and the release, at the resolution that the release states."""
        section = self.section
        before, after = both(
            original, released, student=section.student, at=section.at, also=(*section.quasi, *self.kept.listed),
            window=parse(protected.facts["window"]),
        )  # fmt: skip
        return replace(before, events=banded(before.events, protected.facts.get("counts", "all"))), after

    def _verbs(self, protected: Protected, original: Table, released: Table, log: Log) -> dict[str, VerbOrder]:
        """Verbs in the order of the original, and in the order in which a recipient reads them."""
        section = self.section
        verb = next((name for name in section.quasi if name in released.columns), None)
        if verb is None:
            return {}
        rest = (name for name in released.columns if name not in (section.student, *protected.order))
        known = in_order(original, section.student, verb, (section.at, *section.quasi))
        seen = in_order(released, section.student, verb, (*protected.order, *rest))
        return dict(zip(("known_verbs", "released_verbs"), verb_orders((known, seen), log.ids), strict=True))

    def _limit(self, risk: Risk) -> dict[str, Any]:
        """Return the limit of the plan on a measure of known points."""
        gate = {GUESS.id: "guess", EXPOSED.id: "exposed"}.get(risk.name, "unicity")
        limit = self.section.limits().get(gate)
        return {
            "gate": gate if limit is not None else None,
            "limit": limit,
            "bound": "value" if risk.high is None else "high",
        }

    def utility(self, protected: Protected) -> list[Utility]:
        """What an analyst can still learn."""
        section = self.section
        analyses = analysis_columns(
            self.events, self.kept, student=section.student, at=section.at, quasi=section.quasi, target=section.target
        )
        if section.method == "features":
            six = SixAnalyses(self.events, analyses, seed=self.job.seed)
            return six.utilities(six.of_features(protected.table, weeks_named(protected.table.columns)), alone=True)
        columns = EventColumns(
            student=section.student,
            at=section.at,
            verb=section.quasi[0] if section.quasi else None,
            order=next(iter(protected.helpers), None),
            window=parse(protected.facts.get("window", section.window or "1d")),
        )
        asked = Uses(
            columns=columns, analyses=analyses, seed=self.job.seed, invented=protected.synthetic,
            shares=section.promises_company,
        )  # fmt: skip
        if self._drawn is None or protected.synthetic:
            return asked.of(self.events, protected.table)
        found = of_some_students(asked, self.events, protected.table, self._drawn)
        drawn = {"students drawn": engine.value(self._drawn.count())}
        return [replace(use, setting={**use.setting, **drawn}) for use in found]


def _before(base: Log, known: Sequence[int], expected: int, seed: int) -> list[Risk]:
    """What a few points tell at several resolutions, and what every attack finds by the day."""
    risks: list[Risk] = []
    for window in WINDOWS:
        log = view(base, Recoding(window=parse(window)))
        alone = singled_out(log, attacker("random"), known=known, repeats=_repeats(log.students), seed=seed)
        risks += as_risks(log, alone, attacker("random"), seed=seed)
    by_day = view(base, Recoding(window=parse(BY_DAY)))
    seen, attempts = View(known=by_day, released=by_day), Attempts(seed=seed, tries=ATTEMPTS)
    return [*risks, *battery.risks(seen, attempts, expected, measures=(GUESS,))]


def _within_groups(released: Table, section: Section, seed: int) -> list[Risk]:
    """Someone who also knows the course or language: the group that is worst off. Advice, since groups may be tiny."""
    if section.group is None or section.group not in released.columns:
        return []
    if not released[section.at].type().is_timestamp():
        return []  # a recurring window: there are no moments to know
    found = by_group(
        released, student=section.student, at=section.at, group=section.group,
        window=resolution(released, section.at).label, known=section.limit.known, seed=seed,
        also=tuple(name for name in section.quasi if name in released.columns),
    )  # fmt: skip
    if not found:
        return []
    worst = max(found, key=lambda risk: (risk.value, -risk.n))
    setting = {key: value for key, value in worst.setting.items() if key != "group"}
    story = f"{worst.story} They also know which {section.group} it was: the most exposed of {len(found)}."
    return [replace(worst, measure=WITHIN_A_GROUP, setting=setting, story=story, limit=section.limit.unicity)]


def _against_moves(before: Log, after: Log, name: str, section: Section, seed: int) -> Iterator[Risk]:
    """Where calendars were shifted or times moved: over all shifts, and with deadlines as anchors."""
    who, known = attacker(name), section.limit.known
    moves = moving.offsets(after.window, section.shift_weeks)
    slack = moving.slack(after.window, section.jitter)
    tried = moved_times.over_all_moves(before, after, who, known=known, moves=moves, slack=slack, repeats=3, seed=seed)
    yield from as_risks(before, tried, who, measure=OVER_ALL_SHIFTS, seed=seed)
    if section.shift_weeks:
        back = View(known=before, released=moved_times.unshifted(before, after, moves))
        attacks = tuple(attack for attack in battery.OF_POINTS if attack.name == name)
        anchored = battery.risks(back, Attempts(seed=seed, tries=TRIES), known, attacks=attacks, measures=(UNICITY,))
        yield from (replace(risk, measure=WITH_ANCHORS) for risk in anchored)


def _repeats(students: int) -> int:
    """Enough attacks for a narrow interval in a small class; few for a large log, where every student counts anyway."""
    return min(MOST_REPEATS, max(3, -(-TRIES // max(1, students))))


def _moved(events: Table, job: Job) -> Table:
    section: Section = job.section
    if section.shift_weeks:
        events = moving.shifted(
            events, student=section.student, at=section.at, weeks=section.shift_weeks, keyed=job.keyed
        )
    if section.jitter is not None:
        events = moving.jittered(
            events, student=section.student, at=section.at, by=parse_length(section.jitter), keyed=job.keyed
        )
    return engine.materialise(events) if section.shift_weeks or section.jitter else events
