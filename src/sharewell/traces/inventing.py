"""A log under study whose students are invented: what is learnt from, what is released, and how it is attacked."""

from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa
from ibis.expr.types import Table

from sharewell.contract import Job, Protected, Risk
from sharewell.data import engine
from sharewell.data.formats.columns import number as number_in
from sharewell.errors import Refused
from sharewell.lab.attacks import Audit
from sharewell.lab.least import not_accepted
from sharewell.lab.membership import risks_of, strongest
from sharewell.lab.splits import draw_members, splits_for
from sharewell.lab.threads import one_thread
from sharewell.plan.windows import SECONDS, Window, parse
from sharewell.traces import recheck as second_program
from sharewell.traces.arrays import Array
from sharewell.traces.course_log import CourseColumns, CourseLog, read_course
from sharewell.traces.kept_columns import KeptColumns, merged_strata
from sharewell.traces.measure.membership import ATTACKS, CourseProfile, CourseTarget
from sharewell.traces.protection.invented_release import invented_release
from sharewell.traces.protection.noise_choice import least_noise
from sharewell.traces.protection.recoding import coarsened
from sharewell.traces.protection.synthetic import NOISES, Invention, gate_of
from sharewell.traces.section import Section
from sharewell.traces.side_by_side import resolution

FEWEST = 20  # students of whom anything can be learnt that is not about one of them
LEVELS = 4  # classes into which a number of a student falls: an outcome with many values
STEADY = 0.0045  # standard error of a mean AUC: what is lost to its interval is lost to analysts
MOST_SPLITS = 200  # courses are learnt fast, and a small one needs many splits before a number is steady


@dataclass(frozen=True, kw_only=True)
class CourseEvents:
    """The events as students are invented from them, with the role of every column, and the resolution of times."""

    events: Table
    columns: CourseColumns
    window: Window

    @property
    def unit(self) -> int:
        """How exactly times are drawn, in seconds; windows longer than a day are cut from days."""
        return SECONDS[self.window.unit] * self.window.count if self.window.unit in ("s", "min", "h") else SECONDS["d"]


def course_of(events: Table, section: Section, kept: KeptColumns) -> CourseEvents:
    """What is constant per student becomes a stratum, numbers with many values stay numbers, the rest is of events."""
    fixed = tuple(name for name in section.keep if name in kept.constant)
    numbers = tuple(name for name in section.keep if name in kept.many and name not in fixed)
    events = events.drop(*(name for name in (*section.direct, *section.drop, *section.ids) if name in events.columns))
    for name in fixed:
        if name in kept.many:
            events = in_levels(events, name, student=section.student)
    events = merged_strata(events, fixed, student=section.student, least=2 * section.m)
    varying = tuple(name for name in section.keep if name not in (*fixed, *numbers))
    columns = CourseColumns(
        student=section.student, at=section.at, events=(*section.quasi, *varying), fixed=fixed, numbers=numbers
    )
    window = parse(section.window) if section.window else resolution(events, section.at)
    events = coarsened(events, section.at, window) if section.window else events
    return CourseEvents(events=events, columns=columns, window=window)


def in_levels(events: Table, name: str, *, student: str) -> Table:
    """Replace a number of a student by the middle of its quarter."""
    import ibis

    value = number_in(events, name)
    people = engine.arrow(events.group_by(student).agg(value=value.max()))
    values = np.asarray(people["value"].cast(pa.float64()))
    known = values[np.isfinite(values)]
    edges = np.quantile(known, np.arange(1, LEVELS) / LEVELS)
    middles = np.quantile(known, (np.arange(LEVELS) + 0.5) / LEVELS)
    found = ibis.literal(_rounded(middles[0]))
    for edge, middle in zip(edges, middles[1:], strict=True):
        found = (value > edge).ifelse(_rounded(middle), found)
    return events.mutate(**{name: value.isnull().ifelse(ibis.null("float64"), found)})


def _rounded(value: float) -> float:
    """To two digits that count: enough for an outcome, and nobody's own number."""
    return float(f"{value:.2g}")


def invention(
    course: CourseEvents, job: Job, *, noises: tuple[float, ...] = (), tried_on: int | None = None
) -> Invention:
    section: Section = job.section
    log = read_course(course.events, course.columns)
    if log.students < FEWEST:
        raise Refused(f"students can be invented from {FEWEST} real ones or more, not from {log.students}")
    fixed = (section.noise,) if section.noise is not None else NOISES
    repeats = section.repeats or splits_for(log.students, section.control, most=MOST_SPLITS, steady=STEADY)
    return Invention(
        log=log, unit=course.unit, m=section.m, noises=noises or fixed, students=section.students or log.students,
        control=section.control, limits=_limits(section), keyed=job.keyed.within(log.digest()), seed=job.seed,
        repeats=repeats, tried_on=tried_on or repeats, memory=job.memory,
    )  # fmt: skip


def _limits(section: Section) -> dict[str, float]:
    bounds = section.limit
    given = {"membership": bounds.membership, "tpr": bounds.tpr, "guess": bounds.guess or 1 / section.k}
    return {name: value for name, value in given.items() if value is not None}


def invented(course: CourseEvents, asked: Invention) -> Protected:
    """The release with the least noise that holds."""
    with one_thread():
        choice, points = least_noise(asked)
    points = tuple(replace(point, utility=asked.kept(point.strength)) for point in points)
    made = invented_release(asked, choice.strength, points, course.columns, like=course.events, window=course.window)
    return replace(made, facts={**made.facts, "accepted": choice.accepted or len(asked.noises) == 1})


def released_log(table: Table, asked: Invention, course: CourseEvents, place: str) -> CourseLog:
    """The released rows in the coding of the original."""
    return read_course(table, course.columns, tokens=asked.log.tokens, strata=asked.log.strata, order=(place,))


def attack_invented(protected: Protected, asked: Invention, course: CourseEvents, job: Job) -> list[Risk]:
    """Every attack on what is released, and once more by other code."""
    log = released_log(protected.table, asked, course, protected.helpers[0])
    noise = float(protected.facts["noise"])
    with one_thread():
        risks = asked.judged(noise, log)
    inside: Array = asked.members()
    again = second_program.against_original(
        course.events, protected.table, protected.facts,
        fitted=asked.log.ids.filter(pa.array(inside)), place=protected.helpers[0], limit=job.section.limit.membership,
    )  # fmt: skip
    advice = [] if protected.facts["accepted"] else [not_accepted(noise)]
    return [*(_gated(risk, asked) for risk in risks), *again, *advice]


def positive_control(course: CourseEvents, job: Job) -> list[Risk]:
    """The log as it stands with new ids: what the attacks find where there is everything to find."""
    log = read_course(course.events, course.columns)
    outside = int(np.ceil(job.section.control * log.students))
    if min(outside, log.students - outside) < 4:
        return []
    member = draw_members(log.students, outside, np.random.default_rng(job.seed))
    target = CourseTarget(CourseProfile(log, float(member.mean())), log.only(member), member)
    audit = Audit()
    audit.attack(target, ATTACKS, seed=job.seed)
    risks = [risk for (one,) in audit.scores.values() for risk in risks_of(one)]
    return [*strongest(risks), *risks]


def _gated(risk: Risk, asked: Invention) -> Risk:
    """Limit every attacker, by the upper end of every measurement."""
    gate = gate_of(risk)
    limit = asked.limits.get(gate) if gate else None
    if limit is None:
        return risk
    return replace(risk, gate=gate, limit=limit, bound="high")
