"""What people write beside a word: `name`, `word` or `both`; honoured wherever the word stands.

`name` takes out every place of the word, `word` none, and `both` is asked place by place: single places carry the marks
`name` and `word`. A share between 0 and 1 says how many of the places left are names, where that is known.
"""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

Mark = Literal["name", "word", "both"]
MARKS: tuple[Mark, ...] = ("name", "word", "both")
MOSTLY_NAME = 0.5  # a word whose places are names so often goes everywhere


@dataclass(frozen=True, kw_only=True)
class Marks:
    """Everything that people decided: words, shares of words, and single places (see `place_key`)."""

    words: Mapping[str, Mark] = field(default_factory=dict)
    shares: Mapping[str, float] = field(default_factory=dict)
    places: Mapping[str, bool] = field(default_factory=dict)

    def of(self, mark: Mark) -> frozenset[str]:
        return frozenset(word for word, given in self.words.items() if given == mark)

    @property
    def gone(self) -> frozenset[str]:
        """Words that go wherever they stand."""
        return self.of("name") | {word for word, share in self.shares.items() if share >= MOSTLY_NAME}


def stricter(first: Mapping[str, Mark], second: Mapping[str, Mark]) -> dict[str, Mark]:
    """Two lists as one; where they differ the word is taken for a name rather than for a word."""
    joined = dict(first)
    for word, mark in second.items():
        joined[word] = min(joined.get(word, mark), mark, key=("name", "both", "word").index)
    return joined


def place_key(text: str, number: int) -> str:
    """The name of a place: which word of which text. It stays when rows are added, moved or left out."""
    return f"{text_key(text)}.{number}"


def text_key(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:12]


def as_mark(written: object) -> Mark | None:
    """A mark as somebody typed it; None where it is none."""
    text = str(written if written is not None else "").strip().lower()
    return next((mark for mark in MARKS if mark == text), None)


def as_share(written: object) -> float | None:
    """A share between 0 and 1; None where it is none."""
    try:
        number = float(str(written))
    except ValueError:
        return None
    return number if 0 <= number <= 1 else None
