"""Sweep a strength, draw the curve, choose the least change that meets the limit."""

import math
from collections.abc import Sequence
from dataclasses import replace

from sharewell.contract import Better, Curve, CurvePoint, Measure


def meets(risk: float, limit: float, better: Better = "lower") -> bool:
    """Whether a risk stays within a limit; no number never does."""
    if not math.isfinite(risk):
        return False
    return risk <= limit if better == "lower" else risk >= limit


def choose(
    points: Sequence[CurvePoint],
    *,
    strength: str,
    risk: Measure,
    utility: Measure,
    limit: float | None,
    note: str = "",
) -> Curve:
    """The curve with the most useful point that meets the limit marked; the weaker of two equally useful ones."""
    fitting = [index for index, point in enumerate(points) if point.meets]
    best = max(fitting, key=lambda index: (points[index].utility, -points[index].strength), default=None)
    marked = tuple(replace(point, chosen=index == best) for index, point in enumerate(points))
    return Curve(strength=strength, risk=risk, utility=utility, limit=limit, points=marked, note=note)
