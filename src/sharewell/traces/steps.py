"""The steps of traces for the pipeline."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from ibis.expr.types import Table

from sharewell.kinds import Job
from sharewell.results import Protected, Risk, Utility
from sharewell.traces.attackers import attacker
from sharewell.traces.events import ready
from sharewell.traces.log import Log, reduce
from sharewell.traces.released import both
from sharewell.traces.risk import with_original_points
from sharewell.traces.search import Goal, search
from sharewell.traces.section import Section
from sharewell.traces.unicity import as_risks, measure
from sharewell.traces.windows import COARSENING, parse

REPEATS = 10
KNOWN = (1, 2, 4, 8)


def assess(job: Job) -> list[Risk]:
    """How few points single students out in the log as it is, by the minute and by the day."""
    section, events = job.section, _events(job)
    risks: list[Risk] = []
    for window in ("1min", "1d"):
        log = reduce(events, student=section.student, at=section.at, window=parse(window), also=section.quasi)
        for name in section.attackers:
            alone = measure(log, attacker(name), known=KNOWN, repeats=REPEATS, seed=job.seed)
            risks += as_risks(log, alone, attacker(name), seed=job.seed, repeats=REPEATS)
    return risks


def protect(job: Job) -> Protected:
    """The least loss that meets the limit for the worst of the chosen attackers."""
    section: Section = job.section
    windows = [parse(label) for label in ((section.window,) if section.window else COARSENING)]
    assert section.limit.unicity is not None
    goal = Goal(
        student=section.student,
        at=section.at,
        also=section.quasi,
        known=section.limit.known,
        limit=section.limit.unicity,
        attackers=section.attackers,
        seed=job.seed,
    )
    events = _events(job).drop(*section.direct, *section.drop)
    return search(events, goal, windows=windows)


def attack(job: Job, released: Table) -> list[Risk]:
    """On the release alone, and with points of the original matched to it; both are held to the limit."""
    section: Section = job.section
    window = parse(section.window) if section.window else None
    before, after = both(
        _events(job), released, student=section.student, at=section.at, also=section.quasi, window=window
    )
    return [risk for name in section.attackers for risk in _attacked(before, after, name, section, job.seed)]


def _attacked(before: Log, after: Log, name: str, section: Section, seed: int) -> list[Risk]:
    who, known = attacker(name), section.limit.known
    alone = measure(after, who, known=[known], repeats=REPEATS, seed=seed)
    matched = with_original_points(before, after, who, known=known, repeats=REPEATS, seed=seed)
    risks = as_risks(after, alone, who, seed=seed, repeats=REPEATS)
    risks += as_risks(after, matched, who, name="unicity with original points", seed=seed, repeats=REPEATS)
    return [replace(risk, gate="unicity", limit=section.limit.unicity) for risk in risks]


def utility(job: Job, released: Table) -> list[Utility]:
    """What an analyst can still learn."""
    rows, kept = job.source.count().execute(), released.count().execute()
    return [Utility(name="events kept", value=kept / rows, n=int(rows), baseline=1.0)]


def recheck(released: Table, facts: Mapping[str, Any]) -> list[Risk]:
    """Unicity of the released file, by itself."""
    student, at, also = facts["student"], facts["at"], tuple(facts["also"])
    events = ready(released, student=student, at=at, also=also)
    log = reduce(events, student=student, at=at, window=parse(facts["window"]), also=also)
    risks: list[Risk] = []
    for name in facts["attackers"]:
        alone = measure(log, attacker(name), known=[facts["known"]], repeats=REPEATS, seed=0)
        risks += as_risks(log, alone, attacker(name), seed=0, repeats=REPEATS)
    return [replace(risk, gate="unicity", limit=facts["limit"]) for risk in risks]


def _events(job: Job) -> Table:
    section: Section = job.section
    return ready(
        job.source,
        student=section.student,
        at=section.at,
        also=section.quasi,
        layout=section.dates.get(section.at),
        zone=section.timezone,
        file=section.file,
    )
