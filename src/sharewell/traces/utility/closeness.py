"""How close a release stays to the original in what analysts count, in one number: for comparing ways to protect."""

import numpy as np

from sharewell.traces.course_log import CourseLog
from sharewell.traces.measure.course_profile import ProfileCells, cells

COUNTED = (
    "days", "weeks", "hours", "verbs", "steps", "sessions", "session lengths", "gaps", "events in all", "days in all",
)  # fmt: skip


def closeness(original: CourseLog, released: CourseLog) -> float:
    """The mean overlap of ten distributions: activity per day, week and hour, verbs, steps, sessions, gaps, totals."""
    if not released.students:
        return 0.0
    return float(np.mean([_overlap(cells(original, name), cells(released, name)) for name in COUNTED]))


def _overlap(before: ProfileCells, after: ProfileCells) -> float:
    """One minus the total variation distance."""
    if not before.code.size or not after.code.size:
        return 1.0 if before.code.size == after.code.size else 0.0
    (codes, one), (others, other) = (np.unique(side.code, return_counts=True) for side in (before, after))
    _, here, there = np.intersect1d(codes, others, assume_unique=True, return_indices=True)
    return float(np.minimum(one[here] / before.code.size, other[there] / after.code.size).sum())
