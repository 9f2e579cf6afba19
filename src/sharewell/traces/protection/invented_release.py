"""The table that invented students leave with, what is said of it, and what a recipient needs to check it."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
from ibis.expr.types import Table

from sharewell.contract import Change, Count, Curve, CurvePoint, Protected
from sharewell.data import engine
from sharewell.lab.membership import AUC, TPR
from sharewell.lab.splits import blind_ends
from sharewell.plan.windows import Window
from sharewell.traces.course_log import CourseColumns
from sharewell.traces.kind import GUESS, USES_KEPT
from sharewell.traces.protection.recoding import coarsened
from sharewell.traces.protection.synthetic import Invention, Made

GATES = {"membership": AUC, "tpr": TPR}


def invented_release(
    asked: Invention, noise: float, points: Sequence[CurvePoint], columns: CourseColumns, *, like: Table, window: Window
) -> Protected:
    """Rows of invented students in the columns of `like`; `place` keeps the events of one minute in their order."""
    made = asked.release(noise)
    place = _fresh(like.columns)
    rows = _columns(asked, made, columns, like)
    table = pa.table({**rows, place: pa.array(np.arange(made.invented.second.size))})
    return Protected(
        table=coarsened(engine.listed(table), columns.at, window),
        changes=tuple(_changes(asked, made, columns, noise, gone=[name for name in like.columns if name not in rows])),
        curve=curve_of(asked, points),
        synthetic=True,
        order=(columns.at, place),
        helpers=(place,),
        facts=_facts(asked, made, columns, noise, window),
    )


def curve_of(asked: Invention, points: Sequence[CurvePoint]) -> Curve:
    found = "The least noise that keeps every attack within the limits, with a margin."
    note = f"{'Fixed by the plan.' if len(asked.noises) == 1 else found} The gate judges it by other draws."
    return Curve(
        strength="noise on what is learnt, in sampling errors", risk=GUESS, utility=USES_KEPT,
        limit=asked.limits.get("guess"), points=tuple(points), note=_too_few(asked) + note,
    )  # fmt: skip


def _too_few(asked: Invention) -> str:
    """Said where no amount of noise could help: a small class cannot show that attackers know little."""
    ends = blind_ends(asked.log.students, asked.control, asked.repeats)
    missed = [gate for gate, measure in GATES.items() if asked.limits.get(gate, 1.0) < ends[measure]]
    if not missed:
        return ""
    return (
        f"With so few students and {asked.repeats} splits even an attack that knows nothing may pass the limit of "
        f"{' and '.join(missed)}: more students, or more repeats, are needed to show that it is met. "
    )


def _fresh(columns: Sequence[str]) -> str:
    from sharewell.data.engine import fresh

    return fresh(columns, "place")


def _columns(asked: Invention, made: Made, columns: CourseColumns, like: Table) -> dict[str, pa.Array]:
    """The columns that are drawn, in the order of the file; a column that nothing draws is not there."""
    invented = made.invented
    owner = pa.array(invented.student)
    found = {
        columns.student: asked.ids().take(owner),
        columns.at: pa.array((invented.second * 1_000_000).astype("datetime64[us]")),
    }
    for number, name in enumerate(columns.events):
        found[name] = pa.array([row[number] for row in made.model.tokens]).take(pa.array(invented.token))
    for number, name in enumerate(columns.fixed):
        found[name] = pa.array([row[number] for row in asked.log.strata]).take(pa.array(invented.stratum)).take(owner)
    for name, values in invented.numbers.items():
        found[name] = pa.array(values.astype(np.int64) if made.model.whole[name] else values)
    return {name: found[name] for name in like.columns if name in found}


def _changes(
    asked: Invention, made: Made, columns: CourseColumns, noise: float, *, gone: Sequence[str]
) -> list[Change]:
    changes = [
        Change(
            columns=(columns.student, columns.at, *columns.events),
            action="invented",
            detail="rows of real students replaced by rows of students who do not exist",
            reason=f"a model of the course learnt from {made.member.mean():.0%} of the students; the others were kept "
            "aside, to see whether attackers can tell them apart",
        ),
        Change(
            columns=(columns.at,),
            action="invented",
            detail=f"noise of {noise:g} sampling errors on every number that the model learnt",
            reason="totals tell who was in them, taken together",
        ),
        Change(
            columns=columns.events or (columns.at,),
            action="suppressed",
            detail=f"kinds of events and steps that fewer than {asked.m} students share are not repeated",
            reason="what few students did would give them away",
            cells=Count(made.model.left_out),
        ),
    ]
    reason = "nothing can be invented for it: it says something else in every row"
    return [*changes, *(Change(columns=(name,), action="dropped", reason=reason) for name in gone)]


def _facts(asked: Invention, made: Made, columns: CourseColumns, noise: float, window: Window) -> Mapping[str, Any]:
    return {
        "method": "synthetic",
        "setting": f"invented students, noise of {noise:g} sampling errors",
        "student": columns.student,
        "at": columns.at,
        "also": list(columns.events),
        "fixed": list(columns.fixed),
        "window": window.label,
        "noise": noise,
        "students_per_step": asked.m,
        "students": asked.students,
        "longest": made.model.longest,
        "largest_session": made.model.largest,
        "prefix": asked.prefix,
        "control": asked.control,
    }
