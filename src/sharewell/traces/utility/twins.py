"""Students whose events stand at the very same times: copies of one another, as in logs that were made larger.

Two halves of such a log are alike because they hold the same students, and an outcome is predicted from a student's own
copy. What is measured of one course is measured with copies kept together.
"""

import ibis
from ibis.expr.types import StringValue, Table

from sharewell.data import engine

ENOUGH = 20  # events: so many at the same times are no coincidence
PRIME = 1_000_003


def twin(table: Table, student: str, at: str) -> StringValue:
    """A name that students have in common who were active at exactly the same times; otherwise their own."""
    second = engine.seconds(table[at]).floor().cast("int64")
    of_student = ibis.window(group_by=student)
    mixed = (second % PRIME) * (second % PRIME)
    parts = [number.over(of_student).cast("string") for number in (second.count(), second.sum(), mixed.sum())]
    copied = ibis.literal("same times ").concat(parts[0], " ", parts[1], " ", parts[2])
    return (second.count().over(of_student) >= ENOUGH).ifelse(copied, table[student].cast("string"))
