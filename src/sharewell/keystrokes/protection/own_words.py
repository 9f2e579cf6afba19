"""A student's own words become their shape: what fewer than five students wrote keeps its length and nothing else.

A word is an unbroken run of letters and digits. Words that five students or more wrote stay; in the others every letter
becomes the same letter and every digit the same digit.
"""

from dataclasses import dataclass

import numpy as np

from sharewell.keystrokes.arrays import Array, TypedEvents, numbered
from sharewell.keystrokes.keygroups import DIGIT, LETTER, key_classes

LEAST_STUDENTS = 5


@dataclass(frozen=True, kw_only=True)
class _Words:
    """Which events write a word, which one, the event that begins each, and a number for each that tells it."""

    written: Array
    word: Array
    first: Array
    number: Array


def _words(typing: TypedEvents, key: Array) -> _Words:
    classes = key_classes(typing.keys)[key]
    written = (classes == LETTER) | (classes == DIGIT)
    begins = written & ~(np.append(False, written[:-1]) & (np.diff(typing.session, prepend=-1) == 0))
    word, first = np.cumsum(begins) - 1, np.flatnonzero(begins)
    return _Words(written=written, word=word, first=first, number=_hashes(key, written, word, len(first)))


def common_words(typing: TypedEvents, key: Array) -> Array:
    """The numbers of the words that five students or more wrote, sorted."""
    words = _words(typing, key)
    if len(words.first) == 0:
        return words.number
    names, same = np.unique(words.number, return_inverse=True)
    size = int(typing.student.max()) + 1
    pairs, _ = numbered(same * size + typing.student[words.first])
    return np.asarray(names[np.bincount(pairs // size) >= LEAST_STUDENTS])


def shapes_of_own_words(typing: TypedEvents, key: Array, stands: Array, common: Array) -> Array:
    """The key of every event, or that of its class where the word it belongs to is not common."""
    words = _words(typing, key)
    if len(words.first) == 0:
        return key
    own = ~np.isin(words.number, common)
    return np.where(words.written & own[np.maximum(words.word, 0)], stands[key], key)


def _hashes(key: Array, written: Array, word: Array, words: int) -> Array:
    """One number for every word, the same for the same keys (FNV-1a), letter by letter for all words at once."""
    result = np.full(words, 14695981039346656037, dtype=np.uint64)
    letters, of = key[written].astype(np.uint64) + np.uint64(1), word[written]
    start = np.flatnonzero(np.diff(of, prepend=-1))
    size, at = np.diff(np.append(start, len(of))), 0
    some = np.arange(words)
    while len(some := some[size[some] > at]):
        result[some] = (result[some] ^ letters[start[some] + at]) * np.uint64(1099511628211)
        at += 1
    return result
