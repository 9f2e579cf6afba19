"""All that the rest of the house knows of responses: words, roles, measures and how such a file is recognised."""

from collections.abc import Sequence

from sharewell.contract import Kind, Measure
from sharewell.plan.claims import Guess, Looks, first, time_of
from sharewell.responses.section import Section

MEASURES: tuple[Measure, ...] = ()


def claim(file: str, columns: Sequence[Looks], student: Looks | None) -> Guess | None:
    """Students, items, and whether the answer was right."""
    free = [column for column in columns if column is not student]
    item = first(free, "item") or first(free, "skill")
    correct = next((column for column in free if column.named("correct") and column.distinct <= 4), None)
    if student is None or item is None or correct is None or item is correct:
        return None
    found = Guess(file, "responses", "there are students, items and whether the answer was right", surety=4)
    found.give("item", item, "the name says so")
    found.give("correct", correct, f"the name says so; {correct.distinct} different values")
    skill, time = first(free, "skill"), time_of(free)
    if skill is not None and not found.has(skill):
        found.give("skill", skill, "the name says so; use it as item instead if single items are too rare")
    if time is not None and not found.has(time):
        found.give("time", time, "the name or the cells say when")
    return found


KIND = Kind(
    name="responses",
    package="sharewell.responses",
    section=Section,
    title="Answers to exercises",
    rows="one row per answer",
    danger="Someone holds the answers of one student and asks whether that student was among those from whom "
    "the invented logs were learned.",
    caveats=(
        "An attack that fails is no proof that none succeeds. Rare steps are attacked as well as whole sequences; "
        "an attack nobody has thought of yet is not.",
        "Students kept aside as a control group come from the same course; an attacker with another control "
        "group may do better or worse.",
    ),
    roles={
        "item": "what was answered",
        "correct": "whether the answer was right",
        "time": "when it happened",
        "skill": "what the item trains",
    },
    measures=MEASURES,
    claim=claim,
)
