"""The risk of posts: names left, words that single out a writer, and style."""

from collections.abc import Mapping, Sequence

import ibis
import numpy as np
from ibis.expr.types import Table

from sharewell.contract import Risk
from sharewell.posts import sample
from sharewell.posts.authorship import same_writer
from sharewell.posts.finder import Names
from sharewell.posts.masked import MaskedPosts
from sharewell.posts.redaction import Decisions, names_at
from sharewell.posts.sample import Left, Sample
from sharewell.posts.tokens import Tokens, fold, is_capitalised, is_placeholder, tokenize

RARE_WORD = r"[[:alpha:]]{4,}"


def names_per_word(names: Names) -> Risk:
    """How much of the text names somebody, as far as the model sees it."""
    total = max(names.counts.tokens, 1)
    share = float(names.occurrences[names.is_name].sum()) / total
    story = "Somebody reads the posts as they are: words that the model takes for names, per word."
    return Risk(name="names per word", attacker="reader", value=share, n=total, story=story)


def left_words(masked: MaskedPosts, decisions: Decisions) -> Left:
    """Words that redaction leaves where they may name somebody, with how often."""
    possible: dict[str, int] = {}
    ruled_out: dict[str, int] = {}
    total = 0
    for cells in masked.cells():
        tokens = tokenize(cells)
        total += len(tokens.start)
        counts = np.bincount(tokens.surface[doubtful_places(tokens, decisions)], minlength=len(tokens.surfaces))
        for surface, count in zip(tokens.surfaces, counts, strict=True):
            word = fold(surface)
            if count and not is_placeholder(surface) and len(word) > 1:
                group = possible if word in decisions.possible else ruled_out
                group[word] = group.get(word, 0) + int(count)
    return Left(possible=possible, ruled_out=ruled_out, words=total)


def doubtful_places(tokens: Tokens, decisions: Decisions) -> np.ndarray:
    """True where a word is left that may be a name: a possible name, or a capital in the middle of a sentence."""
    possible = np.fromiter((fold(s) in decisions.possible for s in tokens.surfaces), bool, len(tokens.surfaces))
    capital = np.fromiter((is_capitalised(s) for s in tokens.surfaces), bool, len(tokens.surfaces))
    doubtful = possible[tokens.surface] | (capital[tokens.surface] & ~tokens.begins & tokens.prose)
    return doubtful & ~names_at(tokens, decisions)


def residual(drawn: Sample, labels: Mapping[str, float], limit: float | None, *, seed: int, label: str) -> Risk:
    """Names left per word from labelled words; without all labels no number, and no number is never a pass."""
    found = sample.estimate(drawn, labels)
    if found.unlabelled:
        story = (
            f"Nobody can say yet how many names are left: {found.unlabelled:,} of {len(drawn.to_label()):,} sampled "
            f"words have no label. Write `name` or `word` into the column `label` of review/{label}/sample.csv in the "
            "private folder (`sharewell posts review` puts the list there), then release again."
        )
    else:
        story = (
            "Somebody reads the released posts for names that were missed: names left per word, from labelled words. "
            "Ordinary words without a capital inside a sentence are taken for no names."
        )
    return Risk(
        name="residual", attacker="reader", value=found.value, low=found.low, high=found.high, n=found.n, seed=seed,
        story=story, gate="residual" if limit is not None else None, limit=limit, bound="high",
        setting={"labelled": found.n},
    )  # fmt: skip


def rare_words(posts: Table, columns: Sequence[str], student: str) -> list[Risk]:
    """Share of students with a word that nobody else writes: a warning, since knowing it singles them out."""
    joined = posts.select(student=posts[student].cast("string"), text=_joined(posts, columns))
    words = joined.mutate(word=joined.text.lower().re_replace(r"\[[A-Z_]+\]", " ").re_split(r"[^\p{L}]+")).unnest(
        "word"
    )
    words = words.filter(words.word.length() >= 4).select("student", "word").distinct()
    alone = words.group_by("word").agg(writers=words.student.nunique(), student=words.student.min())
    alone = alone.filter(alone.writers == 1)
    writers = int(joined.student.nunique().execute())
    marked = int(alone.student.nunique().execute())
    story = "Somebody remembers one unusual word of a student, and finds the only writer who used it."
    return [
        Risk(
            name="writers with a word of their own",
            attacker="acquaintance",
            value=marked / max(writers, 1),
            n=writers,
            story=story,
        )
    ]


def authorship(original: Table, released: Table, columns: Sequence[str], student: str, *, seed: int) -> list[Risk]:
    """How often style alone tells the writer: a warning that redaction does not change how people write."""
    return same_writer(
        (original.select(student=original[student].cast("string"), text=_joined(original, columns))),
        (released.select(student=released[student].cast("string"), text=_joined(released, columns))),
        seed=seed,
    )


def _joined(posts: Table, columns: Sequence[str]) -> ibis.Value:
    parts = [posts[name].cast("string").fill_null("") for name in columns]
    return ibis.literal("\n").join(parts)
