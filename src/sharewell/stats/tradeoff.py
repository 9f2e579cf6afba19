"""Sweep a strength, draw the curve, choose the least change that meets the limit."""

import math
from collections.abc import Callable, Sequence
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


def weakest_that_meets(strengths: int, attempt: Callable[[int], CurvePoint]) -> tuple[int, dict[int, CurvePoint]]:
    """The place of the weakest strength that meets the limits, or of the strongest tried; and all that were tried.

    More strength means less risk, so that halving the list finds the place with few attempts. Where the middle is too
    weak the strongest comes next: if that is too weak as well, there is nothing to search for.
    """
    tried: dict[int, CurvePoint] = {}
    low, high = 0, strengths - 1
    while low <= high:
        place = (low + high) // 2
        tried[place] = attempt(place)
        if len(tried) == 1 and not tried[place].meets and place < high:
            tried[high] = attempt(high)
            high = high - 1 if tried[high].meets else place
        low, high = (low, place - 1) if tried[place].meets else (place + 1, high)
    fitting = [place for place, point in tried.items() if point.meets]
    return (min(fitting) if fitting else max(tried)), tried
