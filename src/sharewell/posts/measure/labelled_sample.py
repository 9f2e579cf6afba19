"""How many names are left per word, from words that people marked.

The population is every place that the finder leaves in the text, but for lower-case places of function words that are
no first names ("the"). The words that may leave most names, by their places and by what the finder says, are marked one
and all; from the rest a random sample is drawn, each word with a chance that grows with its places, so that the share
of names among the draws estimates the share among the places. The draws depend on the finder alone: a mark never
changes what is asked next. What people call a name is taken out by the release and is left no more; a word that is both
is asked place by place.
"""

import itertools
import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from sharewell.stats.intervals import exact
from sharewell.text.arrays import Array
from sharewell.text.marks import Marks

WORDS = 600  # Bosch et al. 2020, §2.4: so many words at least, where there are so many
GROWTH = 1.25  # from one size of a sample to the next that is tried
NEARLY_ALL = 0.75  # of the words: where so many are needed, all are asked about, and nothing is left in doubt
CERTAIN = 2 / 3  # of them those that may leave most names, one and all
DOUBT = 0.02  # the chance of a name that every word has beside what the finder says: common words are marked, too
PLACES = 60  # so many places of a word that is both are asked at most
CONFIDENCE = 0.95


@dataclass(frozen=True, kw_only=True)
class Left:
    """Words that the finder leaves in the text, with how often each was left, and how likely it is a name."""

    places: Mapping[str, int]
    likely: Mapping[str, float]  # 0 for all others
    words: int  # all words of the text, redacted ones too


@dataclass(frozen=True, kw_only=True)
class BothWord:
    """A word marked `both`: its undecided places after the finder, and what people said about them."""

    places: int  # before any place was marked
    asked: tuple[str, ...]  # places that people are asked about
    names: int  # of them marked as names, and so taken out
    words: int  # of them marked as words

    @property
    def unmarked(self) -> int:
        return len(self.asked) - self.names - self.words


@dataclass(frozen=True, kw_only=True)
class WordShare:
    """What is known of a word: the share of its places that are names, with ends, and what the release takes out."""

    share: float
    low: float
    high: float
    gone: float

    @classmethod
    def exactly(cls, share: float, *, gone: bool) -> "WordShare":
        return cls(share=share, low=share, high=share, gone=share if gone else 0.0)

    @classmethod
    def of_both(cls, word: BothWord) -> "WordShare":
        """Places that nobody has looked at yet are words at the lower end and names at the upper one."""
        seen = len(word.asked)
        if not seen:
            return cls.exactly(0.0, gone=False)
        fewest, most = word.names, word.names + word.unmarked
        low, high = fewest / seen, most / seen
        if seen < word.places:
            low, high = (exact(names, seen, confidence=CONFIDENCE)[end] for end, names in enumerate((fewest, most)))
        share = (fewest + word.unmarked / 2) / seen
        return cls(share=share, low=low, high=high, gone=word.names / word.places)


_NAME, _WORD = WordShare.exactly(1.0, gone=True), WordShare.exactly(0.0, gone=False)


@dataclass(frozen=True, kw_only=True)
class Sample:
    """Words to mark: all of `certain`, and draws of the others, with repetition."""

    places: Mapping[str, int]  # of all words that are left
    certain: tuple[str, ...]
    drawn: tuple[str, ...]
    words: int

    @cached_property
    def asked(self) -> tuple[str, ...]:
        return tuple(sorted({*self.certain, *self.drawn}))

    def to_mark(self) -> list[str]:
        return list(self.asked)

    def ends(self, known: Mapping[str, WordShare]) -> tuple[float, float, float]:
        """Names left per word: estimate, lower and upper bound (Clopper–Pearson on the draws)."""
        sure = self._seen(known, self.certain)
        if not self.drawn:
            return self._per_word(sure)
        gone = sum(self.places[word] * what.gone for word, what in known.items() if what.gone and word in self._rest)
        n, mass = len(self.drawn), self._mass
        # shares of names between 0 and 1 scatter less than yes or no would: whole hits on the safe side of either end
        hits = sum(known[word].share for word in self.drawn)
        low = exact(math.floor(sum(known[word].low for word in self.drawn)), n, confidence=CONFIDENCE)[0]
        high = exact(math.ceil(sum(known[word].high for word in self.drawn)), n, confidence=CONFIDENCE)[1]
        # an estimate is never less than the names that somebody saw at drawn words
        ends = zip((hits / n, low, high), self._seen(known, set(self.drawn)), strict=True)
        return self._per_word(sure + np.array([max(mass * share - gone, least) for share, least in ends]))

    def _seen(self, known: Mapping[str, WordShare], words: Collection[str]) -> Array:
        """Places of these words that are names and stay: value and ends."""
        left = [_left(self.places[word], known[word]) for word in words]
        total: Array = np.array(left).reshape(-1, 3).sum(axis=0)
        return total

    def _per_word(self, places: Array) -> tuple[float, float, float]:
        value, low, high = places / max(self.words, 1)
        return float(value), float(low), float(high)

    @cached_property
    def _rest(self) -> frozenset[str]:
        """Words that are drawn from."""
        return frozenset(self.places).difference(self.certain)

    @cached_property
    def _mass(self) -> int:
        return sum(self.places[word] for word in self._rest)


@dataclass(frozen=True, kw_only=True)
class Residual:
    """Names left per word, with an interval that holds with 95 % confidence."""

    value: float
    low: float
    high: float
    marked: int  # words that people marked
    unmarked: int  # words, and places of words that are both, that nobody has looked at
    places: int = 0  # of these the places
    at_fault: Mapping[str, float] = field(default_factory=dict)  # word → places left that are names


