"""Possible names: all words of the posts − (dictionary − places − census names)  (Bosch et al. 2020, §2.2).

One addition lowers what this narrowing loses: a dictionary word that the corpus itself writes with a capital in the
middle of sentences ("Button", "Storm") is a possible name too. Counting goes batch by batch; what is kept grows with
the distinct words and word pairs, not with the posts.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

import numpy as np
import pyarrow as pa

from sharewell.text.arrays import Array
from sharewell.text.tokens import Tokens, fold, is_capitalised, is_placeholder, tokenize
from sharewell.text.word_lists import CAPITALISED, WordLists

TITLED_SHARE = 0.5  # of the mid-sentence uses of a dictionary word that makes it a possible name
SURFACE_FLAGS = ("capitalised", "titled", "shouted", "inner_capital", "possessive")  # of a word as written
MEASURES = ("count", "begins", "mid", "mid_capitalised", "mid_titled", *SURFACE_FLAGS)
SETTINGS = ("all", "capitalised", "mid_capitalised")  # the three capitalisation settings of context words
FIRST = ("first_position", "first_words", "first_post")  # of a word's first use: place in its post, words of it, post
PAIRED = tuple(f"pairs_{setting}" for setting in SETTINGS)
_LOW = np.uint64(0xFFFFFFFF)


COUNTED = pa.schema([
    ("words", pa.list_(pa.string())),
    *((name, pa.list_(pa.int64())) for name in (*MEASURES, *FIRST, "pairs")),
    *((name, pa.list_(pa.int32())) for name in PAIRED),
    ("joined", pa.list_(pa.string())),
    ("posts", pa.int64()),
    ("tokens", pa.int64()),
])  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class BatchCounts:
    """What is counted about the words of one batch, which are numbered in their order of appearance.

    `pairs` are a word above and the word before it below, in one number; `weights` how often, in the three settings.
    """

    words: list[str]
    measures: dict[str, Array]
    first: dict[str, Array]
    pairs: Array
    weights: Array
    joined: list[str]  # words as written, with a capital or a digit inside
    posts: int
    tokens: int

    def table(self) -> pa.Table:
        """As one row, in which it comes from wherever it was counted."""
        paired = dict(zip(PAIRED, self.weights.T, strict=True))
        lists = {"words": self.words, **self.measures, **self.first, "pairs": self.pairs.astype(np.int64), **paired}
        lists["joined"] = self.joined
        cells = {name: _in_one_cell(values, COUNTED.field(name).type) for name, values in lists.items()}
        return pa.table({**cells, "posts": [self.posts], "tokens": [self.tokens]}, COUNTED)


def counted(tokens: Tokens) -> BatchCounts:
    """The words of one batch."""
    words, looked_up = _looked_up(tokens.surfaces)
    looked_up = looked_up[tokens.surface[tokens.prose]]
    word = looked_up[:, 0]
    flags = {name: looked_up[:, i + 1].astype(bool) for i, name in enumerate(SURFACE_FLAGS)}
    post, mid = tokens.post[tokens.prose], ~tokens.begins[tokens.prose]
    flags |= {"begins": ~mid, "mid": mid}
    flags |= {"mid_capitalised": mid & flags["capitalised"], "mid_titled": mid & flags["titled"]}
    chosen = {name: word if name == "count" else word[flags[name]] for name in MEASURES}
    pairs, weights = _pairs(word, post, flags["capitalised"], mid)
    return BatchCounts(
        words=words,
        measures={name: np.bincount(of, minlength=len(words)) for name, of in chosen.items()},
        first=_first_uses(word, post, len(words)),
        pairs=pairs,
        weights=weights,
        joined=[surface for surface in tokens.surfaces if _is_joined(surface)],
        posts=len(tokens.texts),
        tokens=len(word),
    )


def counted_rows(table: pa.Table) -> Iterator[BatchCounts]:
    """What was counted, batch by batch, out of its rows."""
    for row in range(len(table)):
        lists = {name: table[name][row].values for name in COUNTED.names if name not in ("posts", "tokens")}
        values = {name: lists[name].to_numpy() for name in lists if name not in ("words", "joined")}
        yield BatchCounts(
            words=lists["words"].to_pylist(),
            measures={name: values[name] for name in MEASURES},
            first={name: values[name] for name in FIRST},
            pairs=values["pairs"].astype(np.uint64),
            weights=np.stack([values[name] for name in PAIRED], axis=1),
            joined=lists["joined"].to_pylist(),
            posts=table["posts"][row].as_py(),
            tokens=table["tokens"][row].as_py(),
        )


@dataclass
class _Vocabulary:
    """Words by number, in order of appearance."""

    words: list[str] = field(default_factory=list)
    numbers: dict[str, int] = field(default_factory=dict)

    def look_up(self, words: Sequence[str]) -> Array:
        return np.fromiter((self._number(word) for word in words), np.int64, len(words))

    def _number(self, word: str) -> int:
        number = self.numbers.setdefault(word, len(self.words))
        if number == len(self.words):
            self.words.append(word)
        return number


class WordCounts:
    """What is counted about every word of a corpus, added to batch by batch."""

    def __init__(self) -> None:
        self.vocabulary = _Vocabulary()
        self.measures = {name: np.zeros(0, np.int64) for name in MEASURES}
        self.first = {name: np.zeros(0, np.int64) for name in FIRST}
        self.joined: set[str] = set()
        self.posts = 0
        self.tokens = 0
        self._pairs: list[tuple[Array, Array]] = []

    @property
    def words(self) -> list[str]:
        return self.vocabulary.words

    def add(self, more: BatchCounts) -> None:
        """The words of a further batch, which keeps its place: numbers are in order of appearance."""
        known, number = len(self.words), self.vocabulary.look_up(more.words)
        for name, values in self.measures.items():
            self.measures[name] = _grown(values, len(self.words))
            self.measures[name][number] += more.measures[name]
        self._note_first_uses(more, number, known)
        self._add_pairs(more, number.astype(np.uint64))
        self.joined.update(more.joined)
        self.posts += more.posts
        self.tokens += more.tokens

    def without_pairs(self) -> "WordCounts":
        """What judging a place asks for: pairs of words, by far the most of it, are asked for by words alone."""
        slim = WordCounts()
        slim.vocabulary, slim.measures = self.vocabulary, self.measures
        return slim

    def _note_first_uses(self, more: BatchCounts, number: Array, known: int) -> None:
        new = (number >= known) & (more.measures["count"] > 0)
        for name, values in self.first.items():
            self.first[name] = _grown(values, len(self.words))
            self.first[name][number[new]] = more.first[name][new] + (self.posts if name == "first_post" else 0)

    def _add_pairs(self, more: BatchCounts, number: Array) -> None:
        keys = (number[more.pairs >> np.uint64(32)] << np.uint64(32)) | number[more.pairs & _LOW]
        self._pairs.append(_summed(keys, more.weights))
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


def count_words(batches: Iterable[Sequence[str]]) -> WordCounts:
    counts = WordCounts()
    for batch in batches:
        counts.add(counted(tokenize(batch)))
    return counts


def possible_names(counts: WordCounts, lists: WordLists) -> Array:
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


def _is_joined(surface: str) -> bool:
    """Whether a capital or a digit shows that it may be several words in one: "MariaLopez", "maria99"."""
    inside = surface[1:]
    digit = any(character.isdigit() for character in surface)
    return not is_placeholder(surface) and (
        digit or (not inside.islower() and not surface.isupper() and len(inside) > 1)
    )


def _looked_up(surfaces: Sequence[str]) -> tuple[list[str], Array]:
    """The words of surfaces, and per surface: the number of its word, then the flags of SURFACE_FLAGS."""
    numbers: dict[str, int] = {}
    rows = [(numbers.setdefault(word, len(numbers)), *flags) for word, flags in map(_as_written, surfaces)]
    return list(numbers), np.array(rows, dtype=np.int64).reshape(-1, 1 + len(SURFACE_FLAGS))


@lru_cache(maxsize=1 << 17)  # the same words are asked for again and again
def _as_written(surface: str) -> tuple[str, tuple[bool, ...]]:
    return fold(surface), _flags(surface)


def _first_uses(word: Array, post: Array, words: int) -> dict[str, Array]:
    first = {name: np.zeros(words, np.int64) for name in FIRST}
    seen, at = np.unique(word, return_index=True)
    starts = np.searchsorted(post, post[at])
    first["first_position"][seen] = at - starts
    first["first_words"][seen] = np.searchsorted(post, post[at], side="right") - starts
    first["first_post"][seen] = post[at]
    return first


def _pairs(word: Array, post: Array, capital: Array, mid: Array) -> tuple[Array, Array]:
    follows = np.flatnonzero(post[1:] == post[:-1]) + 1
    keys = (word[follows].astype(np.uint64) << np.uint64(32)) | word[follows - 1].astype(np.uint64)
    weights = np.stack([np.ones(len(follows)), capital[follows], (capital & mid)[follows]], axis=1)
    return _summed(keys, weights.astype(np.int32))


def _in_one_cell(values: Sequence[str] | Array, kind: pa.ListType) -> pa.Array:
    return pa.ListArray.from_arrays(pa.array([0, len(values)], pa.int32()), pa.array(values, kind.value_type))


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
