"""Name or word, where it stands: the probability of every place that may hold a name."""

import re
from dataclasses import dataclass
from typing import cast
from weakref import WeakKeyDictionary

import numpy as np

from sharewell.text import place_features, unknown_language
from sharewell.text.arrays import Array
from sharewell.text.candidates import WordCounts
from sharewell.text.evidence import FAMILY, GIVEN, look_up
from sharewell.text.name_model import NameModel
from sharewell.text.place_features import NAMES, WORD, WordFacts
from sharewell.text.tokens import FRESH, GREETINGS, SPACED, Tokens, is_capitalised, is_placeholder
from sharewell.text.unknown_language import by_capitals, in_unknown_language
from sharewell.text.word_lists import CAPITALISED, NAMELESS, SOFTWARE, WordLists
from sharewell.text.words_abroad import FEW_BEARERS, words_abroad

COMMON, SELDOM_RAISED = -13.0, -1.0  # log probability, log odds of a capital
_PREFIXES = "mc mac o de di da du la le van von fitz st ben al el"  # of names with a capital inside
PREFIXES = frozenset(_PREFIXES.split())
_JOINED = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_NUMBERED = re.compile(r"([A-Z][A-Za-z]*)\d+")
_INNER = re.compile(r"[a-z][A-Z]|[A-Z]{2}[a-z]")
_INTRODUCES = "नाम নাম ਨਾਮ નામ اسمي اسمم نامم  שמי зовут звать звати λένε ονομάζομαι անունս"
INTRODUCES = frozenset(_INTRODUCES.split())  # "my name is" in other scripts ends in these
LISTED, RAISED, UNKNOWN = 0.97, 0.6, 0.01  # words of other scripts: on a list of names, with a capital, otherwise


@dataclass(frozen=True)
class Judged:
    """The places of a batch that were looked at: token numbers, and the probability of a person and of another name."""

    token: Array
    person: Array
    other: Array
    unknown: Array  # whether the place lies in a post whose language no table knows
    usual: Array  # per token of the batch: whether it is a usual word of the language of its post, not English

    @property
    def name(self) -> Array:
        return cast(Array, 1 - (1 - self.person) * (1 - self.other))


def judge(tokens: Tokens, counts: WordCounts, model: NameModel, lists: WordLists, unknown_share: float) -> Judged:
    """Every place that may hold a name, given how the whole corpus writes its words.

    `unknown_share` of the corpus's words are of no known language.
    """
    facts = WordFacts(tokens, counts, lists)
    token, usual = looked_at(facts), words_abroad(facts)
    token = token[~_known_words(facts)[tokens.surface[token]] & ~usual[token]]
    rows = place_features.rows(facts, token)
    called = _is_called(tokens, token, rows)
    token, rows = token[~called], rows[~called]
    person, other = model.person(rows, tokens, token), model.others.predict(rows)
    person[np.array([word in GREETINGS for word in facts.words], dtype=bool)[tokens.surface[token]]] = 0.0
    foreign = np.array([_is_foreign(surface) for surface in tokens.surfaces], dtype=bool)
    if foreign.any():
        _judge_foreign(facts, token, person, foreign[tokens.surface[token]])
    unknown = in_unknown_language(facts, unknown_share)
    if unknown.any():
        named, word = by_capitals(facts, token, rows, unknown & ~foreign[tokens.surface])
        person = np.where(named, np.maximum(person, unknown_language.RAISED), person)
        person, other = (np.where(word, np.minimum(said, unknown_language.WORDLIKE), said) for said in (person, other))
    return Judged(token, person, other, unknown[token], usual)


class Judge:
    """Judges the places of any batch by how the whole corpus writes its words; a batch that is kept is judged once."""

    def __init__(self, counts: WordCounts, model: NameModel, lists: WordLists, unknown_share: float) -> None:
        self.counts, self.model, self.lists, self.unknown_share = counts, model, lists, unknown_share
        self._said: WeakKeyDictionary[Tokens, Judged] = WeakKeyDictionary()

    def __call__(self, tokens: Tokens) -> Judged:
        if tokens not in self._said:
            self._said[tokens] = judge(tokens, self.counts, self.model, self.lists, self.unknown_share)
        return self._said[tokens]

    def __reduce__(self) -> tuple[type["Judge"], tuple[WordCounts, NameModel, WordLists, float]]:
        return Judge, (self.counts.without_pairs(), self.model, self.lists, self.unknown_share)


def looked_at(facts: WordFacts) -> Array:
    """Token numbers of prose that may be names: all but the commonest words where they have no capital of their own."""
    tokens = facts.tokens
    never = never_names(facts)
    wordlike = np.array([_is_wordlike(surface) for surface in tokens.surfaces], dtype=bool)
    raised = (facts.shape[:, 0] > 0)[tokens.surface] & ~tokens.begins
    return np.flatnonzero(tokens.prose & wordlike[tokens.surface] & (~never[tokens.surface] | raised))


