"""The trade-off over k: how likely a student is found, against what an analyst keeps."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from sharewell.contract import Curve, CurvePoint
from sharewell.data import engine
from sharewell.records import outcomes
from sharewell.records.arguments import check_arguments
from sharewell.records.kind import DETAIL_KEPT, OUTCOME_KEPT, PROSECUTOR
from sharewell.records.limits import Limits
from sharewell.records.protection.anonymization import smallest_class
from sharewell.records.protection.predicted_outcomes import guided
from sharewell.records.protection.recoding import Recode, Recoding, Request, explained
from sharewell.records.protection.settings import TARGET_WEIGHT, Settings

OVER = tuple(range(1, 16))  # the paper's


def tradeoff(
    table: Any,
    *,
    quasi: Sequence[str],
    k: int = 5,
    over: Sequence[int] = OVER,
    l: int | None = None,  # noqa: E741
    t: float | None = None,
    sensitive: Sequence[str] = (),
    target: str | Sequence[str] | None = None,
    method: str = "best",
    hierarchies: Any = None,
    max_suppressed: float = 0.02,
    seconds: float = 1,
    seed: int = 0,
    target_weight: float = TARGET_WEIGHT,
) -> Curve:
    """Measure the trade-off over k, and mark the k that a release would use.

    Args:
        table: A pandas, polars or pyarrow frame, or a path to a file.
        quasi: Columns with what others may know of a student.
        k: The limit whose point is marked as chosen.
        over: The values of k to try.
        l: The fewest different sensitive values in a class; None for no such limit.
        t: How far the sensitive values of a class may lie from those of everyone; None for no such limit.
        sensitive: Columns with what nobody should learn.
        target: Outcomes that analysts want to predict.
        method: "best", "full-domain", "local" or "stinar".
        hierarchies: As for `anonymize`.
        max_suppressed: The largest share of rows that may become rows of `*`.
        seconds: How long the search may take for each point.
        seed: For the parts of the search that draw at random.
        target_weight: What the targets count against general usefulness, 0 to 1.

    Returns:
        The curve: for every k the chance to find the student who is easiest to find, and what is kept.

    Example:
        >>> import pyarrow as pa
        >>> import sharewell as sw
        >>> students = pa.table({"age": [18, 19, 18, 19, 30, 31], "sex": ["f", "m"] * 3})
        >>> curve = sw.records.tradeoff(students, quasi=["age", "sex"], k=2, over=[1, 2, 3])
        >>> [(point.label, round(point.utility, 2)) for point in curve.points]
        [('k = 1', 1.0), ('k = 2', 0.5), ('k = 3', 0.5)]
    """
    check_arguments(k=k, l=l, t=t, max_suppressed=max_suppressed, quasi=quasi, sensitive=sensitive)
    settings = Settings(
        quasi=tuple(quasi),
        sensitive=tuple(sensitive),
        targets=outcomes.as_columns(target),
        limits=Limits(k=k, l=l, t=t, max_suppressed=max_suppressed),
        method=method,
        hierarchies=hierarchies,
        weight=target_weight,
        seconds=seconds,
        seed=seed,
    )
    return draw(settings.request_for(engine.table(table)), settings.recode, over)


def draw(request: Request, method: Recode, over: Sequence[int], released: Recoding | None = None) -> Curve:
    """One recoding for every k; utility is the predictable part of the outcomes that is kept, or else the detail.

    `released` is the recoding of the table that leaves: the chosen point is measured on it, not on a quicker search.
    """
    request = guided(request)
    asked = request.limits.k
    points = []
    for k in sorted({*over, asked}):
        if k <= request.combinations.rows:
            limited = replace(request, limits=replace(request.limits, k=k))
            points.append(_point(request, released if released and k == asked else method(limited), k))
    return Curve(
        strength="k",
        risk=PROSECUTOR,
        utility=OUTCOME_KEPT if request.weight > 0 else DETAIL_KEPT,
        limit=1 / asked,
        points=tuple(replace(point, chosen=point.meets and point.strength == asked) for point in points),
        note="Chosen is the k of the release. Suppressed rows are left out of the risk: they carry no "
        "quasi-identifier. Groups may come out larger than asked for, and a target can make a larger k the more "
        "useful one.",
    )


def _point(request: Request, made: Recoding, k: int) -> CurvePoint:
    if k == 1 and request.limits.l is None and request.limits.t is None:  # the table as it stands
        smallest = int(request.combinations.counts.min())
        meets = smallest >= request.limits.k
        return CurvePoint(label="k = 1", strength=1.0, risk=1 / smallest, utility=1.0, meets=meets)
    found = smallest_class(request.combinations, made)
    return CurvePoint(
        label=f"k = {k}",
        strength=float(k),
        risk=1 / found if found else 0.0,
        utility=explained(request, made) if request.weight > 0 else 1 - made.loss,
        meets=found >= request.limits.k or found == 0,
    )


def flat(drawn: Curve) -> str:
    """A sentence where every k gives the same: the groups are larger than any k asked for."""
    kept = {round(point.utility, 4) for point in drawn.points if point.strength > 1}
    if len(kept) > 1 or len(drawn.points) < 3:
        return ""
    return "Every k above 1 gives the same table: another limit keeps the groups larger than any k that was tried."
