"""Which words of a post are usual words of the language it is written in, where that is not English.

Where the writer uses capitals, a word in lower case is one of them if the language knows it; a capital inside a
sentence speaks for a name, except in German, which writes every noun with one: there a noun shows by how common it
is, and a rarer one by its ending or its last part and by the article, number or adjective before it.
"""

import re
from typing import cast

import numpy as np

from sharewell.text import languages
from sharewell.text.arrays import Array
from sharewell.text.listed_words import listed_words
from sharewell.text.place_features import WORD, WordFacts
from sharewell.text.tokens import SPACED

SURE, MARGIN = 4.0, 0.5  # log10 odds of the other language against English, altogether and per word
VERY_SURE, LARGE_MARGIN = 10.0, 1.2  # for words of which the language alone speaks
USUAL, COMMON, VERY_COMMON, COMMONEST = 4.3, 5.0, 5.2, 6.3  # uses of a word on the Zipf scale
KNOWN = 4.0  # from here on the table of languages knows a word; rarer ones stand in a table of their own
IN_LOWER_CASE, BEGINS = -9.0, 5.5  # log probability in lower case, in German or Spanish, of a word at a beginning
FEW_BEARERS, NO_BEARERS = 7.0, 3.0  # logarithms of how many people bear it as their given name
RARE_SURNAME = 0.3  # of the column `last_name`: about the five thousandth of the census
GERMAN = languages.ABROAD.index("de")
_ELIDED = "c d j l m n qu s t jusqu lorsqu puisqu dell nell sull un quest"
ELIDED = frozenset(_ELIDED.split())
BEFORE_NOUNS = listed_words("before German nouns")
_ADJECTIVE = re.compile(r"[a-zäöüß]{3,}(?:e|en|em|er|es)")
_ENDINGS = re.compile(
    r".{3,}(?:ung|ungen|heit|heiten|keit|keiten|schaft|schaften|tion|tionen|tät|täten|ismus|nis|nisse|logie|kunde|grafie)"
)
LONGEST_TAIL, SHORTEST_TAIL = 12, 5  # letters of the last part of a joined noun


def words_abroad(facts: WordFacts) -> Array:
    """Per token: whether it is a usual word of the language that its post is written in."""
    here, margin, gain = facts.language
    word = facts.shape[facts.tokens.surface, 4] == 0
    named, listed = _names_elsewhere(facts)
    capital = facts.shape[facts.tokens.surface, 0] > 0
    raised = capital & ~facts.tokens.begins
    usual = (here >= USUAL) & (~named | ((here >= COMMONEST) & ~_leads_capitals(facts, capital))) & ~raised
    usual &= (gain >= SURE) & (margin >= MARGIN)
    very_sure = (gain >= VERY_SURE) & (margin >= LARGE_MARGIN)
    if very_sure.any():
        usual |= very_sure & _further(facts, very_sure, named, listed, capital)
    return cast(Array, usual & word)


def _further(facts: WordFacts, sure: Array, named: Array, listed: Array, capital: Array) -> Array:
    """Per token of a post that is surely in another language: rarer words, words that are names elsewhere, nouns."""
    tokens, here = facts.tokens, facts.language[0]
    rare = _is_known(facts, here, sure & ~listed)
    begins = tokens.begins & ~_leads_capitals(facts, capital)
    usual = ~capital & raises(facts) & ((here >= COMMON) | rare)
    usual |= ~listed & (here >= COMMON)
    usual |= begins & ~listed & (here >= KNOWN)
    usual |= begins & (here >= BEGINS) & (_column(facts, "abroad") >= IN_LOWER_CASE)
    german = sure & capital & ~tokens.begins & (facts.tongue == GERMAN)
    usual |= _german_nouns(facts, rare, german & ~listed) | (german & ~named & (here >= VERY_COMMON))
    return cast(Array, usual | _elided(facts))


def _leads_capitals(facts: WordFacts, capital: Array) -> Array:
    """Per token: whether a capital follows it, as in "Quốc Bảo" at the beginning of a line."""
    return cast(Array, capital & np.append(capital[1:] & (facts.tokens.gap[1:] == SPACED), False)[: len(capital)])