def never_names(facts: WordFacts) -> Array:
    """Per surface: whether the word is so common in lower case, and so rare as a name, that it is taken for none."""
    column = {name: facts.evidence[:, i] for i, name in enumerate(WORD)}
    common = (column["lower"] >= COMMON) & (column["title_less_lower"] <= SELDOM_RAISED)
    named = (column["given"] > 0) | (column["first_name"] > 0) | (column["bearers"] > FEW_BEARERS)
    return cast(Array, (common | (column["function_word"] > 0)) & ~named)


def _is_called(tokens: Tokens, token: Array, rows: Array) -> Array:
    """Per place: whether it is a function in code outside backticks: "df.groupby('week')", "print(len(names))"."""
    called = np.zeros(len(token), bool)
    for i in np.flatnonzero(rows[:, NAMES.index("bracket_after")] > 0):
        text, start, end = tokens.texts[tokens.post[token[i]]], tokens.start[token[i]], tokens.end[token[i]]
        of = text[max(start - 2, 0) : start]
        called[i] = text[end : end + 1] == "(" and of[:1].isalnum() and of[1:] in (".", "(")
    return called


def _judge_foreign(facts: WordFacts, token: Array, person: Array, foreign: Array) -> None:
    """Words in other scripts than Latin: judged by lists of names of their languages alone."""
    surfaces, tokens = facts.tokens.surfaces, facts.tokens
    flags = look_up([_stem(word, 0) for word in facts.words])[:, 5]
    for cut in (1, 2):  # cases of Slavic and other languages end a name in a letter or two more
        flags = np.maximum(flags, look_up([_stem(word, cut) for word in facts.words])[:, 5])
    listed = (flags.astype(int) & (GIVEN | FAMILY)) > 0
    capital = np.array([is_capitalised(surface) for surface in surfaces], dtype=bool)
    own = tokens.surface[token]
    raised = capital[own] & ~tokens.begins[token]
    named = listed[own] | _introduced(facts, token) | _ends_a_name(tokens, token, listed)
    judged = np.where(named, LISTED, np.where(raised, RAISED, UNKNOWN))
    person[foreign] = judged[foreign]


def _introduced(facts: WordFacts, token: Array) -> Array:
    """Per place: whether "my name is" stands before it."""
    introduces = np.array([word in INTRODUCES for word in facts.words], dtype=bool)[facts.tokens.surface]
    joined = (facts.tokens.gap[token] == SPACED) & (token > 0)
    return cast(Array, introduces[token - 1] & joined)


def _ends_a_name(tokens: Tokens, token: Array, listed: Array) -> Array:
    """Per place: whether it follows a listed name and is the last word of its line, as a surname in a signature is."""
    after = np.append(tokens.gap[1:], FRESH)
    follows = (token > 0) & (tokens.gap[token] == SPACED) & (after[token] == FRESH)
    return cast(Array, follows & listed[tokens.surface[token - 1]])


def _stem(word: str, cut: int) -> str:
    return word if cut == 0 or len(word) < 4 + cut else word[:-cut]


def _is_foreign(surface: str) -> bool:
    """Whether a letter is of another script; Vietnamese letters (Latin Extended Additional) are Latin."""
    letters = (ord(character) for character in surface if character.isalpha())
    return any(point > 0x24F and not 0x1E00 <= point < 0x1F00 for point in letters) and not is_placeholder(surface)


def _known_words(facts: WordFacts) -> Array:
    """Per surface: what all write with a capital (weekdays, products), joined words ("KeyError"), versions ("IE11")."""
    known = CAPITALISED | SOFTWARE | NAMELESS
    surfaces, lists = facts.tokens.surfaces, facts.lists
    listed = np.array([word in known for word in facts.words], dtype=bool) | (np.array(surfaces, dtype=object) == "NaN")
    joined = np.array([_is_joined(surface, lists) or _is_version(surface, lists) for surface in surfaces], dtype=bool)
    return cast(Array, listed | joined)


def _is_joined(surface: str, lists: WordLists) -> bool:
    """Capitals inside a word of words, none of them a name: "ArrayList", but not "McDonald", "GaGa", "MariaLopez"."""
    parts = [part.lower() for part in _JOINED.findall(surface)]
    if len(parts) < 2 or not surface.isalnum() or parts[0] in PREFIXES or not _INNER.search(surface):
        return False
    listed = [part for part in parts if part in lists.first or part in lists.last]
    named = len(listed) == len(parts) or any(not lists.is_word(part) for part in listed)
    return not named and any(len(part) > 2 and lists.is_word(part) for part in parts)


def _is_version(surface: str, lists: WordLists) -> bool:
    """A word or a few capitals with a number ("Form2", "VS2012"), but no name with one ("Ana99")."""
    found = _NUMBERED.fullmatch(surface)
    if found is None or found[1].lower() in lists.first or found[1].lower() in lists.last:
        return False
    return found[1].isupper() or lists.is_word(found[1].lower())


def _is_wordlike(surface: str) -> bool:
    """At least two letters; "10am" and "2nd" are quantities, "4everlena" may be somebody."""
    letters = sum(character.isalpha() for character in surface)
    return not is_placeholder(surface) and letters >= (5 if surface[:1].isdigit() else 2)
