"""All that the rest of the house knows of attendance."""

from collections.abc import Sequence

from attendance.section import Section
from sharewell.contract import Kind, Measure
from sharewell.plan.claims import Guess, Looks

ALONE = Measure(id="alone", title="Students alone with their number of lectures", unit="share", counts=True)
ROWS_KEPT = Measure(id="rows kept", title="Visits that are still there", unit="share", better="higher")


def claim(file: str, columns: Sequence[Looks], student: Looks | None) -> Guess | None:
    lecture = next((column for column in columns if "lecture" in column.parts), None)
    if student is None or lecture is None:
        return None
    found = Guess(file, "attendance", "there are lectures and who sat in them", surety=9)
    found.give("lecture", lecture, "the name says so")
    return found


KIND = Kind(
    name="attendance",
    package="attendance",
    section=Section,
    title="Lists of attendance",
    rows="one row per student and lecture",
    danger="Someone counted how often a student was there.",
    roles={"lecture": "which lecture it was"},
    measures=(ALONE, ROWS_KEPT),
    claim=claim,
)
