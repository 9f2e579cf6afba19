"""Keys and words of fewer than five students become the usual key of their class, letter by letter.

Such keys are the codes of one browser or one layout. A word is an unbroken run of letters and digits; one that few
students wrote keeps its length and nothing else.
"""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from sharewell.keystrokes.arrays import Array, TypedEvents, numbered
from sharewell.keystrokes.keygroups import CLASS_CODES, CLASS_KEYS, DIGIT, HIDDEN, LETTER, are_codes, key_classes

LEAST_STUDENTS = 5


def names_with_class_keys(names: Iterable[str]) -> Array:
    """Keys with one of every class among them, sorted."""
    known = set(names)
    return np.array(sorted({*known, *_usual(sorted(known))}), dtype=str)


def class_keys_of(keys: Array) -> Array:
    """Which code stands for the class of each code, where there is a key of every class."""
    usual = _usual(keys.tolist())
    places = {str(key): code for code, key in enumerate(keys)}
    stands = [code if group == HIDDEN else places[usual[group]] for code, group in enumerate(key_classes(keys))]
    return np.array(stands, dtype=np.int64)


def _usual(names: list[str]) -> tuple[str, ...]:
    return CLASS_CODES if are_codes(names) else CLASS_KEYS


def common_keys(typing: TypedEvents) -> Array:
    """Whether five students or more use a key, by code."""
    size = int(typing.student.max()) + 1
    pairs, _ = numbered(typing.key * size + typing.student)
    return np.asarray(np.bincount(pairs // size, minlength=len(typing.keys)) >= LEAST_STUDENTS)


def without_rare_keys(typing: TypedEvents, stands: Array, common: Array) -> Array:
    """The key of every event, or that of its class where it is not common."""
    return np.where(common[typing.key], typing.key, stands[typing.key])


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
