"""How close a release stays to the original in what analysts count, in one number: for comparing ways to protect."""

import numpy as np

from sharewell.traces.course_log import CourseLog
from sharewell.traces.measure.course_profile import Cells, cells

COUNTED = (
    "days", "weeks", "hours", "verbs", "steps", "sessions", "session lengths", "gaps", "events in all", "days in all",
)  # fmt: skip


def closeness(original: CourseLog, released: CourseLog) -> float:
    """The mean overlap of ten distributions: activity per day, week and hour, verbs, steps, sessions, gaps, totals."""
    if not released.students:
        return 0.0
    return float(np.mean([_overlap(cells(original, name), cells(released, name)) for name in COUNTED]))


def _overlap(before: Cells, after: Cells) -> float:
    """One minus the total variation distance."""
    if not before.code.size or not after.code.size:
        return 1.0 if before.code.size == after.code.size else 0.0
    codes, place = np.unique(np.concatenate([before.code, after.code]), return_inverse=True)
    one = np.bincount(place[: before.code.size], minlength=codes.size) / before.code.size
    other = np.bincount(place[before.code.size :], minlength=codes.size) / after.code.size
    return float(np.minimum(one, other).sum())
