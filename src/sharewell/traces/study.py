"""One log under study: read once, then asked the four questions."""

from dataclasses import dataclass, replace

from ibis.expr.types import Table

from sharewell.contract import Job, Protected, Risk, Utility
from sharewell.data import engine
from sharewell.plan.windows import COARSENING, parse, parse_length
from sharewell.traces.coarser_log import view
from sharewell.traces.elapsed import ElapsedTime, elapsed_time
from sharewell.traces.event_columns import EventColumns
from sharewell.traces.events import ready
from sharewell.traces.kind import OVER_ALL_SHIFTS, WITH_ANCHORS, WITH_ORIGINAL_POINTS, WITHIN_A_GROUP
from sharewell.traces.log import Log, reduce
from sharewell.traces.measure import moved_times
from sharewell.traces.measure.attackers import ATTACKERS, Attacker, attacker
from sharewell.traces.measure.group_size import by_group
from sharewell.traces.measure.known_points import Alone, as_risks, most_exposed, singled_out
from sharewell.traces.measure.original_points import with_original_points
from sharewell.traces.protection import moving
from sharewell.traces.protection.recoding import Recoding
from sharewell.traces.protection.result import least_loss
from sharewell.traces.protection.search import Goal
from sharewell.traces.section import Section
from sharewell.traces.side_by_side import aligned, both
from sharewell.traces.utility.outcome import predicted
from sharewell.traces.utility.uses import uses

KNOWN = (1, 2, 4, 8)
WINDOWS = ("1s", "1min", "15min", "1d")
TRIES = 6_000
MOST_REPEATS = 200
MOST_STUDENTS_FOR_WORST = 5_000


def open(job: Job) -> "TraceStudy":
    """The events with times that are times, read once for all four questions."""
    section: Section = job.section
    events = ready(
        job.source,
        student=section.student,
        at=section.at,
        also=section.quasi,
        layout=section.dates.get(section.at),
        zone=section.timezone,
        without_time=section.rows_without_time,
        file=section.file,
    )
    elapsed = elapsed_time(events, section.at, section.dates.get(section.at))
    return TraceStudy(job=job, section=section, events=elapsed.read(events) if elapsed else events, elapsed=elapsed)


@dataclass(frozen=True, kw_only=True)
class TraceStudy:
    """`events` are the rows of students with a time; `elapsed` says that times count from a start, not from a date."""

    job: Job
    section: Section
    events: Table
    elapsed: ElapsedTime | None = None

    def before(self) -> list[Risk]:
        """How few points single students out in the log as it is, from the second to the day."""
        section, seed = self.section, self.job.seed
        known = sorted({*KNOWN, section.limit.known})
        base = reduce(self.events, student=section.student, at=section.at, window=parse("1s"), also=section.quasi)
        risks: list[Risk] = []
        for window in WINDOWS:
            log = view(base, Recoding(window=parse(window)))
            for name in section.attackers:
                alone = singled_out(log, attacker(name), known=known, repeats=_repeats(log), seed=seed)
                risks += as_risks(log, alone, attacker(name), seed=seed)
        return risks

    def protect(self) -> Protected:
        """The least loss that meets the limit for the worst of the chosen attackers."""
        section = self.section
        assert section.limit.unicity is not None
        goal = Goal(
            student=section.student,
            at=section.at,
            also=section.quasi,
            known=section.limit.known,
            limit=section.limit.unicity,
            attackers=section.attackers,
            seed=self.job.seed,
            secret=moving.secret_number(self.job.keyed),
        )
        events = _moved(self.events.drop(*section.direct, *section.drop), self.job)
        windows = [parse(label) for label in ((section.window,) if section.window else COARSENING)]
        found = least_loss(events, goal, windows=windows)
        return replace(found, table=self.elapsed.written(found.table)) if self.elapsed else found

    def attack(self, protected: Protected) -> list[Risk]:
        """On the release alone, and with points of the original matched to it; both are held to the limit.

        The attackers that the plan does not choose stand beside them for comparison.
        """
        section, seed = self.section, self.job.seed
        released = self._with_moments(protected.table)
        window = parse(section.window) if section.window else None
        before, after = both(
            self.events, released, student=section.student, at=section.at, also=section.quasi, window=window
        )
        risks: list[Risk] = []
        for who in ATTACKERS.values():
            if who.name in section.attackers:
                risks += _held_to_the_limit(before, after, who, section, seed)
            elif who.name != "worst" or after.students <= MOST_STUDENTS_FOR_WORST:
                risks += as_risks(after, _alone(after, who, section, seed), who, seed=seed)
        return [*risks, *_within_groups(released, after, section, seed)]

    def utility(self, protected: Protected) -> list[Utility]:
        """What an analyst can still learn."""
        section = self.section
        columns = EventColumns(
            student=section.student,
            at=section.at,
            verb=section.quasi[0] if section.quasi else None,
            order=next(iter(protected.helpers), None),
        )
        released = self._with_moments(protected.table)
        found = uses(self.events, released, columns)
        if section.target is not None:
            found += predicted(self.events, released, columns, section.target, seed=self.job.seed)
        return found

    def _with_moments(self, released: Table) -> Table:
        return self.elapsed.as_moments(released) if self.elapsed else released


