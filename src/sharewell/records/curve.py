"""The trade-off over k: how likely a student is found, against what an analyst keeps."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from sharewell.contract import Curve, CurvePoint
from sharewell.data import engine
from sharewell.records import kernels, outcomes
from sharewell.records.combinations import combine
from sharewell.records.diversity import Limits
from sharewell.records.guidance import guided
from sharewell.records.hierarchies import gather
from sharewell.records.protect import METHODS, TARGET_WEIGHT, check_request, smallest_class, value_counts
from sharewell.records.space import PRIOR
from sharewell.records.task import Recoding, Task

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
    method: str = "full-domain",
    hierarchies: Any = None,
    max_suppressed: float = 0.02,
    seconds: float = 1,
    seed: int = 0,
    target_weight: float = TARGET_WEIGHT,
) -> Curve:
    """The curve over k, with the point of the limit `k`, which a release uses, chosen. `seconds` is for each point."""
    source, targets = engine.table(table), outcomes.as_columns(target)
    limits = Limits(k=k, l=l, t=t, max_suppressed=max_suppressed)
    check_request(source, tuple(quasi), tuple(sensitive), targets, limits, method)
    combinations = combine(source, tuple(quasi), tuple(sensitive), outcomes.numeric(source, targets))
    task = Task(
        combinations=combinations,
        hierarchies=gather(hierarchies, *value_counts(combinations)),
        limits=limits,
        sensitive=tuple(sensitive),
        weight=target_weight if targets else 0.0,
        seconds=seconds,
        seed=seed,
    )
    return draw(task, method, over)


def draw(task: Task, method: str, over: Sequence[int]) -> Curve:
    """One recoding for every k; utility is the predictable part of the outcomes that is kept, or else the detail."""
    task = guided(task)
    points = [_point(task, method, k) for k in sorted({*over, task.limits.k}) if k <= task.combinations.rows]
    released = [replace(point, chosen=point.meets and point.strength == task.limits.k) for point in points]
    return Curve(
        strength="k",
        risk="chance to find the most recognisable student",
        utility="share of the predictable outcome kept" if task.weight > 0 else "detail kept (1 − loss)",
        limit=1 / task.limits.k,
        points=tuple(released),
        note="Chosen is the k of the plan. Suppressed rows are left out of the risk: they carry no quasi-identifier. "
        "Groups may come out larger than asked for, and a target can make a larger k the more useful one.",
    )


def _point(task: Task, method: str, k: int) -> CurvePoint:
    made = METHODS[method](replace(task, limits=replace(task.limits, k=k)))
    found = smallest_class(task.combinations, made)
    return CurvePoint(
        label=f"k = {k}",
        strength=float(k),
        risk=1 / found if found else 0.0,
        utility=_explained(task, made) if task.weight > 0 else 1 - made.loss,
        meets=found >= task.limits.k or found == 0,
    )


def _explained(task: Task, made: Recoding) -> float:
    """1 − the squared error that is left when everyone's outcome is guessed from their class."""
    ids = made.classes.astype(np.int32)
    classes = int(ids.max()) + 1
    wrong = np.zeros(classes, np.uint8)
    wrong[ids[made.gone]] = kernels.TOO_FEW
    aim = task.aim
    return 1 - float(kernels.unexplained(ids, classes, wrong, aim.counts, aim.sums, aim.squares, PRIOR))
