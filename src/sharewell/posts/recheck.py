"""What a finished file still gives away, looked for by code that shares nothing with what redacted it."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from ibis.expr.types import Table

from sharewell.contract import Measure, Risk
from sharewell.data.formats.batches import batches
from sharewell.posts.kind import EMAILS_LEFT, LONG_NUMBERS_LEFT, WEB_ADDRESSES_LEFT

_SEARCHES: Mapping[Measure, re.Pattern[str]] = {
    EMAILS_LEFT: re.compile(r"[\w.+%'’-]\s?@\s?\w[\w-]*\.\w"),
    WEB_ADDRESSES_LEFT: re.compile(r"(?:https?|ftp)://\w|(?<![^\W\d_])www\.\w", re.IGNORECASE),
    LONG_NUMBERS_LEFT: re.compile(  # in a row, in blanks and stops, or written as in a phone book; no quantities
        r"\d{7,}|(?<![\w#&.,:'’])(?!\d{1,3}\.\d{1,6}(?!\d|[ .]\d+(?!\w)))\d(?:[ .]?\d){6,}(?!\w)"
        r"|(?<![\w.(+-])(?<!\d[ /])\(?\d{3}(?:-|\) ?)\d{3}-\d{4}(?![\w-])"
    ),
}
_NEEDS: Mapping[Measure, re.Pattern[str]] = {  # what every find holds, looked for first: most posts have none
    EMAILS_LEFT: re.compile("@"),
    WEB_ADDRESSES_LEFT: re.compile(r"://|www\.", re.IGNORECASE),
    LONG_NUMBERS_LEFT: re.compile(r"\d\D{0,3}\d\D{0,3}\d"),
}
_UNSEEN = re.compile("[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff]")
BATCH = 20_000


def recheck(released: Table, facts: Mapping[str, Any]) -> list[Risk]:
    """Addresses and numbers that follow a pattern, in a released file."""
    return no_pattern_left(released, facts["text"])


def no_pattern_left(released: Table, columns: Sequence[str]) -> list[Risk]:
    """Run the same searches with a limit of no finds."""
    return [replace(risk, gate="patterns", limit=0.0) for risk in patterns_left(released, columns)]


def patterns_left(released: Table, columns: Sequence[str]) -> list[Risk]:
    """Addresses and numbers that follow a pattern, counted in the text."""
    counts, cells = dict.fromkeys(_SEARCHES, 0), 0
    for text in written(released, columns):
        cells += 1
        seen = _UNSEEN.sub("", text)
        for measure, pattern in _SEARCHES.items():
            if _NEEDS[measure].search(seen):
                counts[measure] += len(pattern.findall(seen))
    story = "Somebody searches the released text for what follows a pattern."
    return [
        Risk(measure=measure, attacker="reader with a search", value=float(found), n=cells, story=story)
        for measure, found in counts.items()
    ]


def written(released: Table, columns: Sequence[str]) -> Iterator[str]:
    """Every text cell that is not empty."""
    for batch in batches(released.select(*columns), BATCH):
        yield from (text for column in batch.columns for text in column.to_pylist() if text)
