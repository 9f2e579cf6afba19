"""One log under study: read once, then asked the four questions."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any, TypeVar

from ibis.expr.types import Table

from sharewell.contract import Job, Protected, Risk, Utility
from sharewell.data import engine
from sharewell.plan.windows import COARSENING, Window, parse, parse_length
from sharewell.traces import inventing
from sharewell.traces.bucketed_log import bucketed, coarser, is_large
from sharewell.traces.coarser_log import view
from sharewell.traces.event_columns import EventColumns
from sharewell.traces.events import Times, ready
from sharewell.traces.kept_columns import KeptColumns, kept_columns
from sharewell.traces.kind import EXPOSED, GUESS, OVER_ALL_SHIFTS, UNICITY, WITH_ANCHORS, WITHIN_A_GROUP
from sharewell.traces.log import Log, reduce
from sharewell.traces.measure import battery, moved_times
from sharewell.traces.measure.attackers import ATTACKERS, Attacker, attacker
from sharewell.traces.measure.attempts import Attempts
from sharewell.traces.measure.group_size import by_group
from sharewell.traces.measure.in_buckets import Buckets, in_parts, risks_in_buckets
from sharewell.traces.measure.known_points import as_risk, as_risks, singled_out
from sharewell.traces.measure.original_points import with_original_points
from sharewell.traces.measure.settled import singled_out_in_buckets
from sharewell.traces.measure.sides import sides
from sharewell.traces.measure.verb_sequences import BothOrdered, Ordered, sequences
from sharewell.traces.protection import earlier_groups, moving
from sharewell.traces.protection.cohorts import best_way_in_cohorts
from sharewell.traces.protection.count_bands import told
from sharewell.traces.protection.gated_search import GatedGoal, Limits
from sharewell.traces.protection.recoding import Recoding
from sharewell.traces.protection.synthetic import Invention
from sharewell.traces.protection.ways import Request, best_way
from sharewell.traces.section import Section
from sharewell.traces.side_by_side import aligned, both, both_in_buckets, resolution
from sharewell.traces.utility.asked import Asked
from sharewell.traces.utility.sample import of_some_students, some_students

Earlier = TypeVar("Earlier")
KNOWN = (1, 2, 4, 8)
WINDOWS = ("1s", "1min", "15min", "1d")
TRIES = 6_000
MOST_REPEATS = 200
MOST_ATTACKED = 100_000  # students of a log that is not held whole: who finds no company is held against all others
BY_DAY = "1d"  # at which the other attackers are measured before: nobody remembers seconds


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
    kept = kept_columns(events, section.keep, section.unknowable, student=section.student, file=section.file)
    return TraceStudy(job=job, section=section, events=events, kept=kept)


@dataclass(frozen=True, kw_only=True)
class TraceStudy:
    """`events` are the rows of students with a time."""

    job: Job
    section: Section
    events: Table
    kept: KeptColumns

    @cached_property
    def _course(self) -> inventing.Course:
        return inventing.course_of(self.events, self.section, self.kept)

    @cached_property
    def _invention(self) -> Invention:
        return inventing.invention(self._course, self.job)

    @cached_property
    def _in_parts(self) -> bool:
        return in_parts(self.events, self.section.student)

    def before(self) -> list[Risk]:
        """How few points single students out in the log as it is, from the second to the day."""
        section, seed = self.section, self.job.seed
        known = sorted({*KNOWN, section.limit.known})
        control = inventing.positive_control(self._course, self.job) if section.method == "synthetic" else ()
        if is_large(self.events):
            return [*_before_of_many(self.events, section, known, seed), *control]
        base = reduce(self.events, student=section.student, at=section.at, window=parse("1s"), also=section.quasi)
        about = {"log": base.digest, "known": known, "held": section.limit.known, "seed": seed}
        risks = self.job.memory.recall("traces: before", about, lambda: _before(base, known, section.limit.known, seed))
        return [*risks, *control]

    def protect(self) -> Protected:
        """The way that keeps most of those that meet the limits for every attacker; or invented students."""
        section, job = self.section, self.job
        if section.method == "synthetic":
            return inventing.invented(self._course, self._invention)
        assert section.limit.unicity is not None
        limits = Limits(unicity=section.limit.unicity, guess=section.limit.guess, exposed=section.limit.exposed)
        goal = GatedGoal(
            limits=limits,
            known=section.limit.known,
            attackers=section.attackers,
            kept=self.kept.listed,
            secret=moving.secret_number(job.keyed),
        )
        request = Request(
            student=section.student,
            at=section.at,
            quasi=section.quasi,
            kept=self.kept,
            goal=goal,
            windows=self._windows(),
            keyed=job.keyed,
            method="groups" if section.recoding else section.method,
            group_size=section.group_size,
            earlier=None if self._in_parts else self._earlier(earlier_groups.whole),
            memory=job.memory,
        )
        events = _moved(self.events.drop(*section.direct, *section.drop), job)
        protect = self._in_cohorts if self._in_parts else best_way
        found = protect(events, request)
        if section.method is None and found.facts["method"] == "search" and not self._holds(found, goal.secret):
            found = protect(events, replace(request, method="groups"))
        return self._beside_invented(found) if section.method is None and not self._in_parts else found

    def _in_cohorts(self, events: Table, request: Request) -> Protected:
        return best_way_in_cohorts(events, request, self._earlier(earlier_groups.in_cohorts))

    def _earlier(self, read: Callable[[Path], Earlier]) -> Earlier | None:
        """The groups of the release that the plan names."""
        return None if self.section.recoding is None else read(self.section.folder / self.section.recoding)

    def _beside_invented(self, found: Protected) -> Protected:
        """The chart with invented students on it, and what they would keep."""
        assert found.curve is not None
        if engine.value(self.events[self.section.student].nunique()) > inventing.MOST_COMPARED:
            note = f"{found.curve.note} {inventing.NOT_COMPARED}"
            return replace(found, curve=replace(found.curve, note=note))
        points = inventing.compared(self.events, self.job, self.kept)
        best = max((point for point in points if point.meets), key=lambda point: point.utility, default=None)
        chosen = found.curve.chosen
        note = found.curve.note
        if best is not None and (chosen is None or best.utility > chosen.utility):
            note += (
                ' Invented students keep more: method = "synthetic" in the plan releases them. They are never taken '
                "unless the plan says so, since no row of a real student is left."
            )
        return replace(found, curve=replace(found.curve, points=(*found.curve.points, *points), note=note))

    def _holds(self, found: Protected, secret: int) -> bool:
        """Whether the search holds against those who look at rows in their order, too; not by the draws of the gate."""
        rows = replace(found, table=engine.there(engine.materialise(found.table)))
        return all(risk.holds for risk in self._risks(rows, secret) if risk.gate)

    def _windows(self) -> list[Window]:
        """The resolution that the plan asks for, or all that are not finer than the times of the log."""
        if self.section.window:
            return [parse(self.section.window)]
        own = resolution(self.events, self.section.at).label
        return [parse(label) for label in COARSENING[COARSENING.index(own) :]]

    def attack(self, protected: Protected) -> list[Risk]:
        """Every attacker knows the original and searches the release; those whom the plan names are held to limits."""
        section, seed = self.section, self.job.seed
        if protected.synthetic:
            return inventing.attack_invented(protected, self._invention, self._course, self.job)
        risks = self._risks(protected, seed)
        released = protected.table
        if section.shift_weeks or section.jitter:
            before, after = self._logs(protected, released)
            moves = [_against_moves(before, after, who, section, seed) for who in ATTACKERS.values()]
            risks += [self._held(risk) for found in moves for risk in found]
        nearest_first = sorted(risks, key=_strain, reverse=True)
        return [*nearest_first, *_within_groups(released, section, seed)]

    def _risks(self, protected: Protected, seed: int) -> list[Risk]:
        """What all attackers come to, held to the limits."""
        attempts, verbs = Attempts(seed=seed), self._verbs(protected)
        known = self.section.limit.known
        if self._in_parts:
            found = risks_in_buckets(self._in_buckets(protected, verbs), attempts, known)
        else:
            before, after = self._logs(protected, protected.table)
            ordered = sequences(verbs, before.ids) if verbs else None
            seen = sides(before, aligned(before, after), kept=self.kept.listed, verbs=ordered)
            found = battery.risks(seen, attempts, known)
        return [self._held(risk) for risk in found]

    def _in_buckets(self, protected: Protected, verbs: BothOrdered | None) -> Buckets:
        """What attackers see of a log that is not held whole."""
        known, released = both_in_buckets(self.events, protected.table, **self._looked_at(protected))
        counts = protected.facts.get("counts", "all")
        return Buckets(known=known, released=released, kept=self.kept.listed, counts=counts, verbs=verbs)

    def _logs(self, protected: Protected, released: Table) -> tuple[Log, Log]:
        """The original recoded like the release, and the release."""
        before, after = both(self.events, released, **self._looked_at(protected))
        return replace(before, events=told(before.events, protected.facts.get("counts", "all"))), after

    def _looked_at(self, protected: Protected) -> dict[str, Any]:
        """The columns that attackers look at, and the resolution of the release where it is told."""
        section = self.section
        label = protected.facts.get("window", section.window)
        columns = {"student": section.student, "at": section.at, "also": (*section.quasi, *self.kept.listed)}
        return {**columns, "window": parse(label) if label else None}

    def _verbs(self, protected: Protected) -> BothOrdered | None:
        """Verbs in the order in which a recipient reads them, and as they really followed one another."""
        section, released = self.section, protected.table
        verb = next((name for name in section.quasi if name in released.columns), None)
        if verb is None or released[section.at].type().is_integer():
            return None
        rest = tuple(name for name in released.columns if name != section.student and name not in protected.order)
        return BothOrdered(
            known=Ordered(table=self.events, order=(section.at, *section.quasi)),
            released=Ordered(table=released, order=(*protected.order, *rest)),
            student=section.student, at=section.at, verb=verb,
            window=parse(protected.facts.get("window", section.window or "1d")),
        )  # fmt: skip

    def _held(self, risk: Risk) -> Risk:
        """The limit of each measure; a gate where the plan holds this attacker to it."""
        limits = {UNICITY.id: "unicity", GUESS.id: "guess", EXPOSED.id: "exposed"}
        gate = limits.get(risk.name, "unicity")
        limit = getattr(self.section.limit, gate)
        if limit is None:
            return risk
        held = gate if risk.attacker in self.section.attackers else None
        return replace(risk, gate=held, limit=limit, bound="value" if risk.high is None else "high")

    def utility(self, protected: Protected) -> list[Utility]:
        """What an analyst can still learn."""
        section = self.section
        columns = EventColumns(
            student=section.student,
            at=section.at,
            verb=section.quasi[0] if section.quasi else None,
            order=next(iter(protected.helpers), None),
            window=parse(protected.facts.get("window", section.window or "1d")),
        )
        told = section.target is not None and section.target in protected.table.columns
        asked = Asked(
            columns=columns, target=section.target if told else None, seed=self.job.seed, invented=protected.synthetic
        )
        some = some_students(self.events, section.student) if self._in_parts and not protected.synthetic else None
        if some is None:
            return asked.of(self.events, protected.table)
        found = of_some_students(asked, self.events, protected.table, some)
        drawn = {"students drawn": engine.value(some.count())}
        return [replace(use, setting={**use.setting, **drawn}) for use in found]


def _before(base: Log, known: Sequence[int], held: int, seed: int) -> list[Risk]:
    """What a few points tell at several resolutions, and what every attacker finds by the day."""
    risks: list[Risk] = []
    for window in WINDOWS:
        log = view(base, Recoding(window=parse(window)))
        alone = singled_out(log, attacker("random"), known=known, repeats=_repeats(log.students), seed=seed)
        risks += as_risks(log, alone, attacker("random"), seed=seed)
    by_day = view(base, Recoding(window=parse(BY_DAY)))
    return [*risks, *battery.risks(sides(by_day, by_day), Attempts(seed=seed), held)]


def _before_of_many(events: Table, section: Section, known: Sequence[int], seed: int) -> list[Risk]:
    """The same of a log that is not held whole: in buckets of students, which are filled once, with seconds."""
    who, risks, attempts, held = attacker("random"), [], Attempts(seed=seed), section.limit.known
    columns: dict[str, Any] = {"student": section.student, "at": section.at, "also": section.quasi}
    finest = bucketed(events, window=parse(WINDOWS[0]), **columns)
    for window in WINDOWS:
        log = coarser(finest, parse(window)) if window != WINDOWS[0] else finest
        some = MOST_ATTACKED if log.students > MOST_ATTACKED else None
        drawn: dict[str, Any] = {"known": known, "repeats": _repeats(log.students), "sample": some, "seed": seed}
        found = singled_out_in_buckets(log, who, **drawn)
        risks += [as_risk(total, who, total.interval(seed), seed=seed) for total in found]
    if in_parts(events, section.student):
        in_buckets = coarser(finest, parse(BY_DAY))
        return [*risks, *risks_in_buckets(Buckets(known=in_buckets, released=in_buckets), attempts, held)]
    by_day = reduce(events, window=parse(BY_DAY), **columns)
    return [*risks, *battery.risks(sides(by_day, by_day), attempts, held)]


def _strain(risk: Risk) -> float:
    """How much of its limit a risk uses up: whoever comes nearest to a limit is told first."""
    return (risk.seen or 0.0) / risk.limit if risk.limit and risk.gate else 0.0


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


def _against_moves(before: Log, after: Log, who: Attacker, section: Section, seed: int) -> list[Risk]:
    """Where calendars were shifted or times moved: over all shifts, and with deadlines as anchors."""
    if who.name == "worst":
        return []
    known, moves = section.limit.known, moving.offsets(after.window, section.shift_weeks)
    slack = moving.slack(after.window, section.jitter)
    tried = moved_times.over_all_moves(before, after, who, known=known, moves=moves, slack=slack, repeats=3, seed=seed)
    risks = as_risks(before, tried, who, measure=OVER_ALL_SHIFTS, seed=seed)
    if section.shift_weeks:
        back = moved_times.unshifted(before, after, moves)
        anchored = with_original_points(before, back, who, known=known, repeats=_repeats(after.students), seed=seed)
        risks += as_risks(back, anchored, who, measure=WITH_ANCHORS, seed=seed)
    return risks


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
