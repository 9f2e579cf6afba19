"""What a finished file still gives away, looked for by code that shares nothing with what redacted it."""

import re
from collections.abc import Iterable, Sequence

import pyarrow as pa
from ibis.expr.types import Table

from sharewell.formats.batches import batches
from sharewell.results import Risk

_ADDRESSES = {
    "e-mail addresses": re.compile(r"\S@\w[\w-]*\.\w"),
    "web addresses": re.compile(r"(?:https?:|ftp:)?//\w|\bwww\.\w", re.IGNORECASE),
    "long numbers": re.compile(r"(?:\d[ .\-/()]{0,2}){7,}"),
}
_ROSTER_WORD = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")
BATCH = 20_000


def leaks(
    released: Table, columns: Sequence[str], roster: Iterable[str] = (), words: frozenset[str] = frozenset()
) -> list[Risk]:
    """Addresses and numbers that follow a pattern, and words of the roster, counted in the finished text.

    `roster` are its cells; `words` are ordinary dictionary words, which a search cannot tell from a name and skips.
    """
    wanted = {part for cell in roster for part in _words(cell) if len(part) > 2} - words
    counts, named, cells = dict.fromkeys(_ADDRESSES, 0), 0, 0
    for batch in batches(released.select(*columns), BATCH):
        for text in _texts(batch):
            cells += 1
            for what, pattern in _ADDRESSES.items():
                counts[what] += len(pattern.findall(text))
            named += sum(word in wanted for word in _words(text)) if wanted else 0
    story = "Somebody searches the released text for what follows a pattern."
    risks = [
        Risk(name=f"{what} left", attacker="reader with a search", value=float(found), n=cells, story=story)
        for what, found in counts.items()
    ]
    if wanted:
        story = "Somebody with the list of the course searches the released text for its names."
        risks.append(Risk(name="roster words left", attacker="classmate", value=float(named), n=cells, story=story))
    return risks


def _texts(batch: pa.RecordBatch) -> Iterable[str]:
    return (text for column in batch.columns for text in column.to_pylist() if text)


def _words(text: str) -> list[str]:
    return [word.lower().replace("’", "'") for word in _ROSTER_WORD.findall(text)]
