"""Which words of a post go, and the post without them: only the words change, the layout stays as it was."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import cast

import numpy as np

from sharewell.text import place_features
from sharewell.text.arrays import Array
from sharewell.text.candidates import Counts
from sharewell.text.finder import Names
from sharewell.text.forest import Forest
from sharewell.text.marks import Marks, place_key, text_key
from sharewell.text.patterns import NAME
from sharewell.text.tokens import AFTER_STOP, FRESH, SPACED, Tokens, fold, is_capitalised, is_placeholder, tokenize
from sharewell.text.word_lists import FUNCTION_WORDS, WordLists, english

USED_AS_WORD, FEW = 0.3, 3  # a dictionary word is used as one where so large a share and so many uses are lower-case
ASKED = 0.9  # the least probability of a word that a person calls a name
LOOKED_AT = 0.02  # a dictionary word whose probability is lower is never looked at place by place
_PARTICLES = (
    "van von der den de la le du da do dos das del della di el al bin ibn abu ben ter ten te zu af av st mac mc"
)
PARTICLES = frozenset(_PARTICLES.split())


@dataclass(frozen=True, kw_only=True)
class Decisions:
    """What is known about words when single places are decided.

    `always`: redacted wherever they stand; `never`: nowhere; `possible`: word → probability, decided place by place;
    `certain`: words of the roster, redacted wherever they stand with a capital inside a sentence or beside another of
    them; `settled`: single places that people decided; `shares`: how often a word is capitalised in mid-sentence;
    `surrogates`: invented words, or none for placeholders.
    """

    always: frozenset[str]
    possible: Mapping[str, float]
    shares: Mapping[str, float]
    places: Forest
    certain: frozenset[str] = frozenset()
    never: frozenset[str] = frozenset()
    settled: Mapping[str, bool] = field(default_factory=dict)
    lists: WordLists = field(default_factory=english)
    surrogates: Mapping[str, str] = field(default_factory=dict)
    threshold: float = 0.5


def make_decisions(
    counts: Counts,
    candidates: Array,
    probability: Array,
    is_name: Array,
    places: Forest,
    lists: WordLists,
) -> Decisions:
    """Names go wherever they stand, unless this corpus uses them as ordinary words: then place by place."""
    words = [counts.words[number] for number in candidates]
    measure = {name: values[candidates] for name, values in counts.measures.items()}
    shares = measure["mid_capitalised"] / np.maximum(measure["mid"], 1)
    lower = measure["count"] - measure["capitalised"]
    as_word = (lower >= FEW) & (lower > USED_AS_WORD * measure["count"])
    always = (
        word
        for word, named, ordinary in zip(words, is_name, as_word, strict=True)
        if named and not (lists.is_ordinary(word) and (ordinary or word in FUNCTION_WORDS))
    )
    return Decisions(
        always=frozenset(always),
        possible=dict(zip(words, np.minimum(probability, 0.999).tolist(), strict=True)),
        shares=dict(zip(words, shares.tolist(), strict=True)),
        places=places,
        lists=lists,
    )


def decide(
    names: Names, places: Forest, wanted: Mapping[str, bool | None] | None = None, marks: Marks | None = None
) -> Decisions:
    """What goes everywhere, what stays everywhere, and what is decided place by place.

    `wanted` is the list that a person left: a word that is not on it is no name, True is one, None is as the model
    says. `marks` are what reviewers wrote beside words and places: they hold whatever the model says.
    """
    marks = marks or Marks()
    probability, chosen = names.probability.copy(), names.is_name.copy()
    for i, word in enumerate(names.words):
        asked = wanted.get(word, False) if wanted is not None else None
        if asked is not None:
            chosen[i] = asked
            probability[i] = max(probability[i], ASKED) if asked else 0.0
    decisions = make_decisions(names.counts, names.candidates, probability, chosen, places, names.lists)
    listed = (
        word for word, why, kept in zip(names.words, names.reason, chosen, strict=True) if why == "roster" and kept
    )
    extra = {word for word, asked in (wanted or {}).items() if asked}.difference(names.words)
    both = marks.of("both")
    gone = marks.gone - both
    return replace(
        decisions,
        always=(decisions.always | extra | gone) - both - marks.of("word"),
        never=marks.of("word"),
        possible={**decisions.possible, **{word: max(decisions.possible.get(word, 0.0), 0.5) for word in both}},
        certain=frozenset(listed),
        settled=marks.places,
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
    always = np.fromiter((word in decisions.always for word in words), bool, len(words))
    sure = np.fromiter(
        (word in decisions.certain and is_capitalised(s) for s, word in zip(tokens.surfaces, words, strict=True)),
        bool,
        len(words),
    )
    certain = sure[tokens.surface]
    named = always[tokens.surface] | (certain & (~tokens.begins | _beside(tokens, certain)))
    undecided, rows = place_rows(tokens, decisions)
    if len(undecided):
        named[undecided] |= decisions.places.predict(rows) >= decisions.threshold
    _add_initials(tokens, named)
    _add_particles(tokens, named, words)
    never = np.fromiter((word in decisions.never for word in words), bool, len(words))
    named &= ~never[tokens.surface]
    _settle(tokens, named, decisions.settled)
    return cast(Array, named)


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


def place_rows(tokens: Tokens, decisions: Decisions) -> tuple[Array, Array]:
    """The tokens that would be decided place by place, and their features: what the forest learns from."""
    words = [fold(surface) for surface in tokens.surfaces]
    probability = np.array([1.0 if w in decisions.always else decisions.possible.get(w, 0.0) for w in words])
    pairs = zip(tokens.surfaces, words, strict=True)
    plain = np.fromiter((word in FUNCTION_WORDS for word in words), bool, len(words))
    lower = np.fromiter((surface.islower() for surface, _ in pairs), bool, len(words))
    never = plain[tokens.surface] & (lower[tokens.surface] | tokens.begins)  # "so", and "So" at the beginning
    looked_at = (probability >= LOOKED_AT) & (probability < 1)
    undecided = np.flatnonzero(looked_at[tokens.surface] & tokens.prose & ~never)
    return undecided, place_features.rows(tokens, undecided, _of_word(words, decisions), probability)


def _of_word(words: Sequence[str], decisions: Decisions) -> Array:
    lists = decisions.lists
    table = np.zeros((len(words), 5), np.float32)
    for i, word in enumerate(words):
        if word in decisions.possible:
            place = word in lists.cities or word in lists.regions or word in lists.countries
            table[i] = (
                decisions.shares.get(word, 0.0),
                word in lists.first,
                word in lists.last,
                place,
                lists.is_word(word),
            )
    return table


def _add_initials(tokens: Tokens, named: Array) -> None:
    """A single capital beside a name ("J. Park", "Maria L."), and a signature of capitals alone on the last line."""
    single = np.fromiter((len(s) == 1 and s.isupper() for s in tokens.surfaces), bool, len(tokens.surfaces))[
        tokens.surface
    ]
    pronoun = np.fromiter((s == "I" for s in tokens.surfaces), bool, len(tokens.surfaces))[tokens.surface]
    last = len(named) - 1
    for i in np.flatnonzero(single & tokens.prose):
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
    invented = decisions.surrogates.get(fold(surface))
    return NAME if invented is None else in_case_of(surface, invented)


def in_case_of(surface: str, invented: str) -> str:
    """The invented name written as the found one was: lower case, CAPITALS, or Title."""
    letters = [character for character in surface if character.isalpha()]
    if letters and all(character.isupper() for character in letters) and len(letters) > 1:
        return invented.upper()
    return invented.title() if surface[:1].isupper() else invented
