"""Possible names: all words of the posts − (dictionary − places − census names)  (Bosch et al. 2020, §2.2).

One addition lowers what this narrowing loses: a dictionary word that the corpus itself writes with a capital in the
middle of sentences ("Button", "Storm") is a possible name too. Counting goes batch by batch; what is kept grows with
the distinct words and word pairs, not with the posts.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np

from sharewell.text.arrays import Array
from sharewell.text.tokens import Tokens, fold, is_capitalised, is_placeholder, tokenize
from sharewell.text.word_lists import CAPITALISED, WordLists

TITLED_SHARE = 0.5  # of the mid-sentence uses of a dictionary word that makes it a possible name
SURFACE_FLAGS = ("capitalised", "titled", "shouted", "inner_capital", "possessive")  # of a word as written
MEASURES = ("count", "begins", "mid", "mid_capitalised", "mid_titled", *SURFACE_FLAGS)
SETTINGS = ("all", "capitalised", "mid_capitalised")  # the three capitalisation settings of context words
_LOW = np.uint64(0xFFFFFFFF)


@dataclass
class _Vocabulary:
    """Words by number, in order of appearance, with what each surface means."""

    words: list[str] = field(default_factory=list)
    numbers: dict[str, int] = field(default_factory=dict)
    by_surface: dict[str, tuple[int, ...]] = field(default_factory=dict)

    def look_up(self, surfaces: Sequence[str]) -> Array:
        """Per surface: the number of its word, then the flags of SURFACE_FLAGS."""
        rows = [self._surface(surface) for surface in surfaces]
        return np.array(rows, dtype=np.int64).reshape(-1, 1 + len(SURFACE_FLAGS))

    def _surface(self, surface: str) -> tuple[int, ...]:
        known = self.by_surface.get(surface)
        if known is None:
            known = self.by_surface[surface] = (self._number(fold(surface)), *_flags(surface))
        return known

    def _number(self, word: str) -> int:
        number = self.numbers.setdefault(word, len(self.words))
        if number == len(self.words):
            self.words.append(word)
        return number


class Counts:
    """What is counted about every word of a corpus, added to batch by batch."""

    def __init__(self) -> None:
        self.vocabulary = _Vocabulary()
        self.measures = {name: np.zeros(0, np.int64) for name in MEASURES}
        self.first = {name: np.zeros(0, np.int64) for name in ("position", "words", "post")}
        self.posts = 0
        self.tokens = 0
        self._pairs: list[tuple[Array, Array]] = []

    @property
    def words(self) -> list[str]:
        return self.vocabulary.words

    def add(self, texts: Sequence[str]) -> None:
        self.add_tokens(tokenize(texts), len(texts))

    def add_tokens(self, tokens: Tokens, posts: int) -> None:
        looked_up = self.vocabulary.look_up(tokens.surfaces)[tokens.surface[tokens.prose]]
        word = looked_up[:, 0]
        flags = {name: looked_up[:, i + 1].astype(bool) for i, name in enumerate(SURFACE_FLAGS)}
        post, mid = tokens.post[tokens.prose], ~tokens.begins[tokens.prose]
        flags |= {"begins": ~mid, "mid": mid}
        flags |= {"mid_capitalised": mid & flags["capitalised"], "mid_titled": mid & flags["titled"]}
        self._count(word, flags)
        self._note_first_uses(word, post)
        self._count_pairs(word, post, flags["capitalised"], mid)
        self.posts += posts
        self.tokens += len(word)

    def _count(self, word: Array, flags: dict[str, Array]) -> None:
        size = len(self.words)
        for name, counted in self.measures.items():
            chosen = word if name == "count" else word[flags[name]]
            self.measures[name] = _grown(counted, size) + np.bincount(chosen, minlength=size)

    def _note_first_uses(self, word: Array, post: Array) -> None:
        known = len(self.first["position"])
        for name, values in self.first.items():
            self.first[name] = _grown(values, len(self.words))
        if not len(word):
            return
        seen, at = np.unique(word, return_index=True)
        new, at = seen[seen >= known], at[seen >= known]
        starts = np.searchsorted(post, post[at])
        self.first["position"][new] = at - starts
        self.first["words"][new] = np.searchsorted(post, post[at], side="right") - starts
        self.first["post"][new] = self.posts + post[at]

    def _count_pairs(self, word: Array, post: Array, capital: Array, mid: Array) -> None:
        follows = np.flatnonzero(post[1:] == post[:-1]) + 1
        keys = (word[follows].astype(np.uint64) << np.uint64(32)) | word[follows - 1].astype(np.uint64)
        weights = np.stack([np.ones(len(follows)), capital[follows], (capital & mid)[follows]], axis=1)
        self._pairs.append(_summed(keys, weights.astype(np.int32)))
        # merge only when the new part has grown as large as the old one: the total work stays near linear
        while len(self._pairs) > 1 and len(self._pairs[-1][0]) * 2 > len(self._pairs[-2][0]):
            self._merge_last_two()

    def _merge_last_two(self) -> None:
        (keys, weights), (more_keys, more_weights) = self._pairs[-2:]
        self._pairs[-2:] = [_summed(np.concatenate([keys, more_keys]), np.concatenate([weights, more_weights]))]

    def pairs(self) -> tuple[Array, Array, Array]:
        """(word, word before it, counts in the three settings) of every pair."""
        while len(self._pairs) > 1:
            self._merge_last_two()
        keys, weights = self._pairs[0] if self._pairs else (np.zeros(0, np.uint64), np.zeros((0, 3), np.int32))
        return (keys >> np.uint64(32)).astype(np.int64), (keys & _LOW).astype(np.int64), weights


def count_words(batches: Iterable[Sequence[str]]) -> Counts:
    counts = Counts()
    for batch in batches:
        counts.add(batch)
    return counts


def possible_names(counts: Counts, lists: WordLists) -> Array:
    """Numbers of the words that may be names, most frequent first, ties in order of appearance."""
    measures = counts.measures
    seen = measures["count"] > 0
    titled = measures["mid_titled"] >= np.maximum(TITLED_SHARE * measures["mid"], 1)
    wordlike = np.fromiter((_is_wordlike(word) for word in counts.words), bool, len(counts.words))
    unlisted = np.zeros(len(seen), bool)
    for number in np.flatnonzero(wordlike & seen):
        word = counts.words[number]
        unlisted[number] = not lists.is_plain(word) or (titled[number] and word not in CAPITALISED)
    possible = np.flatnonzero(unlisted)
    return possible[np.argsort(-measures["count"][possible], kind="stable")]


def _is_wordlike(word: str) -> bool:
    """At least two letters; "10am" and "2nd" are quantities, "4everlena" may be somebody."""
    letters = sum(character.isalpha() for character in word)
    return not is_placeholder(word) and letters >= (5 if word[:1].isdigit() else 2)


def _flags(surface: str) -> tuple[bool, bool, bool, bool, bool]:
    letters = [character for character in surface if character.isalpha()]
    capital, lower = is_capitalised(surface), any(letter.islower() for letter in letters)
    inner = any(letter.isupper() for letter in letters[1:])
    shouted = inner and not lower
    return capital, capital and lower, shouted, inner and lower, surface.lower().endswith(("'s", "’s"))


def _grown(values: Array, size: int) -> Array:
    return np.concatenate([values, np.zeros(size - len(values), values.dtype)])


def _summed(keys: Array, weights: Array) -> tuple[Array, Array]:
    """Distinct keys in order with their weights added up."""
    order = np.argsort(keys, kind="stable")
    keys, weights = keys[order], weights[order]
    starts = np.flatnonzero(np.concatenate([[True], keys[1:] != keys[:-1]])) if len(keys) else np.zeros(0, np.int64)
    if not len(starts):
        return keys, weights
    return keys[starts], np.add.reduceat(weights, starts, axis=0)
