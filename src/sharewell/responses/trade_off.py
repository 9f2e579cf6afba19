"""Quality against privacy for all models and baselines (Vie et al. 2022, figure 4), and a choice under the limits."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from sharewell.contract import Curve, CurvePoint
from sharewell.data import engine
from sharewell.lab.membership import AUC, strongest
from sharewell.responses.kind import DIFFICULTY_KEPT
from sharewell.responses.log import Columns, Log, read
from sharewell.responses.measure.membership_risks import membership_of
from sharewell.responses.protection.dropped_rows import SHARES, drop_rows
from sharewell.responses.protection.generator import fit_log
from sharewell.responses.protection.strength_search import members
from sharewell.responses.settings import Settings
from sharewell.responses.utility.item_difficulty import difficulty_error_of
from sharewell.stats.arrays import Array
from sharewell.stats.tradeoff import choose, meets

Release = Callable[[], Any]
STRENGTHS = (1, 2, 5, 8, 12, 20)


def compare(
    log: Any,
    *,
    student: str,
    item: str,
    correct: str,
    skill: str | None = None,
    models: Sequence[str] = ("markov",),
    strengths: Sequence[int] = STRENGTHS,
    smoothings: Sequence[float] = (0.0,),
    drops: Sequence[float] = SHARES,
    limit: float = 0.55,
    seed: int = 0,
) -> Curve:
    """Draw the error of item difficulty against the strongest membership AUC.

    Half of the students train, half are the control.

    Strengths of protection are the students that a step needs and the smoothing; baselines drop rows. The utility
    of a point is minus its error, so that more is better.

    Args:
        log: A pandas, polars or pyarrow frame, or a path: one row per answer.
        student: The column of student ids.
        item: The column of items.
        correct: The column that says right or wrong.
        skill: The column of skills, where there is one.
        models: Generators to compare: "markov", "gru".
        strengths: Numbers of students that a step needs.
        smoothings: Shares of smoothing of the chain.
        drops: Shares of rows that the baseline drops.
        limit: The AUC that a choice may reach.
        seed: Of the halves, the draws and the attacks.

    Returns:
        The curve, with the most useful point within the limit marked.

    Example:
        >>> import pyarrow as pa
        >>> import sharewell as sw
        >>> rows = [(s, i, (s * i + s // 3 + i // 2) % 2) for s in range(16) for i in range(6)]
        >>> log = pa.table(dict(zip(("who", "what", "right"), map(list, zip(*rows)))))
        >>> found = sw.responses.compare(log, student="who", item="what", correct="right", strengths=[2], drops=[0.5])
        >>> [point.label for point in found.points]
        ['markov, m = 2', 'drop 0.5 of the rows']
    """
    columns = Columns(student=student, item=item, correct=correct, skill=skill)
    rows = engine.arrow(log)
    whole = read(rows, columns)
    member = members(whole, 0.5, np.random.default_rng(seed))
    releases = [
        *_generated(whole.only(member), columns, models, strengths, smoothings, seed),
        *_dropped(_rows_of(rows, student, whole, member), student, drops, seed),
    ]
    points = [
        _point(label, strength, whole, member, read(make(), _seen(columns), items=whole.items), limit, seed)
        for label, strength, make in releases
    ]
    return choose(
        points,
        strength="students that every step needs, or share of rows dropped",
        risk=AUC,
        utility=DIFFICULTY_KEPT,
        limit=limit,
    )


def _generated(
    train: Log,
    columns: Columns,
    models: Sequence[str],
    strengths: Sequence[int],
    smoothings: Sequence[float],
    seed: int,
) -> Iterator[tuple[str, float, Release]]:
    for model in models:
        for m in strengths:
            for smoothing in smoothings if model == "markov" else (0.0,):
                settings = Settings(model=model, m=m, smoothing=smoothing, seed=seed)

                def make(settings: Settings = settings) -> pa.Table:
                    fitted = fit_log(train, columns, settings)
                    return fitted.table(train.lengths.size, np.random.default_rng(seed))

                spread = f", smoothing {smoothing:g}" if smoothing else ""
                yield f"{model}, m = {m}{spread}", float(m), make


def _dropped(rows: pa.Table, student: str, drops: Sequence[float], seed: int) -> Iterator[tuple[str, float, Release]]:
    for share in drops:

        def make(share: float = share) -> Any:
            return drop_rows(rows, student=student, share=share, seed=seed)

        yield f"drop {share:g} of the rows", share, make


def _point(label: str, strength: float, whole: Log, member: Array, fake: Log, limit: float, seed: int) -> CurvePoint:
    risks = membership_of(whole, fake, member, seed=seed)
    worst = next(risk for risk in strongest(risks) if risk.measure == AUC)
    error = difficulty_error_of(whole.only(member), fake)
    return CurvePoint(
        label=label,
        strength=strength,
        risk=worst.value,
        low=worst.low,
        high=worst.high,
        utility=error.reliability,
        meets=meets(worst.value, limit),
    )


def _seen(columns: Columns) -> Columns:
    return Columns(student=columns.student, item=columns.item, correct=columns.correct)


def _rows_of(rows: pa.Table, student: str, whole: Log, member: Array) -> pa.Table:
    trained = whole.students.filter(pa.array(member))
    return rows.filter(pa.compute.is_in(rows.column(student), value_set=trained))
