"""The steps of traces for the pipeline."""

from dataclasses import replace

from ibis.expr.types import Table

from sharewell.contract import Protected, Risk, Utility
from sharewell.data import engine
from sharewell.contract import Job
from sharewell.traces import distort, realign
from sharewell.traces.measure.attackers import ATTACKERS, Attacker, attacker
from sharewell.traces.events import ready
from sharewell.traces.log import Log, reduce
from sharewell.traces.utility.outcome import predicted
from sharewell.traces.recheck import recheck
from sharewell.traces.protection.recoding import Recoding
from sharewell.traces.side_by_side import aligned, both
from sharewell.traces.risk import with_original_points
from sharewell.traces.protection.search import Goal, search
from sharewell.traces.section import Section
from sharewell.traces.measure.group_size import by_group
from sharewell.traces.measure.known_points import Alone, as_risks, measure, most_exposed
from sharewell.traces.utility.activity import Columns, utilities
from sharewell.traces.coarser_log import view
from sharewell.traces.windows import COARSENING, parse

__all__ = ["assess", "attack", "protect", "recheck", "utility"]

KNOWN = (1, 2, 4, 8)
WINDOWS = ("1s", "1min", "15min", "1d")
TRIES = 6_000
MOST_REPEATS = 200
MOST_STUDENTS_FOR_WORST = 5_000


def assess(job: Job) -> list[Risk]:
    """How few points single students out in the log as it is, from the second to the day."""
    section, events = job.section, _events(job)
    known = sorted({*KNOWN, section.limit.known})
    base = reduce(events, student=section.student, at=section.at, window=parse("1s"), also=section.quasi)
    risks: list[Risk] = []
    for window in WINDOWS:
        log = view(base, Recoding(window=parse(window)))
        for name in section.attackers:
            alone = measure(log, attacker(name), known=known, repeats=_repeats(log), seed=job.seed)
            risks += as_risks(log, alone, attacker(name), seed=job.seed)
    return risks


def protect(job: Job) -> Protected:
    """The least loss that meets the limit for the worst of the chosen attackers."""
    section: Section = job.section
    assert section.limit.unicity is not None
    goal = Goal(
        student=section.student,
        at=section.at,
        also=section.quasi,
        known=section.limit.known,
        limit=section.limit.unicity,
        attackers=section.attackers,
        seed=job.seed,
        secret=distort.secret_number(job.keyed),
    )
    events = _moved(_events(job).drop(*section.direct, *section.drop), job)
    windows = [parse(label) for label in ((section.window,) if section.window else COARSENING)]
    return search(events, goal, windows=windows)


def attack(job: Job, released: Table) -> list[Risk]:
    """On the release alone, and with points of the original matched to it; both are held to the limit.

    The attackers that the plan does not choose stand beside them for comparison.
    """
    section: Section = job.section
    window = parse(section.window) if section.window else None
    before, after = both(
        _events(job), released, student=section.student, at=section.at, also=section.quasi, window=window
    )
    risks: list[Risk] = []
    for who in ATTACKERS.values():
        if who.name in section.attackers:
            risks += _held_to_the_limit(before, after, who, section, job.seed)
        elif who.name != "worst" or after.students <= MOST_STUDENTS_FOR_WORST:
            risks += as_risks(after, _alone(after, who, section, job.seed), who, seed=job.seed)
    return [*risks, *_within_groups(released, after, section, job.seed)]


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
    return [replace(worst, name="unicity within a group", setting=setting, story=story, limit=section.limit.unicity)]


def _held_to_the_limit(before: Log, after: Log, who: Attacker, section: Section, seed: int) -> list[Risk]:
    known, repeats = section.limit.known, _repeats(after)
    found = {"unicity": _alone(after, who, section, seed)}
    if who.name != "worst":  # the worst points to know are released ones: the figure above says all
        same = aligned(before, after)
        found["unicity with original points"] = with_original_points(
            before, same, who, known=known, repeats=repeats, seed=seed
        )
        found |= _against_moves(before, after, who, section, seed)
    risks = [risk for name, alone in found.items() for risk in as_risks(after, alone, who, name=name, seed=seed)]
    gated = [replace(risk, gate="unicity", limit=section.limit.unicity) for risk in risks]
    return [*gated, *most_exposed(after, found["unicity"], who, seed=seed)]


def _against_moves(before: Log, after: Log, who: Attacker, section: Section, seed: int) -> dict[str, Alone]:
    """Where calendars were shifted or times moved: over all shifts, and with deadlines as anchors."""
    if not section.shift_weeks and section.jitter is None:
        return {}
    known, moves = section.limit.known, distort.offsets(after.window, section.shift_weeks)
    slack = distort.slack(after.window, section.jitter)
    found = {
        "unicity over all shifts": realign.over_all_moves(
            before, after, who, known=known, moves=moves, slack=slack, repeats=3, seed=seed
        )
    }
    if section.shift_weeks:
        back = realign.unshifted(before, after, moves)
        found["unicity with deadlines as anchors"] = with_original_points(
            before, back, who, known=known, repeats=_repeats(after), seed=seed
        )
    return found


def _alone(after: Log, who: Attacker, section: Section, seed: int) -> Alone:
    return measure(after, who, known=[section.limit.known], repeats=_repeats(after), seed=seed)


def utility(job: Job, released: Table) -> list[Utility]:
    """What an analyst can still learn."""
    section: Section = job.section
    columns = Columns(student=section.student, at=section.at, verb=section.quasi[0] if section.quasi else None)
    original = _events(job)
    found = utilities(original, released, columns)
    if section.target is not None:
        found += predicted(original, released, columns, section.target, seed=job.seed)
    return found


def _repeats(log: Log) -> int:
    """Enough attacks for a narrow interval in a small class; few for a large log, where every student counts anyway."""
    return min(MOST_REPEATS, max(3, -(-TRIES // max(1, log.students))))


def _moved(events: Table, job: Job) -> Table:
    section: Section = job.section
    if section.shift_weeks:
        events = distort.shifted(
            events, student=section.student, at=section.at, weeks=section.shift_weeks, draws=job.keyed
        )
    if section.jitter is not None:
        events = distort.jittered(
            events, student=section.student, at=section.at, by=parse(section.jitter), draws=job.keyed
        )
    return engine.materialise(events) if section.shift_weeks or section.jitter else events


def _events(job: Job) -> Table:
    section: Section = job.section
    return ready(
        job.source,
        student=section.student,
        at=section.at,
        also=section.quasi,
        layout=section.dates.get(section.at),
        zone=section.timezone,
        without_time=section.rows_without_time,
        file=section.file,
    )
