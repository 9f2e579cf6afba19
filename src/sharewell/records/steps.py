"""The five steps of records for the pipeline."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pyarrow as pa
from ibis.expr.types import Table

from sharewell.kinds import Job
from sharewell.records import check
from sharewell.records.diversity import Limits
from sharewell.records.outcomes import as_columns
from sharewell.records.protect import protect as recode_table
from sharewell.records.risk import assess as assess_table
from sharewell.records.section import Section
from sharewell.results import Protected, Risk, Utility


def assess(job: Job) -> list[Risk]:
    section: Section = job.section
    return _gated(assess_table(job.source, quasi=section.quasi, sensitive=section.sensitive), section)


def protect(job: Job) -> Protected:
    section: Section = job.section
    kept = recode_table(
        job.source.drop(*section.direct, *section.drop),
        quasi=section.quasi,
        sensitive=section.sensitive,
        targets=as_columns(section.target),
        limits=Limits(
            k=int(section.limit.k or 1),
            l=section.limit.l if section.sensitive else None,
            t=section.limit.t if section.sensitive else None,
            max_suppressed=section.max_suppressed,
        ),
        method=section.method,
        weight=section.target_weight,
        hierarchies=section.folder / section.hierarchies if section.hierarchies else None,
        seconds=section.seconds,
        seed=job.seed,
        withheld=section.keep,
    )
    private = {f"hierarchy_{name}": _as_table(made.rows()) for name, made in kept.hierarchies.items()}
    facts = {
        "quasi": list(section.quasi),
        "sensitive": list(section.sensitive),
        "withheld": list(section.keep),
        "limits": _limits(section),
        "levels": dict(kept.levels),
        "suppressed": kept.suppressed_rows,
        "loss": kept.loss,
        "proven": kept.proven,
    }
    return Protected(table=kept.table, changes=kept.changes, facts=facts, private=private)


def attack(job: Job, released: Table) -> list[Risk]:
    section: Section = job.section
    measured = check.measure(released, quasi=section.quasi, sensitive=section.sensitive, withheld=section.keep)
    return _gated(measured, section)


def utility(job: Job, released: Table) -> list[Utility]:
    return []


def recheck(released: Table, facts: Mapping[str, Any]) -> list[Risk]:
    measured = check.measure(released, quasi=facts["quasi"], sensitive=facts["sensitive"], withheld=facts["withheld"])
    return [_with_limit(risk, facts["limits"]) for risk in measured]


def _limits(section: Section) -> dict[str, float]:
    named = {"k": section.limit.k, "l": section.limit.l if section.sensitive else None, "t": section.limit.t}
    return {name: value for name, value in named.items() if value is not None}


def _gated(risks: list[Risk], section: Section) -> list[Risk]:
    return [_with_limit(risk, _limits(section)) for risk in risks]


def _with_limit(risk: Risk, limits: Mapping[str, Any]) -> Risk:
    return replace(risk, gate=risk.name, limit=float(limits[risk.name])) if risk.name in limits else risk


def _as_table(rows: list[list[str]]) -> pa.Table:
    return pa.table({f"level_{n}": [row[n] for row in rows] for n in range(len(rows[0]))})
