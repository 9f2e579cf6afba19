"""The four questions for a log of responses, as the pipeline asks them."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import ibis
import numpy as np
import pyarrow as pa
from ibis.expr.types import Table

from sharewell.contract import Change, Protected, Risk, Utility
from sharewell.kinds import Job
from sharewell.responses import protect as protection
from sharewell.responses import recheck as second_look
from sharewell.responses.log import Columns, Log, read
from sharewell.responses.model import Model
from sharewell.responses.risk import membership_of
from sharewell.responses.section import Section
from sharewell.responses.settings import Settings
from sharewell.responses.utility import usefulness

PLACE = "__place"  # the order of rows within one invented student; helpers are not written
STRENGTH = "__students_per_step"  # the strength that was chosen, for repeating the same fit in the attack


def assess(job: Job) -> list[Risk]:
    """The log as it stands with new ids: a part of the students is "released", the others are the control."""
    log = _log(job)
    member = protection.members(log, job.section.control, np.random.default_rng(job.seed))
    return membership_of(log, log.only(member), member, seed=job.seed)


def protect(job: Job) -> Protected:
    """Fit, generate, attack; raise the number of students per step until the limits hold."""
    section, log = job.section, _log(job)
    made, curve = protection.sweep(
        log,
        _columns(section),
        _settings(section),
        strengths=_strengths(section, log),
        students=section.students or log.lengths.size,
        control=section.control,
        repeats=_repeats(section, log),
        limits=section.limits(),
        draws=job.keyed,
        seed=job.seed,
    )
    return Protected(
        table=ibis.memtable(_helped(made.table, job.source, made.model)),
        changes=tuple(_changes(section, made.model, made.member)),
        curve=curve,
        synthetic=True,
        order=(PLACE,),
        facts=_facts(section, made.model, section.students or log.lengths.size),
    )


def attack(job: Job, released: Table) -> list[Risk]:
    """Attack exactly what is released; the students kept aside are drawn again from the same secret."""
    section, log = job.section, _log(job)
    columns = _columns(section)
    member = protection.members(log, section.control, job.keyed.generator("members"))
    made = _released(section, released, log)
    chosen = replace(_settings(section), m=int(released[STRENGTH].max().execute()))
    risks = protection.attacked(log, columns, chosen, made, member, repeats=_repeats(section, log), seed=job.seed)
    fitted = log.students.filter(pa.array(member))
    again = second_look.against_original(job.source, released, section, place=PLACE, fitted=fitted, m=chosen.m)
    return [*(_gated(risk, section) for risk in risks), *again]


def utility(job: Job, released: Table) -> list[Utility]:
    section, log = job.section, _log(job)
    return usefulness(log, _released(section, released, log), seed=job.seed)


def recheck(released: Table, facts: Mapping[str, Any]) -> list[Risk]:
    return second_look.from_file(released, facts)


def _released(section: Section, released: Table, log: Log) -> Log:
    """The released rows in the coding of the original."""
    seen = protection.coded_columns(_columns(section))
    return read(released.order_by([section.student, PLACE]), seen, items=log.items)


def _log(job: Job) -> Log:
    section: Section = job.section
    return read(job.source, _columns(section), layout=section.dates.get(section.time or ""))


def _columns(section: Section) -> Columns:
    """Columns to keep are drawn given the item like further ones: nothing is passed on as it is."""
    return Columns(
        student=section.student,
        item=section.item,
        correct=section.correct,
        skill=section.skill,
        time=section.time,
        attempt=section.attempt,
        duration=section.duration,
        further=(*section.further, *section.keep),
        ids=section.ids,
    )


def _settings(section: Section) -> Settings:
    return Settings(
        model=section.model,
        outcomes=section.outcomes,
        ability=section.ability,
        m=section.m or protection.STRENGTHS[0],
        order=section.order,
        smoothing=section.smoothing,
        longest=section.longest,
        epsilon=section.epsilon,
        items=section.items or None,
        max_rows=section.max_rows,
    )


def _strengths(section: Section, log: Log) -> tuple[int, ...]:
    """What the plan fixes, or what may be tried; noise does not depend on the students per step."""
    if section.epsilon is not None:
        return (section.m or protection.STRENGTHS[0],)
    return (section.m,) if section.m else protection.strengths_for(log, section.control)


def _repeats(section: Section, log: Log) -> int:
    return section.repeats or protection.repeats_for(log, section.control)


def _helped(table: pa.Table, source: Table, model: Model) -> pa.Table:
    """Columns in the order of the source, with the helpers behind them."""
    made = table.select([name for name in source.columns if name in table.column_names])
    made = made.append_column(PLACE, pa.array(np.arange(made.num_rows)))
    return made.append_column(STRENGTH, pa.array(np.full(made.num_rows, model.settings.m)))


def _gated(risk: Risk, section: Section) -> Risk:
    """The strongest attacker is held to the limits."""
    gates = {"auc": "membership", "tpr_at_1pct_fpr": "tpr"}
    gate = gates.get(risk.name) if risk.attacker == "strongest" else None
    limit = section.limits().get(gate) if gate else None
    return risk if limit is None else replace(risk, gate=gate, limit=limit)


def _changes(section: Section, model: Model, member: np.ndarray) -> list[Change]:
    gone = model.set_aside
    replaced = Change(
        column=section.student,
        what="rows of real students replaced by rows of students who do not exist",
        reason=f"a generator learnt from {member.mean():.0%} of the students; "
        "the others were kept aside, to see whether attackers can tell them apart",
    )
    if model.budget is not None:
        what = f"counts of steps, items, lengths and right answers carry noise (epsilon = {section.epsilon:g})"
        reason = "the generator hardly depends on whether any one student was in"
        return [replaced, Change(column=section.item, what=what, reason=reason)]
    what = f"steps from item to item that fewer than {model.settings.m} students took are not repeated"
    reason = f"a step that few students took would give them away; {_why(section)}"
    changes = [replaced, Change(column=section.item, what=what, reason=reason)]
    if gone.few_students:
        what = f"{_at_least_five(gone.few_students)} items with fewer than {model.settings.m} students left out"
        changes.append(Change(column=section.item, what=what, reason="too few students to hide among"))
    if gone.extreme:
        what = f"{_at_least_five(gone.extreme)} items that everyone or no one got right left out"
        changes.append(Change(column=section.item, what=what, reason="they have no finite difficulty"))
    return changes


def _why(section: Section) -> str:
    if section.m:
        return "the plan fixes this number"
    return "this number is the least of those tried that keeps every attack within the limits, if any does"


def _at_least_five(count: int) -> str:
    return f"{count:,}" if count >= 5 else "fewer than five"


def _facts(section: Section, model: Model, students: int) -> dict[str, Any]:
    return {
        "student": section.student,
        "item": section.item,
        "correct": section.correct,
        "skill": section.skill,
        "time": section.time,
        "attempt": section.attempt,
        "students": students,
        "model": section.model,
        "students_per_step": model.settings.m,
        "longest": model.sequences.longest,
        "prefix": model.prefix,
        "control": section.control,
        "privacy budget": None if model.budget is None else dict(model.budget),
    }
