"""A student's own words become their shape: what fewer than five students wrote keeps its length and nothing else.

A word is an unbroken run of letters and digits. Words that five students or more wrote stay; in the others every letter
becomes the same letter and every digit the same digit.
"""

import numpy as np
from numba import njit

from sharewell.keystrokes.arrays import Array, Typing, numbered
from sharewell.keystrokes.keygroups import DIGIT, LETTER, key_classes

LEAST_STUDENTS = 5


def shapes_of_own_words(typing: Typing, key: Array, stands: Array) -> Array:
    """The key of every event, or that of its class where the word it belongs to is the student's own."""
    classes = key_classes(typing.keys)[key]
    written = (classes == LETTER) | (classes == DIGIT)
    begins = written & ~(np.append(False, written[:-1]) & (np.diff(typing.session, prepend=-1) == 0))
    word = np.cumsum(begins) - 1
    first = np.flatnonzero(begins)
    if len(first) == 0:
        return key
    same, _ = np.unique(_hashes(key, written, word, len(first)), return_inverse=True)[1], None
    size = int(typing.student.max()) + 1
    pairs, _ = numbered(same * size + typing.student[first])
    common = np.bincount(pairs // size)[same] >= LEAST_STUDENTS
    return np.where(written & ~common[np.maximum(word, 0)], stands[key], key)


@njit(cache=True)
def _hashes(key: Array, written: Array, word: Array, words: int) -> Array:  # pragma: no cover — compiled
    """One number for every word, the same for the same keys (FNV-1a)."""
    result = np.full(words, np.uint64(14695981039346656037))
    for event in range(len(key)):
        if written[event]:
            result[word[event]] = (result[word[event]] ^ np.uint64(key[event] + 1)) * np.uint64(1099511628211)
    return result
