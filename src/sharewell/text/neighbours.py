"""How many dictionary words are within one and two edits of a word.

An edit is a deletion, an insertion, a replacement or a transposition of neighbours (optimal string alignment, as in
Bosch et al. 2020, §2.3). One edit adds and removes at most one letter, so that the letter counts of words within two
edits differ little, and letters that stay move by two places at most; a scan over signatures and places leaves few
pairs, and rapidfuzz measures those. The word itself counts.
"""

from collections.abc import Iterable, Iterator, Sequence

import numpy as np
from rapidfuzz import process
from rapidfuzz.distance import OSA

from sharewell.stats.compiled import njit
from sharewell.text.arrays import Array

EDITS = 2
BLOCK = 1000  # words asked at a time, to bound the memory
REMEMBERED = 100_000  # words whose counts are kept for the next corpus
_BUCKETS = np.uint32(31)  # letters fall into 31 buckets; two bits of the signature each: "at least one", "at least two"
_ONE = np.uint64(1)


class Neighbours:
    """A dictionary sorted by length, with a signature of each word's letters."""

    def __init__(self, dictionary: Iterable[str]) -> None:
        self.words = sorted(dictionary, key=lambda word: (len(word), word))
        self._counted: dict[str, list[int]] = {}
        self._letters = _letters(self.words)
        self._signatures = _signatures(*self._letters)
        lengths = np.array([len(word) for word in self.words])
        longest = int(lengths.max(initial=0))
        self._starts = np.searchsorted(lengths, np.arange(longest + 2))

    def within(self, words: Sequence[str]) -> Array:
        """Counts of dictionary words within one and within two edits of each word, one row per word."""
        new = list(dict.fromkeys(word for word in words if word not in self._counted))
        for start in range(0, len(new), BLOCK):
            block = new[start : start + BLOCK]
            asked, distance = self._distances(block)
            near = [np.bincount(asked[distance <= edits], minlength=len(block)) for edits in range(1, EDITS + 1)]
            self._counted.update(zip(block, np.column_stack(near).tolist(), strict=True))
        counts = np.array([self._counted[word] for word in words], np.int64).reshape(-1, EDITS)
        if len(self._counted) > REMEMBERED:
            self._counted.clear()
        return counts

    def close(self, words: Sequence[str]) -> Iterator[tuple[int, str]]:
        """(place of the word, listed word) for every pair within one edit, in the order of the list."""
        for start in range(0, len(words), BLOCK):
            asked, found = self._pairs(words[start : start + BLOCK])
            queries, choices = [words[start + i] for i in asked], [self.words[i] for i in found]
            if queries:
                distance = process.cpdist(queries, choices, scorer=OSA.distance, score_cutoff=1, dtype=np.uint8)
                yield from ((start + int(asked[i]), choices[i]) for i in np.flatnonzero(distance <= 1))

    def _pairs(self, words: Sequence[str]) -> tuple[Array, Array]:
        letters = _letters(words)
        return _similar(letters, _signatures(*letters), self._letters, self._signatures, self._starts)

    def _distances(self, words: Sequence[str]) -> tuple[Array, Array]:
        asked, found = self._pairs(words)
        queries, choices = [words[i] for i in asked], [self.words[i] for i in found]
        if not queries:
            return asked, np.zeros(0, np.uint8)
        return asked, process.cpdist(queries, choices, scorer=OSA.distance, score_cutoff=EDITS, dtype=np.uint8)


def _letters(words: Sequence[str]) -> tuple[Array, Array]:
    points = np.frombuffer("".join(words).encode("utf-32-le", "surrogatepass"), dtype=np.uint32)
    return points, np.cumsum([0, *(len(word) for word in words)])


@njit(cache=True)
def _signatures(points: Array, bounds: Array) -> Array:
    signatures = np.zeros(len(bounds) - 1, np.uint64)
    for i in range(len(bounds) - 1):
        for j in range(bounds[i], bounds[i + 1]):
            bit = _ONE << np.uint64(2 * (points[j] % _BUCKETS))
            signatures[i] |= bit if not signatures[i] & bit else bit << _ONE
    return signatures


@njit(cache=True)
def _similar(
    asked: tuple[Array, Array],
    signatures: Array,
    listed: tuple[Array, Array],
    listed_signatures: Array,
    starts: Array,
) -> tuple[Array, Array]:
    """Pairs whose signatures and places are close enough; nothing within two edits is missed.

    A difference in length of d takes d edits that flip one bit each; the edits left flip two bits at most.
    """
    left, right = np.empty(1 << 16, np.int64), np.empty(1 << 16, np.int64)
    found, count = np.empty(len(listed_signatures) + 1, np.int64), np.int64(0)
    for i in range(len(signatures)):
        word = asked[0][asked[1][i] : asked[1][i + 1]]
        near = np.int64(0)
        for length in range(max(len(word) - EDITS, 0), min(len(word) + EDITS, len(starts) - 2) + 1):
            most = np.uint64(2 * EDITS - abs(length - len(word)))
            for j in range(starts[length], starts[length + 1]):
                found[near] = j
                near += _bits(signatures[i] ^ listed_signatures[j]) <= most  # without a branch: here the time goes
        while count + near > len(left):
            left, right = _enlarged(left), _enlarged(right)
        for j in found[:near]:
            other = listed[0][listed[1][j] : listed[1][j + 1]]
            left[count], right[count] = i, j
            count += _in_place(word, other) if len(word) <= len(other) else _in_place(other, word)
    return left[:count].copy(), right[:count].copy()


@njit(cache=True)
def _in_place(short: Array, long: Array) -> bool:
    """Whether enough letters of the shorter word stand near their place in the longer one.

    With d letters more, 2 - d edits may replace a letter; what stays moves right by the insertions before it, and by
    one place either way in a transposition or where an insertion and a deletion make up for each other.
    """
    more = len(long) - len(short)
    leftmost, rightmost = -1 if more < EDITS else 0, 2 if more else 1
    missing = 0
    for i in range(len(short)):
        kept = False
        for j in range(max(i + leftmost, 0), min(i + rightmost, len(long) - 1) + 1):
            kept = kept or short[i] == long[j]
        missing += not kept
    return missing <= EDITS - more


@njit(cache=True)
def _enlarged(values: Array) -> Array:
    larger = np.empty(2 * len(values), values.dtype)
    larger[: len(values)] = values
    return larger


@njit(cache=True)
def _bits(value: np.uint64) -> np.uint64:
    """Number of ones (Warren, Hacker's Delight, fig. 5–2)."""
    value -= (value >> _ONE) & np.uint64(0x5555555555555555)
    value = (value & np.uint64(0x3333333333333333)) + ((value >> np.uint64(2)) & np.uint64(0x3333333333333333))
    value = (value + (value >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
    return (value * np.uint64(0x0101010101010101)) >> np.uint64(56)
