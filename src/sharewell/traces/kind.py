"""All that the rest of the house knows of traces: words, roles, measures and how such a file is recognised."""

from collections.abc import Iterator, Sequence

from sharewell.contract import Kind, Measure
from sharewell.plan.claims import Guess, Looks, row_numbers, time_of
from sharewell.traces.section import Section

MEASURES: tuple[Measure, ...] = ()


def claim(file: str, columns: Sequence[Looks], student: Looks | None) -> Guess | None:
    """Students repeat, and each row has a time."""
    free = [column for column in columns if column is not student]
    time = time_of(free)
    if student is None or time is None or student.filled < 2 * student.distinct:
        return None
    logged = sum(column.named("verb") for column in free) >= 2
    why = "students repeat, and each row has a time"
    found = Guess(file, "traces", why, surety=3 if logged else 1, places=_known_of_an_event)
    found.give("at", time, "the name or the cells say when")
    return found


def _known_of_an_event(column: Looks) -> Iterator[tuple[str, str]]:
    yield from row_numbers(column)
    if column.named("verb") and column.distinct <= 2000:
        yield "quasi", f"what else one may know of an event ({column.distinct} different values)"


KIND = Kind(
    name="traces",
    package="sharewell.traces",
    section=Section,
    title="Activity traces",
    rows="one row per event",
    danger="Someone saw a student at work a few times, in class or on a shared screen, and looks for the one log "
    "that holds all of those moments.",
    caveats=(
        "The attacker knows the stated number of points of the original log. More points, or points of another "
        "kind, single out more students.",
        "Being the only match is not yet being named; it is what makes naming possible.",
    ),
    roles={
        "at": "when it happened",
        "time": "when it happened",
        "quasi": "something others may know of a student",
    },
    measures=MEASURES,
    claim=claim,
)