def _within_groups(released: Table, after: Log, section: Section, seed: int) -> list[Risk]:
    """Someone who also knows the course or language: the group that is worst off. Advice, since groups may be tiny."""
    if section.group is None or section.group not in released.columns or after.window.recurring:
        return []
    found = by_group(
        released, student=section.student, at=section.at, group=section.group, window=after.window.label,
        also=after.also, known=section.limit.known, repeats=_repeats(after), seed=seed,
    )  # fmt: skip
    if not found:
        return []
    worst = max(found, key=lambda risk: risk.value)
    setting = {key: value for key, value in worst.setting.items() if key != "group"}
    story = f"{worst.story} They also know which {section.group} it was: the most exposed of {len(found)}."
    return [replace(worst, measure=WITHIN_A_GROUP, setting=setting, story=story, limit=section.limit.unicity)]


def _held_to_the_limit(before: Log, after: Log, who: Attacker, section: Section, seed: int) -> list[Risk]:
    alone = _alone(after, who, section, seed)
    risks = as_risks(after, alone, who, seed=seed)
    if who.name != "worst":  # the worst points to know are released ones: the figure above says all
        same = aligned(before, after)
        known, repeats = section.limit.known, _repeats(after)
        matched = with_original_points(before, same, who, known=known, repeats=repeats, seed=seed)
        risks += as_risks(same, matched, who, measure=WITH_ORIGINAL_POINTS, seed=seed)
        risks += _against_moves(before, after, who, section, seed)
    gated = [replace(risk, gate="unicity", limit=section.limit.unicity) for risk in risks]
    return [*gated, *most_exposed(after, alone, who, seed=seed)]


def _against_moves(before: Log, after: Log, who: Attacker, section: Section, seed: int) -> list[Risk]:
    """Where calendars were shifted or times moved: over all shifts, and with deadlines as anchors."""
    if not section.shift_weeks and section.jitter is None:
        return []
    known, moves = section.limit.known, moving.offsets(after.window, section.shift_weeks)
    slack = moving.slack(after.window, section.jitter)
    tried = moved_times.over_all_moves(before, after, who, known=known, moves=moves, slack=slack, repeats=3, seed=seed)
    risks = as_risks(before, tried, who, measure=OVER_ALL_SHIFTS, seed=seed)
    if section.shift_weeks:
        back = moved_times.unshifted(before, after, moves)
        anchored = with_original_points(before, back, who, known=known, repeats=_repeats(after), seed=seed)
        risks += as_risks(back, anchored, who, measure=WITH_ANCHORS, seed=seed)
    return risks


def _alone(after: Log, who: Attacker, section: Section, seed: int) -> Alone:
    return singled_out(after, who, known=[section.limit.known], repeats=_repeats(after), seed=seed)


def _repeats(log: Log) -> int:
    """Enough attacks for a narrow interval in a small class; few for a large log, where every student counts anyway."""
    return min(MOST_REPEATS, max(3, -(-TRIES // max(1, log.students))))


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
