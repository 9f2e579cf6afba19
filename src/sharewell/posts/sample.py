"""How many names are left per word, from words that people labelled.

The population is every place where a possible name was left in the text. The commonest left words are labelled one
and all; from the rest a random sample is drawn, each word with a chance that grows with its places, so that the share
of names among the draws estimates the share among the places. Words that the lists rule out (dictionary words that
name neither people nor places, never capitalised inside a sentence) are taken for no names, as in the paper; a part of
the sample looks at them as well, and every name found there counts.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from sharewell.stats.intervals import exact

WORDS = 600  # Bosch et al. 2020, §2.4
MOSTLY_NAME = 0.5  # a word whose places are names so often is redacted once it is labelled
CERTAIN, RULED_OUT = 200, 60  # of them: the commonest left words, and words that the lists rule out


@dataclass(frozen=True, kw_only=True)
class Left:
    """Words of the released text with how often each was left: possible names, and words ruled out by the lists."""

    possible: Mapping[str, int]
    ruled_out: Mapping[str, int]
    words: int  # all words of the text, redacted ones too


@dataclass(frozen=True, kw_only=True)
class Sample:
    """Words to label: all of `certain`; `drawn` and `ruled_out` with repetition, as drawn."""

    certain: tuple[str, ...]
    drawn: tuple[str, ...]
    ruled_out: tuple[str, ...]
    left: Left

    def to_label(self) -> list[str]:
        return sorted({*self.certain, *self.drawn, *self.ruled_out})


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
    ranked = sorted(left.possible, key=lambda word: (-left.possible[word], word))
    most = min(CERTAIN, size // 3)
    certain, rest = ranked[:most], ranked[most:]
    others = sorted(left.ruled_out)
    few = min(RULED_OUT, size // 10)
    drawn = _by_places(generator, rest, left.possible, size - most - few)
    return Sample(
        certain=tuple(certain),
        drawn=tuple(drawn),
        ruled_out=tuple(_by_places(generator, others, left.ruled_out, few)),
        left=left,
    )


def estimate(sample: Sample, labels: Mapping[str, float]) -> Residual:
    """`labels` gives per word the share of its left places that are names: 1 a name, 0 a word."""
    unlabelled = [word for word in sample.to_label() if word not in labels]
    n = len(sample.to_label()) - len(unlabelled)
    if unlabelled:
        return Residual(value=float("nan"), low=0.0, high=1.0, n=n, unlabelled=len(unlabelled))
    left, total = sample.left, max(sample.left.words, 1)
    # words of the certain part that people call names are taken out by the release: they are not left
    stays = (word for word in sample.certain if labels[word] < MOSTLY_NAME)
    certain = sum(left.possible[word] * labels[word] for word in stays) / total
    rest = sum(left.possible.values()) - sum(left.possible[word] for word in sample.certain)
    value, low, high = _stratum(sample.drawn, labels, rest / total)
    outside, outside_low, _ = _stratum(sample.ruled_out, labels, sum(left.ruled_out.values()) / total)
    return Residual(
        value=certain + value + outside,
        low=certain + low + outside_low,
        high=certain + high + outside,
        n=n,
        unlabelled=0,
    )


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


def _by_places(generator: np.random.Generator, words: list[str], places: Mapping[str, int], size: int) -> list[str]:
    if not words:
        return []
    weights = np.array([places[word] for word in words], dtype=float)
    return [words[i] for i in generator.choice(len(words), size=size, p=weights / weights.sum())]


def _stratum(drawn: tuple[str, ...], labels: Mapping[str, float], share: float) -> tuple[float, float, float]:
    """Clopper–Pearson on the draws, scaled by the stratum's share of all words; part-names round up."""
    if not drawn:
        return 0.0, 0.0, 0.0
    hits = sum(labels[word] for word in drawn)
    low, high = exact(int(np.ceil(hits)), len(drawn))
    return share * hits / len(drawn), share * low, share * high
