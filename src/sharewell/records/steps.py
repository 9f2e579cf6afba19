"""The five steps of records for the pipeline."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa
from ibis.expr.types import Table

from sharewell.contract import Protected, Risk, Utility
from sharewell.data import engine
from sharewell.kinds import Job
from sharewell.records import check, curve, inference, kept, risk, suppressed
from sharewell.records import utility as usefulness
from sharewell.records.diversity import Limits
from sharewell.records.outcomes import as_columns
from sharewell.records.protect import METHODS
from sharewell.records.protect import protect as recode_table
from sharewell.records.section import Section

CURVE_OVER = (1, 2, 3, 5, 7, 10, 15)
CURVE_SHARE = 0.1  # of the time of the search, for every point of the curve
HELD_OUT_ROWS = 3_000


def assess(job: Job) -> list[Risk]:
    section: Section = job.section
    found = risk.assess(
        job.source, quasi=section.quasi, sensitive=section.sensitive, target=as_columns(section.target), seed=job.seed
    )
    return [*(_with_limit(one, _limits(section)) for one in found), *kept.alone(job.source, section.keep)]


def protect(job: Job) -> Protected:
    section: Section = job.section
    done = recode_table(
        suppressed.numbered(job.source).drop(*section.direct, *section.drop),
        quasi=section.quasi,
        sensitive=section.sensitive,
        targets=as_columns(section.target),
        limits=_search_limits(section),
        method=section.method,
        weight=section.target_weight,
        hierarchies=_hierarchies(section),
        seconds=section.seconds,
        seed=job.seed,
        withheld=section.keep,
    )
    facts = {
        "quasi": list(section.quasi),
        "sensitive": list(section.sensitive),
        "withheld": list(section.keep),
        "limits": _limits(section),
        "method": section.method,
        "levels": dict(done.levels),
        "suppressed": done.suppressed_rows,
        "loss": done.loss,
        "proven": done.proven,
    }
    private = {f"hierarchy_{name}": _as_table(made.rows()) for name, made in done.hierarchies.items()}
    return Protected(table=done.table, changes=done.changes, curve=_curve(job), facts=facts, private=private)


def attack(job: Job, released: Table) -> list[Risk]:
    """The recount carries the gates; what a class gives away and what can be guessed is told beside it."""
    section: Section = job.section
    recounted = check.measure(released, quasi=section.quasi, sensitive=section.sensitive, withheld=section.keep)
    told = risk.assess(
        released, quasi=section.quasi, sensitive=section.sensitive, target=as_columns(section.target), seed=job.seed
    )
    counted = {one.name for one in recounted}
    rest = [one for one in told if one.name not in counted]
    gated = [_with_limit(one, _limits(section)) for one in recounted]
    return [*gated, *rest, *_guesses(job, released), *kept.alone(released, section.keep)]


def utility(job: Job, released: Table) -> list[Utility]:
    section: Section = job.section
    before, after = suppressed.side_by_side(job.source, released, job.seed)
    found = usefulness.measure(
        before,
        after,
        quasi=section.quasi,
        target=as_columns(section.target),
        hierarchies=_hierarchies(section),
        seed=job.seed,
    )
    found += suppressed.by_group(before, after, section.quasi, [*section.sensitive, *as_columns(section.target)])
    if before.num_rows <= HELD_OUT_ROWS:
        for target in as_columns(section.target):
            study = usefulness.study_of(before, section.quasi, target, _hierarchies(section))
            task = {"limits": _search_limits(section, sensitive=False), "weight": section.target_weight, "seconds": 0.5}
            if np.unique(study.outcome).size > 1:
                method = METHODS[section.method]
                found += usefulness.held_out(study, method, {**task, "seed": job.seed}, target=target, seed=job.seed)
    return found


def recheck(released: Table, facts: Mapping[str, Any]) -> list[Risk]:
    measured = check.measure(released, quasi=facts["quasi"], sensitive=facts["sensitive"], withheld=facts["withheld"])
    return [_with_limit(one, facts["limits"]) for one in measured]


def _guesses(job: Job, released: Table) -> list[Risk]:
    """The inference attack, on a release of two thirds of the students so that there are others to compare with."""
    section: Section = job.section
    return inference.rehearsed(
        engine.arrow(job.source.select(*section.quasi, *section.sensitive, *as_columns(section.target))),
        quasi=section.quasi,
        sensitive=section.sensitive,
        targets=as_columns(section.target),
        method=METHODS[section.method],
        limits=_search_limits(section),
        weight=section.target_weight,
        hierarchies=_hierarchies(section),
        seed=job.seed,
    )


def _curve(job: Job) -> Any:
    section: Section = job.section
    limits = _search_limits(section)
    return curve.tradeoff(
        job.source,
        quasi=section.quasi,
        k=limits.k,
        over=CURVE_OVER,
        l=limits.l,
        t=limits.t,
        sensitive=section.sensitive,
        target=as_columns(section.target),
        method=section.method,
        hierarchies=_hierarchies(section),
        max_suppressed=limits.max_suppressed,
        seconds=CURVE_SHARE * section.seconds,
        seed=job.seed,
        target_weight=section.target_weight,
    )


def _search_limits(section: Section, *, sensitive: bool = True) -> Limits:
    has = sensitive and bool(section.sensitive)
    return Limits(
        k=int(section.limit.k or 1),
        l=section.limit.l if has else None,
        t=section.limit.t if has else None,
        max_suppressed=section.max_suppressed,
    )


def _hierarchies(section: Section) -> Any:
    return section.folder / section.hierarchies if section.hierarchies else None


def _limits(section: Section) -> dict[str, float]:
    """The limits that the file can be held to: l and t speak of sensitive columns."""
    named: dict[str, float | None] = {"k": section.limit.k}
    if section.sensitive:
        named |= {"l": section.limit.l, "t": section.limit.t}
    return {name: float(value) for name, value in named.items() if value is not None}


def _with_limit(risk: Risk, limits: Mapping[str, Any]) -> Risk:
    return replace(risk, gate=risk.name, limit=float(limits[risk.name])) if risk.name in limits else risk


def _as_table(rows: list[list[str]]) -> pa.Table:
    return pa.table({f"level_{n}": [row[n] for row in rows] for n in range(len(rows[0]))})