def raises(facts: WordFacts) -> Array:
    """Per token: whether its post has a capital inside a sentence, or begins half of its sentences with one."""
    tokens = facts.tokens
    capital, posts = facts.shape[tokens.surface, 0] > 0, len(tokens.texts)
    inside = np.bincount(tokens.post, capital & ~tokens.begins, minlength=posts)
    starts = np.bincount(tokens.post, tokens.begins, minlength=posts)
    raised = np.bincount(tokens.post, capital & tokens.begins, minlength=posts)
    return cast(Array, ((inside > 0) | (2 * raised >= np.maximum(starts, 1)))[tokens.post])


def _names_elsewhere(facts: WordFacts) -> tuple[Array, Array]:
    """Per token: whether the word is a usual given name somewhere, and whether any list has it as a name at all."""
    given = (_column(facts, "given") > 0) | (_column(facts, "first_name") > 0)
    bearers, places = _column(facts, "bearers"), _column(facts, "city") + _column(facts, "region_or_country")
    family = (_column(facts, "family") > 0) | (_column(facts, "last_name") >= RARE_SURNAME)
    return given | (bearers > FEW_BEARERS), given | family | (bearers > NO_BEARERS) | (places > 0)


def _column(facts: WordFacts, name: str) -> Array:
    return cast(Array, facts.evidence[facts.tokens.surface, WORD.index(name)])


def _is_known(facts: WordFacts, here: Array, asked: Array) -> Array:
    """Per token: whether its word is known in the language of its post, the rarer words included; only where asked."""
    known = asked & (here >= KNOWN)
    rest = np.flatnonzero(asked & ~known)
    if len(rest):
        pairs, of_pair = np.unique(
            np.column_stack([facts.tokens.surface[rest], facts.tongue[rest]]), axis=0, return_inverse=True
        )
        words = [facts.words[surface] for surface in pairs[:, 0]]
        known[rest] = languages.is_rarer(words, pairs[:, 1])[of_pair.ravel()]
    return known


def _elided(facts: WordFacts) -> Array:
    """Per token: "D'un", "L'autre", "Qu'il": a usual word of the language of its post behind an elided one."""
    tokens = facts.tokens
    parted = [surface.replace("’", "'").partition("'") for surface in tokens.surfaces]
    tails = [tail if tail.islower() and head.lower() in ELIDED else "" for head, _, tail in parted]
    asked = np.array([bool(tail) for tail in tails], dtype=bool)[tokens.surface]
    if asked.any():
        asked[asked] = languages.look_up(tails)[tokens.surface[asked], 1 + facts.tongue[asked]] >= USUAL
    return asked


def _german_nouns(facts: WordFacts, known: Array, asked: Array) -> Array:
    """Per token with a capital in a German post: usual nouns, and rarer or joined ones after what stands before nouns.

    "Brinkmann" is known as well, but "Frau Brinkmann" has no article: what stands after one is hardly a surname.
    """
    if not asked.any():
        return asked
    tokens, here = facts.tokens, facts.language[0]
    leads = np.array(
        [w in BEFORE_NOUNS or bool(_ADJECTIVE.fullmatch(s)) for w, s in zip(facts.words, tokens.surfaces, strict=True)]
    )
    led = np.zeros(len(asked), bool)
    led[1:] = leads[tokens.surface[:-1]] & (tokens.gap[1:] == SPACED) & (tokens.post[1:] == tokens.post[:-1])
    noun = asked & ((here >= KNOWN) | (known & led))
    for i in np.flatnonzero(asked & ~noun):
        word = facts.words[tokens.surface[i]]
        noun[i] = bool(_ENDINGS.fullmatch(word)) or bool(led[i] and _ends_in_noun(word))
    return cast(Array, noun)


def _ends_in_noun(word: str) -> bool:
    """Whether the last part of a joined word is a usual word of German: "Lern-gruppe", "Schul-projekt"."""
    tails = [word[-n:] for n in range(SHORTEST_TAIL, min(LONGEST_TAIL, len(word) - 3) + 1)]
    return bool(tails) and bool((languages.look_up(tails)[:, 1 + GERMAN] >= USUAL).any())
