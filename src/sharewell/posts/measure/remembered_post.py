"""An attack by one remembered post: a few of its words, or when and where it was written, lead to its pseudonym.

An attacker who finds one post of a student has all that stands under the same pseudonym. Classmates have read the
forum: that cannot be taken out of text without taking out the text, so it is reported and has no limit. What is
released beside the text (times, threads, votes) can be left out or coarsened.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet

import numpy as np
from ibis.expr.types import Table

from sharewell.contract import Count, Risk
from sharewell.data import engine
from sharewell.posts.cells import joined_text
from sharewell.posts.kind import REMEMBERED
from sharewell.stats.intervals import bootstrap_mean

WRITERS = 300  # who are looked for, and among whom: fewer candidates than there are only help the attacker
WORDS = 5  # in a row
_WORD = re.compile(r"\[[A-Z_]+\]|\w+")
Gram = tuple[str, ...]


def remembered_post(
    source: Table, released: Table, columns: Sequence[str], keep: Sequence[str], student: str, *, seed: int
) -> list[Risk]:
    """How often a guess of the pseudonym is right for an attacker who knows a part of one original post."""
    writers = _drawn(source, student, seed)
    if not writers:
        return []
    before, after = (_rows(posts, columns, keep, student, writers) for posts in (source, released))
    return [_guessed(before, after, what, len(writers), seed) for what in (("text", "kept") if keep else ("text",))]


def _drawn(source: Table, student: str, seed: int) -> list[str]:
    known = source.select(student=source[student].cast("string"))
    names = sorted(engine.arrow(known.filter(known.student.notnull()).distinct())["student"].to_pylist())
    chosen = np.random.default_rng([seed, 11]).permutation(len(names))[:WRITERS]
    return [names[place] for place in sorted(chosen)]


def _rows(
    posts: Table, columns: Sequence[str], keep: Sequence[str], student: str, writers: Sequence[str]
) -> dict[str, dict[str, list[Gram]]]:
    """For every writer what each post says, as words in a row and as what stands beside them."""
    known = posts.select(
        student=posts[student].cast("string"),
        text=joined_text(posts, columns),
        **{f"kept {place}": posts[name].cast("string") for place, name in enumerate(keep)},
    )
    rows = engine.arrow(known.filter(known.student.isin(list(writers)))).to_pylist()
    found: dict[str, dict[str, list[Gram]]] = {writer: {"text": [], "kept": []} for writer in writers}
    for row in rows:
        own = found[row["student"]]
        own["text"].append(tuple(_WORD.findall(row["text"].lower())))
        own["kept"].append(tuple(str(row[f"kept {place}"]) for place in range(len(keep))))
    return found


def _guessed(
    before: Mapping[str, Mapping[str, list[Gram]]],
    after: Mapping[str, Mapping[str, list[Gram]]],
    what: str,
    writers: int,
    seed: int,
) -> Risk:
    draw = np.random.default_rng([seed, 12])
    known = {who: _part(posts[what], what, draw) for who, posts in before.items()}
    fits = _fitting({part for part in known.values() if part}, {who: posts[what] for who, posts in after.items()})
    guesses = np.array([_right(who, fits.get(part, set()), writers) for who, part in known.items()])
    low, high = bootstrap_mean(guesses, seed=seed)
    return Risk(
        measure=REMEMBERED, attacker=ATTACKERS[what], value=float(guesses.mean()), low=low, high=high,
        chance=1 / writers, n=writers, seed=seed, story=STORIES[what], setting={"writers": Count(writers)},
    )  # fmt: skip


ATTACKERS = {"text": f"remembers {WORDS} words in a row", "kept": "knows the kept columns of one post"}
STORIES = {
    "text": f"Somebody has read one post of a student, remembers {WORDS} words of it, and reads what else stands under "
    "the same pseudonym. Only text that is not released stops this.",
    "kept": "Somebody knows when and where one post was written, as far as the file tells it, and reads what else "
    "stands under the same pseudonym. Drop those columns, or coarsen them before.",
}


def _part(posts: Sequence[Gram], what: str, draw: np.random.Generator) -> Gram:
    """What is known of one post that is drawn: all that stands beside it, or some of its words."""
    if not posts:
        return ()
    post = posts[int(draw.integers(len(posts)))]
    first = int(draw.integers(max(len(post) - WORDS, 0) + 1))
    return post if what == "kept" else post[first : first + WORDS]


def _fitting(parts: AbstractSet[Gram], posts: Mapping[str, Iterable[Gram]]) -> dict[Gram, set[str]]:
    """Who has a released post in which a known part stands."""
    sizes = {len(part) for part in parts}
    fits: dict[Gram, set[str]] = {}
    for who, own in posts.items():
        for post in own:
            for size in sizes:
                for first in range(len(post) - size + 1):
                    if (part := post[first : first + size]) in parts:
                        fits.setdefault(part, set()).add(who)
    return fits


def _right(who: str, candidates: AbstractSet[str], writers: int) -> float:
    """Nobody fits: a blind guess."""
    if not candidates:
        return 1 / writers
    return 1 / len(candidates) if who in candidates else 0.0
