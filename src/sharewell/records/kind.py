"""All that the rest of the house knows of records: words, roles, measures and how such a file is recognised."""

from collections.abc import Iterator, Sequence

from sharewell.contract import Kind, Measure
from sharewell.plan.claims import Guess, Looks
from sharewell.records.section import Section

MEASURES: tuple[Measure, ...] = ()


def claim(file: str, columns: Sequence[Looks], student: Looks | None) -> Guess:
    """Any table may be one: the least sure of all guesses."""
    why = "each student has one row"
    if student is None:
        why = "no column names a student; add one that differs in each row"
    elif student.spread < 1:
        why = "students repeat without a time; one row each is expected"
    needs = {"quasi": "move here what others may know of a student, such as a mark"}
    return Guess(file, "records", why, surety=0, needs=needs, places=_known_of_a_student)


def _known_of_a_student(column: Looks) -> Iterator[tuple[str, str]]:
    if column.named("sensitive"):
        yield "sensitive", "nobody should learn this"
    if column.date > 0.9:
        yield "drop", "dates can single a student out; coarsen them first"
    counted = column.number > 0.9 and column.distinct > 20  # views of a course, not the course
    if column.named("demographic") or (column.named("course") and not counted):
        yield "quasi", f"others may know this of a student ({column.distinct} different values)"
    outcome = column.named("outcome") and not column.named("id", "student")
    if outcome and column.spread > 0.2 and column.distinct > 10:
        reason = f"an outcome of which few have the same ({column.distinct} different values): it comes out in ranges"
        yield "quasi", reason
    if outcome:
        yield "keep", "an outcome; move it to sensitive if it must not be learned"


KIND = Kind(
    name="records",
    package="sharewell.records",
    section=Section,
    title="Student records",
    rows="one row per student",
    danger="Someone who knows a few ordinary facts about a student (age, home town, programme) looks for the row "
    "that fits. If only one row fits, everything else in that row is theirs to read.",
    caveats=(
        "Only the columns that the plan calls quasi-identifiers are taken as known to an attacker. A column kept "
        "as harmless that someone can look up after all is not covered.",
        "A group of look-alikes hides who is who. It does not hide what the whole group has in common.",
    ),
    roles={
        "quasi": "something others may know of a student",
        "sensitive": "something a student may want to keep to themselves",
    },
    measures=MEASURES,
    claim=claim,
)
