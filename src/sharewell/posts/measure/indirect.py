"""Indirect identifiers in posts: how many posts have one, and of which kind."""

from collections import Counter
from collections.abc import Sequence

from ibis.expr.types import Table

from sharewell.contract import Count, Risk
from sharewell.posts.kind import INDIRECT
from sharewell.posts.recheck import written
from sharewell.text import indirect


def indirect_identifiers(posts: Table, columns: Sequence[str]) -> list[Risk]:
    """Measure the share of texts with an age, a school, an employer, relatives, an illness or a date; a warning."""
    found: Counter[str] = Counter()
    telling = texts = 0
    for text in written(posts, columns):
        counts = {kind: count for kind, count in indirect.count(text).items() if count}
        found.update(counts)
        texts += 1
        telling += bool(counts)
    story = (
        "Somebody puts together what posts tell without a name: an age, a school, an illness. What the plan lists "
        "under `indirect` is taken out."
    )
    setting = {kind: Count(found[kind]) for kind in indirect.KINDS}
    return [
        Risk(
            measure=INDIRECT,
            attacker="acquaintance",
            value=telling / max(texts, 1),
            n=texts,
            story=story,
            setting=setting,
        )
    ]
