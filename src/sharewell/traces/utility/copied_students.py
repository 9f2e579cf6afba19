"""Find students whose events stand at the very same times, as in enlarged logs.

Two halves of such a log are alike because they hold the same students, and an outcome is predicted from a student's own
copy. What is measured of one course is measured with copies kept together.
"""

import ibis
from ibis.expr.types import Table

from sharewell.data import engine

ENOUGH = 20  # events: so many at the same times are no coincidence
PRIME = 1_000_003


def copied_students(events: Table, student: str, at: str) -> Table:
    """One row per student: `student` as text, and `twin`, a name in common with those of exactly the same times.

    Counted once and kept: as a window over all events it would be computed again by every step that follows.
    """
    second = engine.seconds(events[at]).floor().cast("int64")
    cells = events.select(student=events[student].cast("string"), second=second, rest=second % PRIME)
    found = cells.group_by("student").agg(
        count=cells.count(),
        total=cells.second.sum().cast("string"),
        mixed=(cells.rest * cells.rest).sum().cast("string"),
    )
    copied = ibis.literal("same times ").concat(found["count"].cast("string"), " ", found.total, " ", found.mixed)
    return engine.materialise(
        found.select(student=found.student, twin=(found["count"] >= ENOUGH).ifelse(copied, found.student))
    )
