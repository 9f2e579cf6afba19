"""The four questions for the pipeline, on one file of key events."""

from dataclasses import replace

from ibis.expr.types import Table

from sharewell.contract import Change, Protected, Risk, Utility
from sharewell.data import engine
from sharewell.data.formats.clocks import guess_unit
from sharewell.keystrokes import rebuild, risk
from sharewell.keystrokes.events import Columns, canonical
from sharewell.keystrokes.inference import compare_inference
from sharewell.keystrokes.protect import Goal, protect_table
from sharewell.keystrokes.recheck import recheck as recheck
from sharewell.keystrokes.section import Limit, Section
from sharewell.keystrokes.typed import without_names
from sharewell.keystrokes.utility import compare, habits
from sharewell.kinds import Job

WITHIN = 10
LEAST_TOLD = 5  # smaller counts are not told


def assess(job: Job) -> list[Risk]:
    """How many typists are found in the data as it stands."""
    events = canonical(job.source, _columns(job))
    parts = engine.materialise(risk.session_parts(events))
    raw = risk.halves(events, parts)
    lengths = _lengths(job.section.limit, len(raw.target.students))
    risks = risk.measure(None, raw, within=lengths, seed=job.seed)
    return [*risks, *risk.averaging(events, parts, raw, within=lengths[-1:], seed=job.seed)]


def protect(job: Job) -> Protected:
    """As many groups of similar typists as the limit allows; times drawn within the group."""
    section: Section = job.section
    columns = _columns(job)
    students = risk.students_of(canonical(job.source, columns))
    within, share = _bound(section.limit, students)
    goal = Goal(found=share, within=within, seed=job.seed)
    source, told = _without_names(job)
    done = protect_table(source, columns, goal, job.keyed)
    facts = {
        **done.facts,
        "columns": columns.named(),
        "unit": columns.unit,
        "within": within,
        "found": share,
        "gate": _gate(section.limit),
        "seed": job.seed,
    }
    return replace(done, facts=facts, changes=(*done.changes, told))


def attack(job: Job, released: Table) -> list[Risk]:
    """Every attack on what is released, with a raw and with a protected reference; the worst is held to the limit."""
    section: Section = job.section
    columns = _columns(job)
    original = canonical(job.source, columns)
    parts = engine.materialise(risk.session_parts(original))
    after = canonical(released, columns)
    raw, seen = risk.halves(original, parts), risk.halves(after, parts)
    within, share = _bound(section.limit, risk.students_of(original))
    lengths = _lengths(section.limit, len(raw.target.students))
    risks = risk.measure(raw, seen, within=lengths, seed=job.seed)
    gated = [one for one in risks if one.setting["within"] == within]
    worst = risk.strongest(gated)
    held = replace(worst, name="strongest identification", gate=_gate(section.limit), limit=share)
    return [held, *risks, *risk.known_lengths(original, after, parts, within=[within], seed=job.seed)]


def utility(job: Job, released: Table) -> list[Utility]:
    """Speed, pauses and latencies of groups of digraphs kept; a two-class column still inferred where one is named."""
    columns = _columns(job)
    before, after = (rebuild.load(table, columns) for table in (job.source, released))
    kept = compare(habits(before), habits(after))
    if job.section.experience is None:
        return kept
    classes = _classes(job.source, columns.student, job.section.experience)
    return [*kept, *compare_inference(before, after, classes, seed=job.seed)]


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


def _without_names(job: Job) -> tuple[Table, Change]:
    """What may be released, without the names that were typed; if they stay the report says so."""
    section: Section = job.section
    source = job.source.drop(*section.direct, *section.drop)
    if job.redact is None:
        what = "NOT looked through for names: every key is released as it was typed"
        why = "the plan says redact_text = false; whoever reads the keys reads the names typed into them"
        return source, Change(column=section.key, what=what, reason=why)
    table, keys = without_names(source, _columns(job), job.redact)
    what, why = "names and identifiers typed replaced by a placeholder, key by key", "they tell who typed, or of whom"
    return table, Change(column=section.key, what=what, reason=why, cells=keys if keys >= LEAST_TOLD else None)


def _classes(source: Table, student: str, column: str) -> dict[str, str]:
    """The class of every student who has one."""
    known = source.filter(source[column].notnull())
    rows = engine.arrow(
        known.group_by(student=known[student].cast("string")).agg(value=known[column].cast("string").max())
    )
    return dict(zip(rows["student"].to_pylist(), rows["value"].to_pylist(), strict=True))


def _gate(limit: Limit) -> str:
    return "found" if limit.found is not None else "times_chance"


def _bound(limit: Limit, students: int) -> tuple[int, float]:
    """The length of the attacker's list and the share that may be found on it."""
    within = risk.list_length(limit.within or WITHIN, students)
    if limit.found is not None:
        return within, limit.found
    return within, min(1.0, (limit.times_chance or 1.0) * within / students)


def _lengths(limit: Limit, students: int) -> list[int]:
    within, _ = _bound(limit, students)
    return sorted({1, min(5, within), within})
