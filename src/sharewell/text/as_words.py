"""Places where a word that is also a name stands as a word: "I will mark it", "the mark", "they grant the extension".

Only ordinary words in lower case are asked: as a noun after an article or a possessive, and as a verb between somebody
or something that can do it and what it is done to. "will mark be there" is neither, and is left to the model. Who
begins sentence after sentence with a capital does not write a name without one.
"""

from collections.abc import Sequence
from typing import cast

import numpy as np

from sharewell.text.arrays import Array
from sharewell.text.tokens import FRESH, SPACED, Tokens, is_capitalised
from sharewell.text.word_lists import WordLists

_DETERMINERS = "the a an my your his her our their this that these those any no each every another full"
_BEFORE_VERBS = """
    i you we they to please not don't can't will would can could should must might may shall didn't doesn't cannot
    never always also just then and gonna
"""
_OBJECTS = """
    it the a an my your his her our their this that these those them me us him all each every everything something up
    as down
"""
SENTENCES, NEARLY_ALL = 4, 0.9  # of a careful writer's post: how many at least, and which share begins with a capital
DETERMINERS, BEFORE_VERBS, OBJECTS = (frozenset(words.split()) for words in (_DETERMINERS, _BEFORE_VERBS, _OBJECTS))


def stand_as_words(tokens: Tokens, words: Sequence[str], lists: WordLists) -> Array:
    """Per token, whether it is an ordinary word in lower case that its neighbours show to be one; `words` are the
    words of the surfaces."""

    def among(group: frozenset[str]) -> Array:
        return np.fromiter((word in group for word in words), bool, len(words))[tokens.surface]

    joined = (tokens.gap[1:] == SPACED) & (tokens.post[1:] == tokens.post[:-1])
    noun, verb, acted_on = np.zeros((3, len(tokens.surface)), bool)
    noun[1:] = among(DETERMINERS)[:-1] & joined
    verb[1:] = among(BEFORE_VERBS)[:-1] & joined
    acted_on[:-1] = among(OBJECTS)[1:] & joined
    return cast(Array, _ordinary_in_lower_case(tokens, words, lists) & (noun | (verb & acted_on)))


def written_with_care(tokens: Tokens, words: Sequence[str], lists: WordLists) -> Array:
    """Per token, whether it is an ordinary word without a capital by a writer who gives names one."""
    asked = _ordinary_in_lower_case(tokens, words, lists)
    asked &= np.array(["-" not in word for word in words], dtype=bool)[tokens.surface]  # "mary-jane"
    return cast(Array, asked & by_careful_writers(tokens) & ~alone_on_line(tokens))


def _ordinary_in_lower_case(tokens: Tokens, words: Sequence[str], lists: WordLists) -> Array:
    pairs = zip(words, tokens.surfaces, strict=True)
    asked = np.fromiter((surface.islower() and lists.is_ordinary(word) for word, surface in pairs), bool, len(words))
    return asked[tokens.surface]


def by_careful_writers(tokens: Tokens) -> Array:
    """Per token: whether its post has several sentences, and nearly all of them begin with a capital."""
    posts = len(tokens.texts)
    raised = np.fromiter(map(is_capitalised, tokens.surfaces), bool, len(tokens.surfaces))[tokens.surface]
    starts = tokens.begins & tokens.prose
    begun = np.bincount(tokens.post, starts, minlength=posts)
    well = np.bincount(tokens.post, starts & raised, minlength=posts)
    return cast(Array, ((begun >= SENTENCES) & (well >= NEARLY_ALL * begun))[tokens.post])


def alone_on_line(tokens: Tokens) -> Array:
    """Per token: whether it is the only word of its line, as a signature is."""
    last = np.append(tokens.gap[1:] == FRESH, True)
    return cast(Array, (tokens.gap == FRESH) & last[: len(tokens.gap)])
