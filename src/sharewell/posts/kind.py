"""All that the rest of the house knows of posts: words, roles, measures and how such a file is recognised."""

from collections.abc import Sequence

from sharewell.contract import Kind, Measure
from sharewell.plan.claims import Guess, Looks, is_text, row_numbers
from sharewell.posts.section import Section

MEASURES: tuple[Measure, ...] = ()


def claim(file: str, columns: Sequence[Looks], student: Looks | None) -> Guess | None:
    """There is free text."""
    texts = [column for column in columns if column is not student and is_text(column)]
    if student is None or not texts:
        return None
    why = "there is free text: " + ", ".join(text.name for text in texts)
    found = Guess(file, "posts", why, surety=2, places=row_numbers)
    for text in texts:
        found.give("text", text, f"{text.words:.0f} words per cell")
    return found


KIND = Kind(
    name="posts",
    package="sharewell.posts",
    section=Section,
    title="Written posts",
    rows="one row per post",
    danger="Someone reads the posts and meets a name, an address or a number that leads to a person.",
    caveats=(
        "Names left behind are estimated from a sample. What a student tells of their life in other words than "
        "names is not counted.",
        "Style alone can give a writer away to someone with other texts by the same hand.",
    ),
    roles={
        "text": "what was written",
    },
    measures=MEASURES,
    claim=claim,
)
