"""A log that is too large to be learnt from whole: a generator learns from students whom the key draws.

Invented rows need no more than enough real ones, and students who are not drawn shape nothing. Attackers get more than
they could know: the log of the students drawn, and so who these are.
"""

from dataclasses import dataclass

from ibis.expr.types import Table

from sharewell.contract import Job
from sharewell.data import engine
from sharewell.errors import InputError
from sharewell.responses.log import Columns

# rows from which on not all are learnt from: a fit takes 16 s for each million, and 20 to 60 of them are made
LARGE = 4_000_000
LEARNT_FROM = 2_000_000  # rows of those who are drawn
PARTS = 2**20  # of the numbers between 0 and 1 that the key gives to students
LEAST_STUDENTS = 1_000  # to draw from: a log of fewer who did more each is learnt from whole


@dataclass(frozen=True, kw_only=True)
class Drawn:
    """The rows of the students whom a generator may learn from, in the order of the file."""

    rows: Table
    place: str | None = None  # the column of places in the file, and
    students: int | None = None  # how many students the file has, where some were drawn, and
    expected: int | None = None  # drawn on average: the true number would disclose whether a student who left was in
    everybody: str = ""  # other words for another list of students, of whom not all need to be drawn

    def at_its_place(self, error: InputError) -> InputError:
        """Name the row of the file instead of the drawn one."""
        if error.row is None or self.place is None:
            return error
        row = engine.arrow(self.rows.select(self.place).limit(1, offset=error.row - 1))[self.place][0].as_py()
        return error.at_row(row + 1)


def drawn(job: Job, columns: Columns) -> Drawn:
    """All rows of a log of usual size; of a larger one those of some students."""
    source = job.source
    if columns.student not in source.columns or engine.value(source.count()) <= LARGE:
        return Drawn(rows=source)
    rows, (place,) = engine.in_file_order(source)
    rows = engine.materialise(rows)
    _refuse_missing(rows, columns, place)
    who = rows[columns.student].cast("string")
    people = rows.group_by(__who=who).agg(__rows=rows.count())
    people = engine.keyed_numbers(people, "__who", "__drawn", job.keyed.secret("learnt from").hex())
    people = engine.materialise(people)
    students, events, numbers = _totals(people)
    share = max(LEARNT_FROM / events, LEAST_STUDENTS / students)
    if share >= 1:
        return Drawn(rows=source)
    some = people.filter(people["__drawn"] < share)
    found = engine.materialise(rows.semi_join(some, who == some["__who"]).order_by(place))
    return Drawn(
        rows=found,
        place=place,
        students=students,
        expected=round(share * students),
        everybody=f"{students} {events} {numbers}",
    )


def _totals(people: Table) -> tuple[int, int, int]:
    """How many students and rows there are, and a number that hardly any other list of students has."""
    whole = (people["__drawn"] * PARTS).round().cast("int64")  # sums of fractions depend on their order
    found = people.aggregate(students=people.count(), rows=people["__rows"].sum(), numbers=whole.sum())
    totals = engine.arrow(found).to_pylist()[0]
    return int(totals["students"]), int(totals["rows"]), int(totals["numbers"])


def _refuse_missing(rows: Table, columns: Columns, place: str) -> None:
    """Rows of nobody cannot be drawn: they would be passed over in silence."""
    missing = rows.filter(rows[columns.student].isnull())
    first = engine.value(missing[place].min())
    if first is not None:
        raise InputError("a value is missing; fill it in or drop the row", column=columns.student, row=first + 1)
