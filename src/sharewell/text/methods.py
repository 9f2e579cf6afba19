"""Methods that carry a name: "Pearson correlation", "Student's t-test", "the Adam optimizer", "Kruskal-Wallis test".

A word of the list stays where a kind of method follows it; "Pearson said" and "Adam got 94 %" name somebody. Of a name
that many people bear only what is surely a method stays: "Taylor series", but neither "Taylor test" nor "Taylor's
algorithm", which may be a student's.
"""

from collections.abc import Sequence

import numpy as np

from sharewell.text.arrays import Array
from sharewell.text.listed_words import listed_words
from sharewell.text.tokens import AFTER_STOP, FRESH, Tokens
from sharewell.text.word_lists import WordLists

_BETWEEN = "chi exact rank signed squared rank-sum signed-rank product-moment"
LETTERS = frozenset("tufzhwr")  # "Student's t test"; after "Taylor" alone an initial
MEASURES = frozenset(("rho", "tau", "kappa", "alpha", "omega", "lambda"))  # "Cronbach's alpha"; "Cohen's d" by itself
JOINING = frozenset(("and", "or"))  # "Kolmogorov and Smirnov test"; "Jordan and Kim test the pump" are two people
EPONYMS, SURELY, PERHAPS = map(listed_words, ("eponyms", "surely a method", "perhaps a method"))
BETWEEN = frozenset(_BETWEEN.split())
FARTHEST = 4  # words from the name to the kind of method


def name_methods(tokens: Tokens, words: Sequence[str], lists: WordLists) -> Array:
    """Per token: whether it belongs to the name of a method; `words` are the words of the surfaces."""
    parts = [frozenset(part for part in word.replace("–", "-").split("-") if part) for word in words]
    eponym = np.array([bool(of) and of <= EPONYMS for of in parts], dtype=bool)
    borne = np.array([any(part in lists.first or part in lists.last for part in of) for of in parts], dtype=bool)
    borne &= np.array([len(of) == 1 for of in parts], dtype=bool)  # nobody is called Mann-Whitney
    carries = np.zeros(len(tokens.surface), bool)
    for i in np.flatnonzero(eponym[tokens.surface]).tolist():
        carries[i] = _leads_to(tokens, words, eponym, i, borne=bool(borne[tokens.surface[i]]))
    return carries | _naive_bayes(tokens, words)


def _leads_to(tokens: Tokens, words: Sequence[str], eponym: Array, i: int, *, borne: bool) -> bool:
    """Whether a kind of method follows, with nothing but parts of methods between; after "exact" or "rank" any does.

    Of a name that people bear ("Taylor") fewer kinds count, and after "Taylor's" none does by itself.
    """
    possessive = tokens.surfaces[tokens.surface[i]].lower().endswith(("'s", "’s"))
    kinds, directly = (SURELY, not possessive) if borne else (SURELY | PERHAPS, True)
    for j in range(i + 1, min(i + 1 + FARTHEST, len(tokens.surface))):
        word, written = words[tokens.surface[j]], tokens.surfaces[tokens.surface[j]]
        if tokens.post[j] != tokens.post[i] or tokens.gap[j] in (AFTER_STOP, FRESH):
            return False
        if j == i + 1 and written.islower() and (word in MEASURES or (word == "d" and possessive)):
            return True
        if word in BETWEEN or (word in LETTERS and (possessive or not borne)):
            kinds, directly = SURELY | PERHAPS, True
        elif word not in JOINING and not eponym[tokens.surface[j]]:
            return directly and word in kinds
        elif word in JOINING and not _is_at(tokens, eponym, j + 1):
            return False
    return False


def _is_at(tokens: Tokens, group: Array, i: int) -> bool:
    return i < len(tokens.surface) and bool(group[tokens.surface[i]])


def _naive_bayes(tokens: Tokens, words: Sequence[str]) -> Array:
    naive, bayes = (np.array([word == one for word in words], dtype=bool)[tokens.surface] for one in ("naive", "bayes"))
    both = np.zeros(len(tokens.surface), bool)
    together = naive[:-1] & bayes[1:] & (tokens.post[1:] == tokens.post[:-1])
    both[:-1] |= together
    both[1:] |= together
    return both
