"""Which words of a post go, and the post without them: only the words change, the layout stays as it was."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import cast

import numpy as np

from sharewell.text.arrays import Array
from sharewell.text.finder import OTHER, Names
from sharewell.text.marks import Marks, place_key, text_key
from sharewell.text.patterns import NAME
from sharewell.text.tokens import AFTER_STOP, FRESH, SPACED, Tokens, fold, is_capitalised, is_placeholder, tokenize
from sharewell.text.word_lists import FUNCTION_WORDS, WordLists

USED_AS_WORD, FEW = 0.3, 3  # a dictionary word is used as one where so large a share and so many uses are lower-case
ALWAYS = 0.5  # a word as likely as this to be a name goes wherever it stands, unless it is used as a word too
LOWER_CASE_WORD = 0.6  # an ordinary word in lower case, by somebody who uses capitals: so likely it has to be
BESIDE_NAME = 0.5  # of the threshold: enough for a place beside a name, with a capital ("Will [NAME]")
_PARTICLES = (
    "van von der den de la le du da do dos das del della di el al bin ibn abu ben ter ten te zu af av st mac mc"
)
PARTICLES = frozenset(_PARTICLES.split())
_AFTER_HERE = re.compile(r"$|[\n:,.!-]| [-–—:(]| (?:from|again|with)\b")


@dataclass(frozen=True, kw_only=True)
class Decisions:
    """What is known about words when single places are decided.

    `always`: redacted wherever they stand; `never`: nowhere; `possible`: decided place by place by the model of
    `names`; `certain`: words of the roster, redacted wherever they stand with a capital inside a sentence or beside
    another of them; `settled`: single places that people decided; `surrogates`: invented words, or none for
    placeholders.
    """

    always: frozenset[str]
    names: Names | None = None
    possible: frozenset[str] = frozenset()
    certain: frozenset[str] = frozenset()
    never: frozenset[str] = frozenset()
    settled: Mapping[str, bool] = field(default_factory=dict)
    surrogates: Mapping[str, str] = field(default_factory=dict)


def decide(names: Names, wanted: Mapping[str, bool] | None = None, marks: Marks | None = None) -> Decisions:
    """What goes everywhere, what stays everywhere, and what is decided place by place.

    `wanted` is the list that a person left: a word that is not on it is no name, True goes everywhere, False is as the
    model says. `marks` are what reviewers wrote beside words and places: they hold whatever the model says.
    """
    marks = marks or Marks()
    possible = frozenset(names.words if wanted is None else (word for word in names.words if word in wanted))
    asked = frozenset(word for word, everywhere in (wanted or {}).items() if everywhere)
    reasons = zip(names.words, names.reason, strict=True)
    listed = frozenset(word for word, reason in reasons if reason == "roster" and word in possible)
    both, never = marks.of("both"), marks.of("word")
    return Decisions(
        always=((_everywhere(names) & possible) | asked | (marks.gone - both)) - both - never,
        names=names,
        possible=(possible | both) - never,
        certain=listed,
        never=never,
        settled=marks.places,
    )


def _everywhere(names: Names) -> frozenset[str]:
    """Names go wherever they stand, unless this corpus uses them as ordinary words: then place by place."""
    measure = {name: values[names.candidates] for name, values in names.counts.measures.items()}
    lower = measure["count"] - measure["capitalised"]
    as_word = (lower >= FEW) & (lower > USED_AS_WORD * measure["count"])
    sure = (names.probability >= max(ALWAYS, names.threshold)) | np.array([r != "model" for r in names.reason], bool)
    return frozenset(
        word
        for word, is_sure, ordinary in zip(names.words, sure & names.is_name, as_word, strict=True)
        if is_sure and not (names.lists.is_ordinary(word) and (ordinary or word in FUNCTION_WORDS))
    )


@dataclass(frozen=True)
class Redacted:
    """Texts without names, with how many of how many words went."""

    texts: list[str]
    names: int
    words: int


def replace_names(texts: Sequence[str], decisions: Decisions) -> Redacted:
    """Names out of texts whose patterns are masked already."""
    out = list(texts)
    tokens = tokenize(out)
    chosen = np.flatnonzero(names_at(tokens, decisions))
    bounds = np.searchsorted(tokens.post[chosen], np.arange(len(out) + 1))
    for post in np.unique(tokens.post[chosen]):
        spans = chosen[bounds[post] : bounds[post + 1]]
        out[post] = _replaced(out[post], tokens, spans, decisions)
    return Redacted(out, len(chosen), len(tokens.start))


def names_at(tokens: Tokens, decisions: Decisions) -> Array:
    """True for every token that is a name where it stands."""
    words = [fold(surface) for surface in tokens.surfaces]

    def among(group: frozenset[str]) -> Array:
        return np.fromiter((word in group for word in words), bool, len(words))[tokens.surface]

    capital = np.fromiter((is_capitalised(surface) for surface in tokens.surfaces), bool, len(words))[tokens.surface]
    certain = among(decisions.certain) & capital
    named = among(decisions.always) | (certain & (~tokens.begins | _beside(tokens, certain)))
    if decisions.names is not None and len(named):
        _add_judged(tokens, named, decisions.names, among(decisions.possible), capital)
        _add_introductions(tokens, named, words, decisions.names.lists)
    _add_initials(tokens, named)
    _add_particles(tokens, named, words)
    named &= ~among(decisions.never)
    _settle(tokens, named, decisions.settled)
    return cast(Array, named)


def _add_judged(tokens: Tokens, named: Array, names: Names, possible: Array, capital: Array) -> None:
    """Places that the model takes for names, given what it says of the word elsewhere; beside a name less is enough."""
    judged = names.judge(tokens)
    probability, others = np.zeros(len(named)), np.zeros(len(named))
    probability[judged.token] = judged.person
    others[judged.token] = judged.other
    ordinary = np.array([names.lists.is_ordinary(fold(surface)) for surface in tokens.surfaces])[tokens.surface]
    elsewhere = np.where(ordinary, probability, _by_word(tokens, names, names.person))
    probability = np.where(possible, (probability + elsewhere) / 2, 0.0)
    others = np.where(possible, (others + _by_word(tokens, names, names.other)) / 2, 0.0)
    plain = ordinary & ~capital & _uses_capitals(tokens, capital)
    named |= probability >= np.where(plain, max(LOWER_CASE_WORD, names.threshold), names.threshold)
    named |= (others >= max(OTHER, names.threshold)) & ~plain
    joined = (tokens.gap[1:] == SPACED) & (tokens.post[1:] == tokens.post[:-1])
    near = capital & (probability >= BESIDE_NAME * names.threshold)
    before, after = named[:-1].copy(), named[1:].copy()
    named[1:] |= joined & before & near[1:]
    named[:-1] |= joined & after & near[:-1]


def _uses_capitals(tokens: Tokens, capital: Array) -> Array:
    """Per token, whether its post begins its sentences with capitals: then a word in lower case is hardly a name."""
    posts = int(tokens.post[-1]) + 1
    starts = np.bincount(tokens.post, tokens.begins, minlength=posts)
    raised = np.bincount(tokens.post, tokens.begins & capital, minlength=posts)
    return cast(Array, (2 * raised >= np.maximum(starts, 1))[tokens.post])


def _by_word(tokens: Tokens, names: Names, of_word: Array) -> Array:
    """Per token, what is known of its word over the whole corpus."""
    known = dict(zip(names.words, of_word.tolist(), strict=True))
    return np.array([known.get(fold(surface), 0.0) for surface in tokens.surfaces])[tokens.surface]


def _settle(tokens: Tokens, named: Array, settled: Mapping[str, bool]) -> None:
    """What people decided about single places holds there."""
    if not settled:
        return
    first = np.searchsorted(tokens.post, np.arange(len(tokens.texts) + 1))
    wanted = {key.rpartition(".")[0] for key in settled}
    for post, text in enumerate(tokens.texts):
        if text_key(text) in wanted:
            for token in range(first[post], first[post + 1]):
                named[token] = settled.get(place_key(text, token - first[post]), named[token])


def _beside(tokens: Tokens, chosen: Array) -> Array:
    """True for chosen tokens that stand directly beside another chosen one: "Rose Baker" at the beginning, too."""
    joined = chosen[1:] & chosen[:-1] & (tokens.gap[1:] != FRESH) & (tokens.gap[1:] != AFTER_STOP)
    beside = np.zeros(len(chosen), bool)
    beside[1:] |= joined
    beside[:-1] |= joined
    return beside


def _add_introductions(tokens: Tokens, named: Array, words: Sequence[str], lists: WordLists) -> None:
    """ "will here: …", "hi all, will here from Bonn": a first name that says who writes, whatever word it is else."""
    here = np.fromiter((word == "here" for word in words), bool, len(words))[tokens.surface]
    first = np.fromiter((word in lists.first for word in words), bool, len(words))[tokens.surface]
    for i in np.flatnonzero(first[:-1] & here[1:] & tokens.begins[:-1] & (tokens.gap[1:] == SPACED)):
        following = tokens.texts[tokens.post[i + 1]][tokens.end[i + 1] :][:8]
        named[i] |= tokens.post[i] == tokens.post[i + 1] and bool(_AFTER_HERE.match(following))


def _add_initials(tokens: Tokens, named: Array) -> None:
    """A single capital beside a name ("J. Park", "Maria L."), and a signature of capitals alone on the last line."""
    single = np.fromiter((len(s) == 1 and s.isupper() for s in tokens.surfaces), bool, len(tokens.surfaces))[
        tokens.surface
    ]
    pronoun = np.fromiter((s == "I" for s in tokens.surfaces), bool, len(tokens.surfaces))[tokens.surface]
    last = len(named) - 1
    asked = np.flatnonzero(single & tokens.prose)
    for i in (*asked[::-1], *asked):  # "A. B. Park" from its end, "Maria L. K." from its beginning
        before = i > 0 and named[i - 1] and tokens.post[i - 1] == tokens.post[i] and tokens.gap[i] == SPACED
        after = i < last and named[i + 1] and tokens.post[i + 1] == tokens.post[i] and tokens.gap[i + 1] != FRESH
        dotted = i < last and tokens.gap[i + 1] == AFTER_STOP
        named[i] |= bool((before or after) and (dotted or not pronoun[i]))
    _add_signatures(tokens, named, single)


def _add_signatures(tokens: Tokens, named: Array, single: Array) -> None:
    """ "M.L." or "ML" as the whole last line of a post of several lines."""
    short = (2 <= len(s) <= 3 and s.isalpha() and s.isupper() for s in tokens.surfaces)
    initials = single | np.fromiter(short, bool, len(tokens.surfaces))[tokens.surface]
    ends = np.flatnonzero(np.diff(tokens.post, append=-1)) if len(named) else np.zeros(0, int)
    for end in ends:
        start = end
        while initials[start] and tokens.gap[start] != FRESH and end - start < 3:
            start -= 1
        alone = initials[start] and tokens.gap[start] == FRESH and tokens.prose[start]
        if alone and start > 0 and tokens.post[start - 1] == tokens.post[end]:
            named[start : end + 1] = True


def _add_particles(tokens: Tokens, named: Array, words: Sequence[str]) -> None:
    """ "van der" between two parts of a name goes with them; after a particle in capitals so does it."""
    particle = np.fromiter((word in PARTICLES for word in words), bool, len(words))[tokens.surface]
    joins = particle & ~named & tokens.prose
    for i in np.flatnonzero(joins[:-1] & (named | joins)[1:])[::-1]:
        follows = named[i + 1] and tokens.post[i + 1] == tokens.post[i] and tokens.gap[i + 1] == SPACED
        leads = (
            i > 0
            and tokens.post[i - 1] == tokens.post[i]
            and tokens.gap[i] == SPACED
            and (named[i - 1] or particle[i - 1])
        )
        capital = is_capitalised(tokens.surfaces[tokens.surface[i]]) and not tokens.begins[i]
        named[i] = bool(follows and (leads or capital))


def _replaced(text: str, tokens: Tokens, spans: Array, decisions: Decisions) -> str:
    pieces, at = [], 0
    for token in spans:
        start, end = int(tokens.start[token]), int(tokens.end[token])
        surface = text[start:end]
        bare = _without_possessive(surface)
        pieces += [text[at:start], _substitute(bare, decisions)]
        at = start + len(bare)
    return "".join([*pieces, text[at:]])


def _without_possessive(surface: str) -> str:
    return surface[:-2] if surface.lower().endswith(("'s", "’s")) else surface


def _substitute(surface: str, decisions: Decisions) -> str:
    if is_placeholder(surface):
        return surface
    if not decisions.surrogates:
        return NAME
    invented = decisions.surrogates.get(fold(surface))
    return NAME if invented is None else in_case_of(surface, invented)


def in_case_of(surface: str, invented: str) -> str:
    """The invented name written as the found one was: lower case, CAPITALS, or Title."""
    letters = [character for character in surface if character.isalpha()]
    if letters and all(character.isupper() for character in letters) and len(letters) > 1:
        return invented.upper()
    return invented.title() if surface[:1].isupper() else invented
