"""All that the rest of the house knows of keystrokes: words, roles, measures and how such a file is recognised."""

from collections.abc import Sequence

from sharewell.contract import Kind, Measure
from sharewell.keystrokes.section import Section
from sharewell.plan.claims import Guess, Looks, first

MEASURES: tuple[Measure, ...] = ()


def claim(file: str, columns: Sequence[Looks], student: Looks | None) -> Guess | None:
    """There are keys with press times."""
    free = [column for column in columns if column is not student]
    press, release, key = (first(free, meaning) for meaning in ("press", "release", "key"))
    if student is None or press is None or key is None:
        return None
    found = Guess(file, "keystrokes", "there are keys with press times", surety=5)
    session = next((column for column in free if column.named("session") and not column.named("key")), None)
    for role, column in (("session", session), ("key", key), ("press", press), ("release", release)):
        if column is not None and not found.has(column):
            found.give(role, column, "the name says so")
    return found


KIND = Kind(
    name="keystrokes",
    package="sharewell.keystrokes",
    section=Section,
    title="Typing rhythms",
    rows="one row per key event",
    danger="Someone who has recorded how a student types elsewhere looks for the same rhythm in the release.",
    caveats=(
        "Attackers are those named here. A longer recording of the same student makes each of them stronger.",
        "What was typed is a matter of its own: code and comments can carry names.",
    ),
    roles={
        "session": "which session of typing",
        "key": "which key",
        "press": "when the key went down",
        "release": "when the key came up",
    },
    measures=MEASURES,
    claim=claim,
)
