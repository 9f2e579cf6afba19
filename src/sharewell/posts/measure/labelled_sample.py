"""How many names are left per word, from words that people labelled.

The population is every place where a name may have been left: all places of possible names, and those places of other
words (dictionary words that name neither people nor places) that have a capital inside a sentence. A lower-case "storm"
is taken for no name, as in the paper. The commonest words of both kinds are labelled one and all; from the rest a
random sample is drawn, each word with a chance that grows with its places, so that the share of names among the draws
estimates the share among the places. What people call a name is taken out by the release and is left no more.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from sharewell.stats.intervals import exact
from sharewell.text.word_lists import FUNCTION_WORDS

WORDS = 600  # Bosch et al. 2020, §2.4
MOSTLY_NAME = 0.5  # a word whose places are names so often is redacted once it is labelled
CERTAIN, CERTAIN_RULED_OUT, RULED_OUT = 200, 60, 120  # of them: the commonest words of both kinds, and draws of others
CONFIDENCE = 0.95


@dataclass(frozen=True, kw_only=True)
class Left:
    """Words of the released text with how often each was left: possible names, and words ruled out by the lists.

    Of the latter only places with a capital inside a sentence count.
    """

    possible: Mapping[str, int]
    ruled_out: Mapping[str, int]
    words: int  # all words of the text, redacted ones too


@dataclass(frozen=True, kw_only=True)
class Stratum:
    """Words of one kind: all of `certain` are labelled; `drawn` holds draws of others, with repetition."""

    places: Mapping[str, int]
    certain: tuple[str, ...]
    drawn: tuple[str, ...]

    def estimate(self, labels: Mapping[str, float], confidence: float) -> tuple[float, float, float]:
        """Places left that are names: estimate, lower and upper bound (Clopper–Pearson on the draws)."""
        known = _left(self.places, self.certain, labels)
        if not self.drawn:
            return known, known, known
        rest = sum(self.places.values()) - sum(self.places[word] for word in self.certain)
        # shares of names between 0 and 1 scatter less than yes or no would: whole hits on the safe side of either end
        hits, n = sum(labels[word] for word in self.drawn), len(self.drawn)
        low = exact(int(np.floor(hits)), n, confidence=confidence)[0]
        high = exact(int(np.ceil(hits)), n, confidence=confidence)[1]
        drawn = set(self.drawn)
        gone = sum(self.places[word] * labels[word] for word in drawn) - _left(self.places, drawn, labels)
        value, low, high = (max(rest * share - gone, 0.0) for share in (hits / n, low, high))
        return known + value, known + low, known + high


@dataclass(frozen=True, kw_only=True)
class Sample:
    """Words to label, of both kinds."""

    possible: Stratum
    ruled_out: Stratum
    words: int

    @property
    def strata(self) -> tuple[Stratum, Stratum]:
        return self.possible, self.ruled_out

    def to_label(self) -> list[str]:
        return sorted({word for part in self.strata for word in (*part.certain, *part.drawn)})


@dataclass(frozen=True, kw_only=True)
class Residual:
    """Names left per word, with an interval that holds with 95 % confidence."""

    value: float
    low: float
    high: float
    n: int  # words labelled
    unlabelled: int


def draw(left: Left, *, seed: int, size: int = WORDS) -> Sample:
    """The words to label, the same ones for the same text and seed."""
    generator = np.random.default_rng(seed)
    part = size / WORDS
    certain, certain_others, others = (int(part * many) for many in (CERTAIN, CERTAIN_RULED_OUT, RULED_OUT))
    return Sample(
        possible=_stratum(generator, left.possible, certain, size - certain - certain_others - others),
        ruled_out=_stratum(generator, left.ruled_out, certain_others, others),
        words=left.words,
    )


def estimate(sample: Sample, labels: Mapping[str, float]) -> Residual:
    """`labels` gives per word the share of its left places that are names: 1 a name, 0 a word.

    Each of the parts with draws holds with half of the doubt, so that their sum holds with 95 % (Bonferroni).
    """
    asked = sample.to_label()
    unlabelled = sum(word not in labels for word in asked)
    if unlabelled:
        return Residual(value=float("nan"), low=0.0, high=1.0, n=len(asked) - unlabelled, unlabelled=unlabelled)
    doubt = (1 - CONFIDENCE) / max(sum(bool(part.drawn) for part in sample.strata), 1)
    parts = [part.estimate(labels, 1 - doubt) for part in sample.strata]
    value, low, high = (sum(ends) / max(sample.words, 1) for ends in zip(*parts, strict=True))
    return Residual(value=value, low=low, high=high, n=len(asked), unlabelled=0)


def is_taken_out(word: str, share: float) -> bool:
    """Whether the release redacts a word that was labelled so."""
    return share >= MOSTLY_NAME and word not in FUNCTION_WORDS


def from_table(table: pa.Table) -> dict[str, float]:
    """Word → share of names, from a table of labels: "name", "word", or a number between 0 and 1."""
    words, labels = table["word"].to_pylist(), table["label"].to_pylist()
    read = {}
    for word, label in zip(words, labels, strict=True):
        value = _value(label)
        if word is not None and value is not None:
            read[word.lower()] = value
    return read


def _value(label: object) -> float | None:
    text = str(label if label is not None else "").strip().lower()
    if text in ("name", "word"):
        return float(text == "name")
    try:
        number = float(text)
    except ValueError:
        return None
    return number if 0 <= number <= 1 else None


def _stratum(generator: np.random.Generator, places: Mapping[str, int], certain: int, draws: int) -> Stratum:
    """The commonest words one and all, and draws from the rest; all words where they are no more than that."""
    ranked = sorted(places, key=lambda word: (-places[word], word))
    if len(ranked) <= certain + draws:
        return Stratum(places=places, certain=tuple(ranked), drawn=())
    rest = ranked[certain:]
    weights = np.array([places[word] for word in rest], dtype=float)
    drawn = generator.choice(len(rest), size=draws, p=weights / weights.sum())
    return Stratum(places=places, certain=tuple(ranked[:certain]), drawn=tuple(rest[i] for i in drawn))


def _left(places: Mapping[str, int], words: Iterable[str], labels: Mapping[str, float]) -> float:
    """Places of these words that are names and stay."""
    return sum(places[word] * labels[word] for word in words if not is_taken_out(word, labels[word]))
