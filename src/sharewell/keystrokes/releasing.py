"""What a study needs beside its partitions: limits, columns, what may leave, and what is read again of a release."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Any

import pyarrow as pa
from ibis.expr.types import Table

from sharewell.contract import Change, Count, Job, Measure, Protected, Risk, Utility
from sharewell.data import engine
from sharewell.data.formats.clocks import guess_unit
from sharewell.keystrokes import eventlog, splits
from sharewell.keystrokes.columns import KeyColumns
from sharewell.keystrokes.eventlog import Events
from sharewell.keystrokes.kind import STRONGEST, found_rounded
from sharewell.keystrokes.measure import measuring
from sharewell.keystrokes.measure.measuring import Attackers
from sharewell.keystrokes.protection import judging
from sharewell.keystrokes.protection.coarsening import coarse
from sharewell.keystrokes.protection.draft import KeySetting, Setting
from sharewell.keystrokes.protection.judging import Original
from sharewell.keystrokes.protection.typed_text import without_names, without_pastes
from sharewell.keystrokes.section import Limit, Section
from sharewell.keystrokes.splits import WAYS
from sharewell.keystrokes.utility.experience import compare_inference
from sharewell.keystrokes.utility.habits import compare, habits
from sharewell.keystrokes.utility.typed_keys import compare_keys

WITHIN = 10
ROUNDED_MS = 100.0
COVERS = "The interval covers what the key draws in a release of these students; of other students it says nothing."
Redact = Callable[[Sequence[str]], list[str]]


def lists(within: int) -> list[int]:
    """The lengths of lists that are told: the one that the limit is about, and shorter ones."""
    return sorted({1, min(5, within), within})


def risks_before(original: Original, within: int, seed: int) -> list[Risk]:
    """How many typists are found in the data as it stands; the strongest attack stands first."""
    risks = judging.attacked(original, None, judging.everyone(lists(within)), WAYS[:1], seed)
    strongest = replace(judging.strongest(risks, within), measure=STRONGEST)
    return [strongest, *risks, *_found_rounded(original, within, seed)]


def _found_rounded(original: Original, within: int, seed: int) -> list[Risk]:
    """Attack rounded times by averaging them: rounding of single events hides nearly nothing."""
    typing, students = original.events.typing, original.events.students
    latency, hold = (coarse(times, ROUNDED_MS, "round") for times in (typing.latency, typing.hold))
    seen = splits.halves(replace(typing, latency=latency, hold=hold), students, original.targets["late"])
    attackers = Attackers(within=[within], seed=seed, attacks=["likelihood"], fused=False)
    story = f"Had single times been rounded to {ROUNDED_MS:g} ms, someone could average many of them again."
    risks = measuring.measure(original.raw["late"], seen, attackers)
    return [replace(one, measure=found_rounded(one.setting["within"]), story=story) for one in risks]


def uses_kept(job: Job, before: Events, after: Events) -> list[Utility]:
    """Speed, pauses and latencies of groups of digraphs kept, and what was typed; a two-class column inferred."""
    kept = [*compare(habits(before), habits(after)), *compare_keys(before, after)]
    if job.section.experience is None:
        return kept
    classes = _classes(job.source, before.columns.student, job.section.experience)
    return [*kept, *compare_inference(before, after, classes, seed=job.seed)]


def facts_of(done: Protected, job: Job, columns: KeyColumns, within: int, share: float) -> dict[str, Any]:
    """What a recipient may know."""
    return {
        **done.facts,
        "columns": columns.named(),
        "unit": columns.unit,
        "within": within,
        "found": share,
        "gate": gate_of(job.section.limit),
        "seed": job.seed,
    }


def released_events(table: Table, sessions: pa.Table, columns: KeyColumns) -> Events:
    """What is released of the named sessions, in the order of the original's."""
    private = engine.listed(sessions)
    student, session = columns.student, columns.session
    named = private.select(
        **{engine.fresh(table.columns, "whose"): private.student,
           engine.fresh(table.columns, "named"): private.released_as,
           engine.fresh(table.columns, "was"): private.session}
    )  # fmt: skip
    whose, new, was = named.columns
    # computed first: an engine that reorders joins would bring together all students' first, second … sessions
    known = engine.materialise(table.mutate(**{whose: table[student].cast("string")}))
    joined = known.inner_join(named, [known[whose] == named[whose], known[session] == named[new]])
    return eventlog.load(joined.mutate(**{session: joined[was]}).select(*table.columns), columns)


def releasable(job: Job, columns: KeyColumns) -> tuple[Table, tuple[Change, ...]]:
    """Text that was pasted is no key; names that were typed are taken out, and if they stay the report says so."""
    section: Section = job.section
    key = (section.key,)
    source = job.source.drop(*section.direct, *section.drop)
    source, pastes = without_pastes(source, section.key)
    what, why = "cells that hold text instead of a key became a placeholder", "pasted text can say anything"
    pasted = Change(columns=key, action="redacted", detail=what, reason=why, cells=Count(pastes))
    told = (pasted,) if pastes else ()
    if not section.redact_text:
        what = "NOT looked through for names: what was typed is released as it is, where it is released"
        why = "the plan says redact_text = false; whoever reads the keys reads the names typed into them"
        return source, (*told, Change(columns=key, action="untouched", detail=what, reason=why))
    table, keys = without_names(source, columns, redaction(job))
    what = "names and identifiers typed replaced by a placeholder, key by key"
    why = "they tell who typed, or of whom"
    return table, (*told, Change(columns=key, action="redacted", detail=what, reason=why, cells=Count(keys)))


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
    return within, may_be_found(limit, within / students)


def may_be_found(limit: Limit, chance: float) -> float:
    """The share of students that may be found where guessing finds so many."""
    return limit.found if limit.found is not None else min(1.0, (limit.times_chance or 1.0) * chance)


def gated(risks: Iterable[Risk], within: int, limit: Limit, measure: Measure) -> Risk:
    """Hold the attack that is furthest over the limit to it, at the upper end of its interval.

    A limit in multiples of chance is one of the chance of just that attack. What finds most need not be what misses its
    limit: it may be less sure, or guessing may find as much.
    """
    limited = [
        replace(one, bound="high", gate=gate_of(limit), limit=may_be_found(limit, _chance(one)))
        for one in judging.on_a_list_of(within, risks)
    ]
    worst = max(limited, key=_over)
    return replace(worst, measure=measure, story=f"{worst.story} {COVERS}")


def _chance(risk: Risk) -> float:
    assert risk.chance is not None
    return risk.chance


def _over(risk: Risk) -> float:
    """By how much a risk is over its limit."""
    assert risk.seen is not None and risk.limit is not None
    return risk.seen - risk.limit


def columns_of(job: Job) -> KeyColumns:
    """The columns with the unit of the original clock: times that begin at zero no longer tell it."""
    section: Section = job.section
    return KeyColumns(
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
