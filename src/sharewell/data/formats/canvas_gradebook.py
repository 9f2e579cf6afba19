"""The grade book that Canvas exports as CSV: below the header stand rows that are no students.

"Points Possible" (and on some servers a row of "Manual Posting") and the test student are left out.
"""

from pathlib import Path

from ibis.expr.types import Table

from sharewell.data.formats import ReadOptions, delimited
from sharewell.errors import InputError

STUDENT = "Student"
NOBODY = ("points possible", "manual posting", "student, test", "test student")

style, write = delimited.style, delimited.write


def read(path: Path, options: ReadOptions) -> Table:
    table = delimited.read(path, options)
    if STUDENT not in table.columns:
        raise InputError(f"has no column '{STUDENT}': is this a grade book of Canvas?", file=path)
    name = table[STUDENT].strip().lower()
    return table.filter(table[STUDENT].notnull() & ~name.isin(NOBODY))
