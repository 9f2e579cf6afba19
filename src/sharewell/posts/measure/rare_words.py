"""An attack by one remembered word: who is the only writer that used it?"""

from collections.abc import Sequence

from ibis.expr.types import Table

from sharewell.contract import Risk
from sharewell.data import engine
from sharewell.posts.cells import joined_text
from sharewell.posts.kind import RARE_WORDS


def rare_words(posts: Table, columns: Sequence[str], student: str) -> list[Risk]:
    """Share of students with a word that nobody else writes: a warning, since knowing it singles them out."""
    joined = posts.select(student=posts[student].cast("string"), text=joined_text(posts, columns))
    words = joined.mutate(word=joined.text.lower().re_replace(r"\[[A-Z_]+\]", " ").re_split(r"[^\p{L}]+")).unnest(
        "word"
    )
    words = words.filter(words.word.length() >= 4).select("student", "word").distinct()
    alone = words.group_by("word").agg(writers=words.student.nunique(), student=words.student.min())
    alone = alone.filter(alone.writers == 1)
    writers = int(engine.value(joined.student.nunique()))
    marked = int(engine.value(alone.student.nunique()))
    story = "Somebody remembers one unusual word of a student, and finds the only writer who used it."
    return [
        Risk(
            measure=RARE_WORDS,
            attacker="acquaintance",
            value=marked / max(writers, 1),
            n=writers,
            story=story,
        )
    ]