def draw(left: Left, *, seed: int, limit: float | None = None, size: int | None = None) -> Sample:
    """The words to mark, the same ones for the same text and seed: `size`, or as many as the limit needs."""
    return _sample(left, size or words_needed(left, limit), seed)


def words_needed(left: Left, limit: float | None, *, least: int = WORDS) -> int:
    """How many words a sample must have so that, by what the finder says of them, the upper end meets the limit.

    What nobody can know before marking is whether the finder is right; all words, marked, leave nothing in doubt.
    """
    size = least
    while limit is not None and size < len(left.places) and expected(left, size) > limit:
        size = math.ceil(size * GROWTH)
    return size if size < NEARLY_ALL * len(left.places) else max(least, len(left.places))


def choices(left: Left, most: int) -> dict[int, float]:
    """Smaller samples than `most`, and the upper end that each may come to."""
    sizes = (WORDS * 2**step for step in range(32))
    return {size: expected(left, size) for size in itertools.takewhile(lambda size: size < most, sizes)}


def expected(left: Left, size: int) -> float:
    """The upper end that a sample of this size comes to if words are names as often as the finder says."""
    sample = _sample(left, size, 0)
    chances = {word: left.likely.get(word, 0.0) for word in sample.asked}
    return sample.ends({word: WordShare(share=p, low=p, high=p, gone=p) for word, p in chances.items()})[2]


def _sample(left: Left, size: int, seed: int) -> Sample:
    """Words that may leave most names are marked one and all, the rest drawn; all words where they are no more."""
    risk = {word: count * (left.likely.get(word, 0.0) + DOUBT) for word, count in left.places.items()}
    ranked = sorted(left.places, key=lambda word: (-risk[word], word))
    if len(ranked) <= size:
        return Sample(places=left.places, certain=tuple(ranked), drawn=(), words=left.words)
    certain = round(size * CERTAIN)
    rest = ranked[certain:]
    weights = np.array([left.places[word] for word in rest], dtype=float)
    drawn = np.random.default_rng(seed).choice(len(rest), size=size - certain, p=weights / weights.sum())
    chosen = tuple(rest[i] for i in drawn)
    return Sample(places=left.places, certain=tuple(ranked[:certain]), drawn=chosen, words=left.words)


def estimate(sample: Sample, marks: Marks, both: Mapping[str, BothWord]) -> Residual:
    """From the marks of all asked words and, for words that are both, of all asked places."""
    known = _known(marks, both)
    asked = sample.to_mark()
    places = sum(word.unmarked for word in both.values())
    missing = sum(word not in known for word in asked) + places
    if missing:
        marked = sum(word in known for word in asked)
        return Residual(value=math.nan, low=0.0, high=1.0, marked=marked, unmarked=missing, places=places)
    return _estimated(sample, known, both)


def so_far(sample: Sample, marks: Marks, both: Mapping[str, BothWord], likely: Mapping[str, float]) -> Residual:
    """What a release would leave if it were made now, while words are still being marked.

    The estimate takes the finder's word (`likely`) for what nobody has marked. The ends need nobody's word: an unmarked
    word is no name at the lower end and a name wherever it stands at the upper one, so that the interval holds at
    any moment and in whatever order words are marked.
    """
    known = _known(marks, both)
    asked = [word for word in sample.asked if word not in known]
    open_words = {word: WordShare(share=likely.get(word, 0.0), low=0.0, high=1.0, gone=0.0) for word in asked}
    found = _estimated(sample, {**known, **open_words}, both)
    places = sum(word.unmarked for word in both.values())
    return replace(found, marked=found.marked - len(asked), unmarked=len(asked) + places, places=places)


def _estimated(sample: Sample, known: Mapping[str, WordShare], both: Mapping[str, BothWord]) -> Residual:
    value, low, high = sample.ends(known)
    places = sample.places
    outside = _outside(both, known, places) / max(sample.words, 1)
    fault = {word for word, what in known.items() if what.share > what.gone and word in places}
    return Residual(
        value=value + outside[0],
        low=low + outside[1],
        high=high + outside[2],
        marked=sum(word in known for word in sample.asked),
        unmarked=0,
        at_fault={word: _left(places[word], known[word])[0] for word in sorted(fault)},
    )


def _outside(both: Mapping[str, BothWord], known: Mapping[str, WordShare], places: Mapping[str, int]) -> Array:
    """Names left at places of words that the finder had taken out everywhere before they were marked `both`."""
    left = [_left(word.places, known[name]) for name, word in both.items() if name not in places]
    total: Array = np.array(left).reshape(-1, 3).sum(axis=0)
    return total


def _known(marks: Marks, both: Mapping[str, BothWord]) -> dict[str, WordShare]:
    gone = marks.gone
    known = {word: WordShare.exactly(share, gone=word in gone) for word, share in marks.shares.items()}
    for word, mark in marks.words.items():
        if mark == "both":
            known[word] = WordShare.of_both(both[word]) if word in both else WordShare.exactly(0.0, gone=False)
        else:
            known[word] = _NAME if mark == "name" else _WORD
    return known


def _left(places: int, known: WordShare) -> tuple[float, float, float]:
    """Places of one word that are names and stay."""
    value, low, high = (max(places * (share - known.gone), 0.0) for share in (known.share, known.low, known.high))
    return value, low, high


def asked_places(places: Sequence[str], *, seed: int) -> tuple[str, ...]:
    """The places of a word that people are asked about: all of them, or so many by lot."""
    if len(places) <= PLACES:
        return tuple(places)
    chosen = np.random.default_rng(seed).choice(len(places), size=PLACES, replace=False)
    return tuple(places[i] for i in sorted(chosen))
