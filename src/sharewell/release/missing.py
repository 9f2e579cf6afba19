"""Measure who is missing: students who said no, to somebody who holds a copy of the original file."""

from sharewell.contract import Measure, Risk
from sharewell.plan.audience_limits import LIMITS

MISSING = Measure(id="missing given the original", title="Missing students of whom it is seen that they said no")
TENTHS = 1  # decimals of the share: how many said no is private


def missing(said_no: int, students: int, released: int, audience: str) -> Risk | None:
    """Measure how often a guess at those missing from a file names somebody who said no.

    It is advice: a release may be wanted although it shows who took no part.
    """
    gone = said_no + students - released
    if not said_no or gone <= 0:
        return None
    others = "some were left out by the protection" if gone > said_no else "nobody else is missing"
    return Risk(
        measure=MISSING, attacker="holds a copy of the original", value=round(said_no / gone, TENTHS), n=students,
        limit=1 / LIMITS[audience].company,
        story="A holder of a copy of the original file sees which students are not in the release. Of those "
        f"missing this share said no ({others}). To hide them, name others beside them under exclude.",
    )  # fmt: skip
