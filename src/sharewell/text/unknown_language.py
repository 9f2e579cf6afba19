"""Posts in a language that no table knows, and what is left to go by there: capitals and places.

Unknown words look like names, so that nearly every word of a Basque or a Swahili post would go. A post whose words in
lower case are mostly known neither in English nor in the language that fits it best is read otherwise: a capital
inside a sentence makes a name, a word without a capital is none, and a capital at a beginning counts where it stands
in a run of capitals, alone on its line, or on a list of first names.
"""

from typing import cast

import numpy as np

from sharewell.text import evidence, languages
from sharewell.text.arrays import Array
from sharewell.text.candidates import WordCounts
from sharewell.text.place_features import NAMES, WORD, WordFacts
from sharewell.text.word_lists import WordLists

USED, PROBABLE, SLIP_OF = 3.5, -14.0, -12.0  # a known word: its uses on the Zipf scale, its log probability, what of
MOSTLY = 0.35  # of the words in lower case: unless so many are unknown, the tables know the language
COURSE_WORDS = 3.0  # the course speaks for a post like so many words more
RAISED, WORDLIKE = 0.6, 0.01  # probability of a name with a capital of its own, and of a word without one


def unknown_share(counts: WordCounts, lists: WordLists) -> float:
    """The share of all words in lower case of a course that neither English nor any other language knows."""
    lower = (counts.measures["count"] - counts.measures["capitalised"]).astype(float)
    asked = np.array([i for i, word in enumerate(counts.words) if lower[i] and _is_counted(word)], dtype=int)
    words = [counts.words[i] for i in asked]
    known = (languages.look_up(words).max(axis=1, initial=0) >= USED) | (evidence.look_up(words)[:, 0] >= PROBABLE)
    known |= np.array([lists.is_word(word) for word in words], dtype=bool)
    return float(lower[asked[~known]].sum() / max(lower[asked].sum(), 1.0))


def in_unknown_language(facts: WordFacts, course: float) -> Array:
    """Per token: whether its post is written in no known language, where `course` is the course's `unknown_share`."""
    tokens = facts.tokens
    counted = np.array([surface.islower() and _is_counted(surface) for surface in tokens.surfaces], dtype=bool)
    known = _is_known(facts)[tokens.surface] | (facts.language[0] >= USED)
    posts = len(tokens.texts)
    words = np.bincount(tokens.post, counted[tokens.surface], minlength=posts)
    unknown = np.bincount(tokens.post, counted[tokens.surface] & ~known, minlength=posts)
    share = (unknown + COURSE_WORDS * course) / (words + COURSE_WORDS)
    return cast(Array, (share >= MOSTLY)[tokens.post])


def by_capitals(facts: WordFacts, token: Array, rows: Array, unknown: Array) -> tuple[Array, Array]:
    """Per place of an unknown language: whether capitals and the place make a name of it, and whether a word.

    Where a post has no capitals at all neither is decided. `rows` are the features of the places.
    """
    column = {name: rows[:, NAMES.index(name)] for name in _ASKED}
    tokens = facts.tokens
    capital = facts.shape[tokens.surface, 0] > 0
    raised_posts = np.bincount(tokens.post, capital, minlength=len(tokens.texts)) > 0
    asked = unknown[token] & raised_posts[tokens.post[token]] & (column["all_capitals"] == 0)
    starts, upper = column["begins_sentence"] > 0, column["capitalised"] > 0
    given = (column["given"] > 0) | (column["first_name"] > 0)
    set_apart = (column["rest_of_run"] > 0) | (column["alone_on_line"] > 0) | given
    always_raised = column["share_capitalised"] == 1
    named = upper & (~starts | (set_apart & always_raised))
    return asked & named, asked & ~named


_ASKED = (
    "begins_sentence", "capitalised", "all_capitals", "share_capitalised", "given", "first_name", "rest_of_run",
    "alone_on_line",
)  # fmt: skip


def _is_known(facts: WordFacts) -> Array:
    """Per surface: words of English, and what may be a slip of one."""
    column = {name: facts.evidence[:, i] for i, name in enumerate(WORD)}
    usual = (column["spoken"] >= USED) | (column["lower"] >= PROBABLE) | (column["in_dictionary"] > 0)
    return cast(Array, usual | (column["squeezed"] >= SLIP_OF) | (column["slip"] >= SLIP_OF))


def _is_counted(word: str) -> bool:
    """Words in Latin letters, the Vietnamese ones included; other scripts are judged by lists of their own."""
    latin = word.isascii() or all(ord(letter) < 0x250 or 0x1E00 <= ord(letter) < 0x1F00 for letter in word)
    return len(word) > 1 and word.isalpha() and latin
