"""The thesis's figures 6–10 in one call: identification over every strength of coarsening, and where the dips are."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy.spatial.distance import cdist

from sharewell.contract import Curve, CurvePoint
from sharewell.keystrokes import profiles
from sharewell.keystrokes.arrays import Array
from sharewell.keystrokes.kind import AVERAGES_CURVE, found_by_nearest
from sharewell.keystrokes.measure import ranking
from sharewell.keystrokes.profiles import Profiles
from sharewell.keystrokes.protection.coarsening import Method, coarse
from sharewell.keystrokes.samples import checked, matched, reduce
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
    """Measure identification over averages coarsened by each step, and choose one.

    By nearest profiles; the least safe step is chosen.

    Args:
        train: Timings (see `timings`) that the attacker knows.
        test: Timings whose typists are looked for.
        method: "bucket" or "round", the thesis's two ways to coarsen.
        steps_ms: The strengths to try, in milliseconds.
        accept: The length of the attacker's list.
        limit: The share that may be found; twice what guessing finds where none is given.
        digraphs: How many of the commonest digraphs profiles hold.
        occurrences: How often a student must have typed a digraph.

    Returns:
        The curve; its utility is the correlation of coarse averages with the exact ones.

    Example:
        >>> import pyarrow as pa
        >>> import sharewell as sw
        >>> def sample(*rows):
        ...     student, keys, ms = zip(*rows)
        ...     return pa.table({"student": student, "kind": ["latency"] * len(rows), "keys": keys, "ms": ms})
        >>> known = sample(("ann", "a→b", 100.0), ("ann", "b→a", 90.0), ("bo", "a→b", 200.0), ("bo", "b→a", 300.0))
        >>> seen = sample(("ann", "a→b", 110.0), ("ann", "b→a", 95.0), ("bo", "a→b", 190.0), ("bo", "b→a", 310.0))
        >>> curve = sw.keystrokes.sweep(known, seen, steps_ms=[0, 1000], accept=1, occurrences=1, limit=0.5)
        >>> [(point.label, point.risk) for point in curve.points]
        [('0 ms', 1.0), ('1000 ms', 0.5)]
    """
    reference, target = reduce(checked(train, "train")), reduce(checked(test, "test"))
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
        risk=found_by_nearest(accept),
        utility=AVERAGES_CURVE,
        limit=limit,
    )
    first = next((index for index, stands in enumerate(steady) if stands), None)
    marked = tuple(replace(point, chosen=index == first) for index, point in enumerate(curve.points))
    return replace(curve, points=marked, note="; ".join(str(dip) for dip in dips(curve, limit)))


def dips(curve: Curve, limit: float) -> list[Dip]:
    """Every safe of strengths under the limit that a greater strength over the limit follows."""
    found: list[Dip] = []
    safe: list[CurvePoint] = []
    for index, point in enumerate(curve.points):
        if point.risk <= limit:
            safe.append(point)
        elif safe:
            later = max(one.risk for one in curve.points[index:])
            lowest = min(one.risk for one in safe)
            first, last = safe[0].strength, safe[-1].strength
            found.append(Dip(first_ms=first, last_ms=last, found=lowest, later=later))
            safe = []
    return found


def _point(
    built: Profiles, rows: Array, own: Array, step: float, method: Method, accept: int, limit: float
) -> CurvePoint:
    train, test = coarse(built.train, step, method), coarse(built.test, step, method)
    near, far = profiles.scaled(train, test)
    counts = ranking.of_scores(-cdist(far[rows], near), own)
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
