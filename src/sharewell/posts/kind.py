"""All that the rest of the house knows of posts: words, roles, measures and how such a file is recognised."""

from collections.abc import Sequence

from sharewell.contract import Kind, Measure
from sharewell.plan.claims import Guess, Looks, is_text, row_numbers
from sharewell.posts.section import Section

RESIDUAL = Measure(id="residual", title="Names left per word")
NAMES_PER_WORD = Measure(id="names per word", title="Words that name somebody")
ROSTER_LEFT = Measure(id="roster words left", title="Roster entries left", unit="count", counts=True)
EMAILS_LEFT = Measure(id="e-mail addresses left", title="E-mail addresses left", unit="count", counts=True)
WEB_ADDRESSES_LEFT = Measure(id="web addresses left", title="Web addresses left", unit="count", counts=True)
LONG_NUMBERS_LEFT = Measure(id="long numbers left", title="Long numbers left", unit="count", counts=True)
RARE_WORDS = Measure(
    id="writers with a word of their own", title="Writers with a word that nobody else uses", counts=True
)
INDIRECT = Measure(
    id="posts with an indirect identifier", title="Posts that tell an age, a school or an illness", counts=True
)
UNKNOWN_LANGUAGE = Measure(
    id="posts in an unknown language", title="Posts in a language that no word table knows", counts=True
)
REMEMBERED = Measure(id="writer found by one post", title="Writers found by one remembered post")
DECODED = Measure(
    id="mentions decoded by one", title="Further mentions decoded by one that is remembered", unit="number"
)
STYLE = Measure(id="writer told by style", title="Posts whose writer is found by style")
WORDS_REDACTED = Measure(id="share of words redacted", title="Words redacted")
ORDINARY_LOST = Measure(id="share of ordinary words lost", title="Ordinary words lost")
FEELING_KEPT = Measure(id="words of feeling kept", title="Words of feeling kept", better="higher")
QUESTIONS_KEPT = Measure(id="question words kept", title="Question words kept", better="higher")
VOCABULARY_KEPT = Measure(id="vocabulary kept", title="Vocabulary kept", better="higher")
TOPIC_DRIFT = Measure(id="topic drift", title="How far the mixture of topics moved", unit="number")
MEASURES: tuple[Measure, ...] = (
    RESIDUAL, NAMES_PER_WORD, ROSTER_LEFT, EMAILS_LEFT, WEB_ADDRESSES_LEFT, LONG_NUMBERS_LEFT, RARE_WORDS, INDIRECT,
    UNKNOWN_LANGUAGE, REMEMBERED, DECODED, STYLE,
    WORDS_REDACTED, ORDINARY_LOST, FEELING_KEPT, QUESTIONS_KEPT, VOCABULARY_KEPT, TOPIC_DRIFT,
)  # fmt: skip


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
        "Someone who has read one post, as classmates have, recognises it and finds what else its writer wrote.",
    ),
    roles={
        "text": "what was written",
    },
    notation={
        "[NAME]": "a name stood here; other words in brackets stand for what they say, such as [EMAIL]",
        "a name": "where the plan asks for invented names, every name in the text is an invented one, drawn anew for "
        "every post, thread or file, as the plan says",
    },
    questions={STYLE.id: "linkability"},
    measures=MEASURES,
    remedies={
        "residual": "mark the words of the review lists, and run the release again: sharewell posts review {plan}",
        "roster": "a word of the roster stays in the text (at_fault.csv in the private folder says which): mark it "
        "name in the review lists, or take it off the roster; then release again: sharewell posts review {plan}",
        "patterns": "an address or a long number is left in the text: take it out of the file, and release again",
    },
    claim=claim,
    engines=("duckdb", "spark", "sail"),
)
