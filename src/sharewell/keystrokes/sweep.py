"""The thesis's figures 6–10 in one call: identification over every strength of coarsening, and where the dips are."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from sharewell.contract import Curve, CurvePoint
from sharewell.data import engine
from sharewell.keystrokes import profiles, ranking
from sharewell.keystrokes.coarsening import Method, coarse
from sharewell.keystrokes.identification import matched
from sharewell.keystrokes.profiles import Profiles
from sharewell.keystrokes.samples import reduce
from sharewell.keystrokes.typing import Array
from sharewell.stats.correlation import pearson
from sharewell.stats.intervals import wilson
from sharewell.stats.ranks import share_within
from sharewell.stats.tradeoff import choose

STEPS_MS = tuple(range(0, 601, 10))


@dataclass(frozen=True, kw_only=True)
class Dip:
    """Strengths that look safe and are followed by one that is not."""

    first_ms: float
    last_ms: float
    found: float
    later: float  # the most that is found at a greater strength

    def __str__(self) -> str:
        return (
            f"{self.first_ms:g}–{self.last_ms:g} ms looks safe ({self.found:.3f} found), "
            f"and {self.later:.3f} are found at a greater strength"
        )


def sweep(
    train: Any,
    test: Any,
    *,
    method: Method = "bucket",
    steps_ms: Sequence[float] = STEPS_MS,
    accept: int = 10,
    limit: float | None = None,
    digraphs: int = profiles.DIGRAPHS,
    occurrences: int = profiles.OCCURRENCES,
) -> Curve:
    """Identification by nearest profiles over averages coarsened by each step, with the least safe step chosen.

    `limit` is twice chance where none is given. Utility is the correlation of coarse averages with the exact ones.
    """
    reference, target = reduce(engine.table(train)), reduce(engine.table(test))
    built = profiles.build(reference, target, digraphs=digraphs, occurrences=occurrences)
    rows, own = matched(reference, target)
    bound = limit if limit is not None else 2 * min(1.0, accept / len(reference.students))
    points = [_point(built, rows, own, step, method, accept, bound) for step in steps_ms]
    return settled(points, method, accept, bound)


def settled(points: list[CurvePoint], method: str, accept: int, limit: float) -> Curve:
    """The curve with the least strength chosen from which on no greater one is over the limit."""
    steady = [all(later.meets for later in points[index:]) for index in range(len(points))]
    curve = choose(
        [replace(point, meets=stands) for point, stands in zip(points, steady, strict=True)],
        strength=f"{method} (ms)",
        risk=f"found within {accept} by nearest profiles",
        utility="correlation of coarse with exact averages",
        limit=limit,
    )
    first = next((index for index, stands in enumerate(steady) if stands), None)
    marked = tuple(replace(point, chosen=index == first) for index, point in enumerate(curve.points))
    return replace(curve, points=marked, note="; ".join(str(dip) for dip in dips(curve, limit)))


def dips(curve: Curve, limit: float) -> list[Dip]:
    """Every stretch of strengths under the limit that a greater strength over the limit follows."""
    found: list[Dip] = []
    stretch: list[CurvePoint] = []
    for index, point in enumerate(curve.points):
        if point.risk <= limit:
            stretch.append(point)
        elif stretch:
            later = max(one.risk for one in curve.points[index:])
            lowest = min(one.risk for one in stretch)
            first, last = stretch[0].strength, stretch[-1].strength
            found.append(Dip(first_ms=first, last_ms=last, found=lowest, later=later))
            stretch = []
    return found


def _point(
    built: Profiles, rows: Array, own: Array, step: float, method: Method, accept: int, limit: float
) -> CurvePoint:
    train, test = coarse(built.train, step, method), coarse(built.test, step, method)
    near, far = profiles.scaled(train, test)
    counts = ranking.euclidean(near, far[rows], own, accept)
    shares = share_within(counts[:, 0], counts[:, 1], accept)
    low, high = wilson(float(shares.sum()), len(shares))
    value = float(np.mean(shares))
    return CurvePoint(
        label=f"{step:g} ms",
        strength=float(step),
        risk=value,
        utility=pearson(np.ravel(built.test), np.ravel(test)),
        meets=value <= limit,
        low=low,
        high=high,
    )
