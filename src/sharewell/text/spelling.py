"""Words as they are typed in haste: which usual word may stand behind an unusual spelling.

"sooo" is "so", "agaiin" is "again" with a letter too many, "htink" has two changed, "fallin" is "falling".
A name seldom is a slip of a common word.
"""

import re
from collections.abc import Iterator, Sequence

import numpy as np

from sharewell.text import evidence
from sharewell.text.arrays import Array
from sharewell.text.evidence import OOV
from sharewell.text.word_lists import WordLists

COLUMNS = ("longest_run", "squeezed", "slip")
UNUSUAL, SHORTEST = -14.0, 4  # log probability below which, and letters from which on, a slip is looked for
_RUNS = re.compile(r"(.)\1+")
_LONG_RUNS = re.compile(r"(.)\1{2,}")


def respelled(words: Sequence[str], lower: Array) -> Array:
    """Per word: its longest run of one letter, and how common the words are that it may stand for.

    `lower` are the log probabilities of the words themselves; a usual word stands for nothing else.
    """
    longest = [max((len(run[0]) for run in _RUNS.finditer(word)), default=1) for word in words]
    unusual = np.flatnonzero(lower < UNUSUAL)
    squeezed, slips = np.full(len(words), OOV), np.full(len(words), OOV)
    squeezed[unusual] = _commonest([list(_squeezed(words[i])) for i in unusual])
    slips[unusual] = _commonest([list(_slips(words[i])) for i in unusual])
    return np.column_stack([longest, squeezed, slips]).astype(np.float32)


def is_two_words(word: str, lists: WordLists) -> bool:
    """Whether dictionary words are written together ("reallymeans"), each part of at least three letters."""
    if not word.isalpha() or lists.is_word(word):
        return False
    return any(word[:i] in lists.plain and lists.is_word(word[i:]) for i in range(3, len(word) - 2))


def _commonest(variants: list[list[str]]) -> Array:
    """Per word, the log probability of its commonest variant in lower case."""
    sizes = np.array([len(forms) for forms in variants], dtype=int)
    found = evidence.look_up([form for forms in variants for form in forms])[:, 0]
    best = np.full(len(variants), OOV, dtype=np.float32)
    np.maximum.at(best, np.repeat(np.arange(len(variants)), sizes), found)
    return best


def _squeezed(word: str) -> Iterator[str]:
    if _RUNS.search(word):
        yield _RUNS.sub(r"\1", word)
        yield _LONG_RUNS.sub(r"\1\1", word)


def _slips(word: str) -> Iterator[str]:
    """One letter too many, two letters changed, or an ending that is not spoken."""
    if len(word) < SHORTEST or not word.isalpha():
        return
    for i in range(1, len(word)):
        yield word[:i] + word[i + 1 :]
        if i + 1 < len(word) and word[i] != word[i + 1]:
            yield word[:i] + word[i + 1] + word[i] + word[i + 2 :]
    if word.endswith("in"):
        yield word + "g"
