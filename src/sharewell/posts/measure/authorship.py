"""An attack by style: who wrote a post, by its character n-grams alone (after Stamatatos 2009, §3.1.2).

The attacker knows texts of every writer and guesses, for a released post that is new to them, whose texts it
resembles most. Names are gone; spelling, punctuation and favourite words stay. A warning, not a gate.
"""

from collections.abc import Sequence

import numpy as np
from ibis.expr.types import Table

from sharewell.contract import Count, Risk
from sharewell.data import engine
from sharewell.posts.cells import joined_text
from sharewell.posts.kind import STYLE
from sharewell.stats.intervals import wilson
from sharewell.text.arrays import Array

ADVISED = 2  # times chance: where style identifies more surely than that, the report says so; nothing is refused
WRITERS, POSTS, LETTERS = 200, 20, 40  # at most so many writers and posts each; shorter posts have too little style


def same_writer(released: Table, columns: Sequence[str], student: str, *, seed: int) -> list[Risk]:
    """Share of released posts whose writer comes out first; each writer's posts are split in known and new."""
    posts = released.select(student=released[student].cast("string"), text=joined_text(released, columns))
    writers, texts = _drawn(posts, seed)
    if len(np.unique(writers)) < 2:
        return []
    new = _second_half(writers)
    hits, n, people = _guess(texts, writers, new)
    low, high = wilson(hits, n)
    story = (
        "Somebody knows other posts of every student and compares how they are written: spelling, punctuation, "
        'favourite words. Taking names out does not change style; `style = "plain"` lowers it.'
    )
    return [
        Risk(
            measure=STYLE, attacker="character n-grams", value=hits / n, low=low, high=high,
            chance=1 / people, limit=ADVISED / people, bound="low", n=n, seed=seed, story=story,
            setting={"writers": Count(people)},
        )
    ]  # fmt: skip


def _drawn(posts: Table, seed: int) -> tuple[Array, list[str]]:
    """Long enough posts of some writers who have at least two of them."""
    long = posts.filter(posts.text.length() >= LETTERS)
    busy = long.group_by("student").agg(posts=long.count())
    busy = busy.filter(busy.posts >= 2).order_by("student")
    names = np.array(engine.arrow(busy.select("student"))["student"].to_pylist(), dtype=object)
    generator = np.random.default_rng(seed)
    chosen = sorted(generator.choice(names, size=min(WRITERS, len(names)), replace=False)) if len(names) else []
    rows = engine.arrow(long.filter(long.student.isin(chosen)).order_by(["student", "text"])) if chosen else None
    writers: list[str] = []
    texts: list[str] = []
    taken: dict[str, int] = {}
    for student, text in zip(rows["student"].to_pylist(), rows["text"].to_pylist(), strict=True) if rows else ():
        taken[student] = taken.get(student, 0) + 1
        if taken[student] <= POSTS:
            writers.append(student)
            texts.append(text)
    return np.array(writers, dtype=object), texts


def _second_half(writers: Array) -> Array:
    """Every other post of a writer is new to the attacker."""
    seen: dict[str, int] = {}
    new = np.zeros(len(writers), bool)
    for i, writer in enumerate(writers):
        new[i] = seen.get(writer, 0) % 2 == 1
        seen[writer] = seen.get(writer, 0) + 1
    return new


def _guess(texts: list[str], writers: Array, new: Array) -> tuple[int, int, int]:
    """Nearest writer by cosine of mean tf–idf vectors of character 2- to 4-grams."""
    from scipy.sparse import csr_array
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.preprocessing import normalize

    vectors = TfidfVectorizer(analyzer="char", ngram_range=(2, 4), sublinear_tf=True, max_features=50_000)
    known = vectors.fit_transform([text for text, is_new in zip(texts, new, strict=True) if not is_new])
    people, owner = np.unique(writers[~new].astype(str), return_inverse=True)
    of_person = csr_array((np.ones(len(owner)), (owner, np.arange(len(owner)))), (len(people), len(owner)))
    sums = normalize(of_person @ known)
    asked = vectors.transform([text for text, is_new in zip(texts, new, strict=True) if is_new])
    guess = people[np.argmax((asked @ sums.T).toarray(), axis=1)]
    return int((guess == writers[new].astype(str)).sum()), int(new.sum()), len(people)
