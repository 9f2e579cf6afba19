"""What an analyst can still learn from redacted posts: words, feelings, questions, topics."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence

import numpy as np
from ibis.expr.types import Table

from sharewell.contract import Measure, Utility
from sharewell.posts import cells, kind
from sharewell.text.arrays import Array
from sharewell.text.word_lists import WordLists

_FEELING = """
    good great nice love loved like happy glad thanks thank awesome perfect best better fun enjoy enjoyed
    excited interesting helpful easy clear hope joy grace bad worse worst hate hated sad angry confused
    confusing lost stuck hard difficult frustrated frustrating annoying boring afraid scared sorry wrong fail
    failed problem problems struggle struggling unclear stupid tired worried stress stressed grateful welcome
    wonderful
"""
FEELING = frozenset(_FEELING.split())
_QUESTION = """
    what why how when where which who whose whom can could would should does do did is are anyone anybody
    somebody
"""
QUESTION = frozenset(_QUESTION.split())
_WORD = re.compile(r"\[[A-Z_]+\]|[^\W\d_]+(?:['’-][^\W\d_]+)*")


def words_kept(original: Table, released: Table, columns: Sequence[str], lists: WordLists) -> list[Utility]:
    """Shares of words kept, by what they are good for; the original would give 1 (or 0 for what is lost)."""
    before, after = _words(original, columns), _words(released, columns)
    total = max(sum(before.values()), 1)
    gone = sum(count for word, count in after.items() if word.startswith("[")) - sum(
        count for word, count in before.items() if word.startswith("[")
    )
    plain = {word: count for word, count in before.items() if word in lists.plain}
    lost = sum(max(count - after.get(word, 0), 0) for word, count in plain.items())
    return [
        Utility(measure=kind.WORDS_REDACTED, value=gone / total, n=total, baseline=0.0),
        Utility(
            measure=kind.ORDINARY_LOST,
            value=lost / max(sum(plain.values()), 1),
            n=sum(plain.values()),
            baseline=0.0,
        ),
        _share_kept(kind.FEELING_KEPT, before, after, FEELING),
        _share_kept(kind.QUESTIONS_KEPT, before, after, QUESTION),
        _vocabulary(before, after, lists),
        _drift(before, after, lists),
    ]


def _words(posts: Table, columns: Sequence[str]) -> Counter[str]:
    counts: Counter[str] = Counter()
    for batch in cells.batches(posts.select(*columns), columns):
        counts.update(word if word[0] == "[" else word.lower() for word in _found(cells.cells(batch, columns)))
    return counts


def _found(texts: list[str]) -> Iterator[str]:
    for text in texts:
        yield from _WORD.findall(text)


def _share_kept(measure: Measure, before: Counter[str], after: Counter[str], group: frozenset[str]) -> Utility:
    total = sum(before[word] for word in group)
    kept = sum(min(after[word], before[word]) for word in group)
    return Utility(measure=measure, value=kept / total if total else 1.0, n=total, baseline=1.0)


def _vocabulary(before: Counter[str], after: Counter[str], lists: WordLists) -> Utility:
    words = [word for word in before if word in lists.plain]
    kept = sum(after[word] > 0 for word in words)
    story = "Share of the distinct ordinary words that still occur."
    return Utility(
        measure=kind.VOCABULARY_KEPT, value=kept / max(len(words), 1), n=len(words), baseline=1.0, story=story
    )


def _drift(before: Counter[str], after: Counter[str], lists: WordLists) -> Utility:
    """Jensen–Shannon distance of the topic words' frequencies (Lin 1991, eq. 4.1; base 2, so between 0 and 1)."""
    words = sorted(word for word in before if word in lists.plain and len(word) > 3)
    p = np.array([before[word] for word in words], dtype=float)
    q = np.array([after[word] for word in words], dtype=float)
    value = _jensen_shannon(p / p.sum(), q / q.sum()) if p.sum() and q.sum() else float(p.sum() > 0)
    story = "How far the mixture of topic words moved: 0 is not at all, 1 is nothing in common."
    return Utility(measure=kind.TOPIC_DRIFT, value=value, n=len(words), baseline=0.0, story=story)


def _jensen_shannon(p: Array, q: Array) -> float:
    middle = (p + q) / 2

    def divergence(a: Array) -> float:
        used = a > 0
        return float(np.sum(a[used] * np.log2(a[used] / middle[used])))

    return float(np.sqrt(max((divergence(p) + divergence(q)) / 2, 0.0)))
