"""Which words of a post go, and the post without them: only the words change, the layout stays as it was."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import cast

import numpy as np

from sharewell.text.arrays import Array
from sharewell.text.as_words import alone_on_line, by_careful_writers, stand_as_words, written_with_care
from sharewell.text.finder import OTHER, CorpusWords, Names
from sharewell.text.marks import Marks, place_key, text_key
from sharewell.text.methods import name_methods
from sharewell.text.months import are_dates
from sharewell.text.patterns import NAME
from sharewell.text.places import Judged
from sharewell.text.tokens import AFTER_STOP, FRESH, SPACED, Tokens, fold, is_capitalised, is_placeholder
from sharewell.text.word_lists import CAPITALISED, FUNCTION_WORDS, WordLists

USED_AS_WORD, FEW = 0.3, 3  # a dictionary word is used as one where so large a share and so many uses are lower-case
ALWAYS = 0.5  # a word as likely as this to be a name goes wherever it stands, unless it is used as a word too
HARDLY = 0.6  # where case speaks against a name: so likely it has to be
FEW_WORDS, MOSTLY_RAISED = 8, 0.7  # a post writes with capitals throughout: of so many words at least such a share
BESIDE_NAME = 0.5  # of the threshold: enough for a place beside a name, with a capital ("Will [NAME]")
MODALS = frozenset(("will", "may"))
_DEEDS = """
    said says asked asks told tells thinks thought wrote writes got did went posted mentioned explained answered replied
    suggested helped knows knew sent made gave wants wanted
"""
DEEDS = frozenset(_DEEDS.split())
_PARTICLES = (
    "van von der den de la le du da do dos das del della di el al bin ibn abu ben ter ten te zu af av st mac mc los las"
)
PARTICLES = frozenset(_PARTICLES.split())
_TITLES = "mr mrs ms mx dr prof professor herr frau señor señora sr sra mme monsieur madame"
TITLES = frozenset(_TITLES.split())
_LETTERS = frozenset("bcdfghjklmpqstvwz")  # not "x", a kiss, nor what stands for a word: "r u", "y"
LONGEST_SIGNATURE = 60  # characters
_SIGNED_OFF = re.compile(
    r"(?:(?:^|[.!?)]\s*|\s{2,}|\n)\s*[-–—~]{1,2}|\bx{1,3}o?,?|\bxoxo,?)"
    r" ?(?P<who>[^\W\d_][\w'’-]*(?: [^\W\d_][\w'’-]*){0,2})[ .!\n]*$",
    re.IGNORECASE,
)
_AFTER_HERE = re.compile(r"$|[\n:,.!-]| [-–—:(]| (?:from|again|with)\b")


@dataclass(frozen=True, kw_only=True)
class Decisions:
    """What is known about words when single places are decided.

    `always`: redacted wherever they stand; `never`: nowhere; `possible`: decided place by place by what is `known` of
    words; `certain`: words of the roster, redacted wherever they stand with a capital inside a sentence or beside
    another of them; `pairs`: two words of one name of the roster; `asked`: words of `always` that people want gone,
    however they are used; `settled`: single places that people decided.
    """

    always: frozenset[str]
    asked: frozenset[str] = frozenset()
    known: CorpusWords | None = None
    possible: frozenset[str] = frozenset()
    certain: frozenset[str] = frozenset()
    never: frozenset[str] = frozenset()
    pairs: frozenset[tuple[str, str]] = frozenset()
    settled: Mapping[str, bool] = field(default_factory=dict)


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
    by_people = (asked | marks.gone) - both - never
    everywhere = (_everywhere(names) & possible) | by_people
    sure = (everywhere | names.rostered) - both - never
    holding = names.compounds.holding(sure).items()
    inside = {word for word, name in holding if word in possible or name in sure}
    roster, listed_here = names.roster, frozenset[str]()
    if roster is not None:  # in code as well, where no word is counted
        own = (
            (roster.own | roster.whole)
            & names.rostered
            & (possible | (names.counts.vocabulary.numbers.keys() - frozenset(names.words)))
        )
        listed_here = frozenset(word for word in own if len(word) > 2) - both - never
    return Decisions(
        always=((everywhere | inside) - both - never) | listed_here,
        asked=by_people | listed_here,
        known=names.known,
        possible=(possible | both) - never,
        certain=listed,
        never=never,
        pairs=roster.pairs if roster is not None else frozenset(),
        settled=marks.places,
    )


def _everywhere(names: Names) -> frozenset[str]:
    """Names go wherever they stand, unless this corpus uses them as ordinary words: then place by place."""
    measure = {name: values[names.candidates] for name, values in names.counts.measures.items()}
    lower = measure["count"] - measure["capitalised"]
    as_word = (lower >= FEW) & (lower > USED_AS_WORD * measure["count"])
    sure = names.probability >= max(ALWAYS, names.threshold)
    sure |= np.array([reason not in ("model", "inside") for reason in names.reason], bool)
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


Invent = Callable[[int, str], str | None]  # text and word → invented name, None for a placeholder


def placeholders(text: int, word: str) -> None:
    """Invent nothing."""


def replace_names(tokens: Tokens, decisions: Decisions, invent: Invent = placeholders) -> Redacted:
    """Names out of the texts of these words, whose patterns are masked already."""
    out = list(tokens.texts)
    chosen = np.flatnonzero(names_at(tokens, decisions))
    bounds = np.searchsorted(tokens.post[chosen], np.arange(len(out) + 1))
    for post in np.unique(tokens.post[chosen]):
        spans = chosen[bounds[post] : bounds[post + 1]]
        out[post] = _replaced(out[post], tokens, spans, partial(invent, int(post)))
    return Redacted(out, len(chosen), len(tokens.start))


def names_at(tokens: Tokens, decisions: Decisions) -> Array:
    """True for every token that is a name where it stands."""
    words = [fold(surface) for surface in tokens.surfaces]

    def among(group: frozenset[str]) -> Array:
        return np.fromiter((word in group for word in words), bool, len(words))[tokens.surface]

    capital = np.fromiter((is_capitalised(surface) for surface in tokens.surfaces), bool, len(words))[tokens.surface]
    listed, asked, named = among(decisions.certain), among(decisions.asked), among(decisions.always)
    if decisions.known is not None and len(named):
        judged, lists = decisions.known.judge(tokens), decisions.known.lists
        hardly = _hardly_names(tokens, words, lists, capital)
        named &= ~judged.usual | asked | listed
        _add_judged(tokens, named, decisions.known, judged, among(decisions.possible), capital, hardly)
        _add_introductions(tokens, named, words, lists)
        _add_modals(tokens, named, words, capital & ~hardly)
        _add_signed(tokens, named, words, lists)
        _add_dashed(tokens, named, words, lists)
        by_use = written_with_care(tokens, words, lists) | are_dates(tokens, words, named)
        by_use |= name_methods(tokens, words, lists)
        named &= ~(stand_as_words(tokens, words, lists) | (by_use & ~listed)) | asked
    certain = listed & capital
    named |= certain & (~tokens.begins | _beside(tokens, certain))
    _add_pairs(tokens, named, words, capital, decisions)
    _add_initials(tokens, named)
    _add_particles(tokens, named, words)
    named &= ~among(decisions.never)
    _settle(tokens, named, decisions.settled)
    return named


def _add_judged(
    tokens: Tokens, named: Array, known: CorpusWords, judged: Judged, possible: Array, capital: Array, hardly: Array
) -> None:
    """Places that the model takes for names, given what it says of the word elsewhere; beside a name less is enough."""
    possible &= ~judged.usual
    probability, others = np.zeros(len(named)), np.zeros(len(named))
    probability[judged.token] = judged.person
    others[judged.token] = judged.other
    words = [fold(surface) for surface in tokens.surfaces]
    ordinary = np.array([known.lists.is_ordinary(word) for word in words])[tokens.surface]
    elsewhere = np.where(ordinary, probability, _by_word(tokens, known.person))
    probability = np.where(possible, (probability + elsewhere) / 2, 0.0)
    others = np.where(possible, (others + _by_word(tokens, known.other)) / 2, 0.0)
    named |= probability >= np.where(hardly, max(HARDLY, known.threshold), known.threshold)
    named |= (others >= max(OTHER, known.threshold)) & (capital | ~hardly)
    joined = (tokens.gap[1:] == SPACED) & (tokens.post[1:] == tokens.post[:-1])
    function = np.array([word in FUNCTION_WORDS and not _is_borne(word, known.lists) for word in words])[tokens.surface]
    near = capital & ~function & (probability >= BESIDE_NAME * known.threshold)
    before, after = named[:-1].copy(), named[1:].copy()
    named[1:] |= joined & before & near[1:]
    named[:-1] |= joined & after & near[:-1]


def _is_borne(word: str, lists: WordLists) -> bool:
    return word in lists.first or word in lists.last


def _hardly_names(tokens: Tokens, words: Sequence[str], lists: WordLists, capital: Array) -> Array:
    """Per token, whether case speaks against a name: an ordinary word in lower case by a writer of capitals, a
    word in lower case that no list of names has by a careful writer, a plain word where all words have capitals."""
    ordinary = np.array([lists.is_ordinary(word) for word in words], dtype=bool)[tokens.surface]
    unlisted = np.array([not _is_borne(word, lists) for word in words], dtype=bool)
    lower = (ordinary & _uses_capitals(tokens, capital)) | (unlisted[tokens.surface] & by_careful_writers(tokens))
    return cast(Array, (~capital & lower) | _plain_among_capitals(tokens, words, lists, capital))


def _uses_capitals(tokens: Tokens, capital: Array) -> Array:
    """Per token, whether its post begins its sentences with capitals: then a word in lower case is hardly a name."""
    posts = int(tokens.post[-1]) + 1
    starts = np.bincount(tokens.post, tokens.begins, minlength=posts)
    raised = np.bincount(tokens.post, tokens.begins & capital, minlength=posts)
    return cast(Array, (2 * raised >= np.maximum(starts, 1))[tokens.post])


def _plain_among_capitals(tokens: Tokens, words: Sequence[str], lists: WordLists, capital: Array) -> Array:
    """Per token, whether it is a word and nothing else in a post that Writes Most Words Like This, or LIKE THIS."""
    posts = int(tokens.post[-1]) + 1
    inside = np.bincount(tokens.post, ~tokens.begins, minlength=posts)
    raised = np.bincount(tokens.post, capital & ~tokens.begins, minlength=posts)
    loud = (inside >= FEW_WORDS) & (raised >= MOSTLY_RAISED * inside)
    if not loud.any():
        return np.zeros(len(capital), bool)
    plain = np.array([lists.is_plain(word) for word in words], dtype=bool)
    return cast(Array, plain[tokens.surface] & loud[tokens.post])


def _by_word(tokens: Tokens, of_word: Mapping[str, float]) -> Array:
    """Per token, what is known of its word over the whole corpus."""
    return np.array([of_word.get(fold(surface), 0.0) for surface in tokens.surfaces])[tokens.surface]


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


def _add_pairs(tokens: Tokens, named: Array, words: Sequence[str], capital: Array, decisions: Decisions) -> None:
    """Two words of one name beside each other, where one is found, both have a capital, or a sign joins them."""
    parts = {word for pair in decisions.pairs for word in pair}
    member = np.fromiter((word in parts for word in words), bool, len(words))[tokens.surface]
    beside = member[:-1] & member[1:] & (tokens.post[1:] == tokens.post[:-1]) & (named[:-1] != named[1:])
    both = member[:-1] & member[1:] & (tokens.post[1:] == tokens.post[:-1]) & ~named[:-1] & ~named[1:]
    for i in np.flatnonzero(beside | both):
        if (words[tokens.surface[i]], words[tokens.surface[i + 1]]) in decisions.pairs:
            between = tokens.texts[tokens.post[i]][tokens.end[i] : tokens.start[i + 1]]
            if beside[i] or (capital[i] and capital[i + 1] and between.isspace()) or between in (".", "_", "-", "/"):
                named[i] = named[i + 1] = True


def _add_introductions(tokens: Tokens, named: Array, words: Sequence[str], lists: WordLists) -> None:
    """ "will here: …", "hi all, will here from Bonn": a first name that says who writes, whatever word it is else."""
    here = np.fromiter((word == "here" for word in words), bool, len(words))[tokens.surface]
    first = np.fromiter((word in lists.first for word in words), bool, len(words))[tokens.surface]
    for i in np.flatnonzero(first[:-1] & here[1:] & tokens.begins[:-1] & (tokens.gap[1:] == SPACED)):
        following = tokens.texts[tokens.post[i + 1]][tokens.end[i + 1] :][:8]
        named[i] |= tokens.post[i] == tokens.post[i + 1] and bool(_AFTER_HERE.match(following))


def _add_modals(tokens: Tokens, named: Array, words: Sequence[str], raised: Array) -> None:
    """ "will" and "may" before what only somebody does ("may asked too") or with a capital alone on a line, and "Will"
    inside a sentence with a capital of its own."""
    modal = np.fromiter((word in MODALS for word in words), bool, len(words))[tokens.surface]
    will = np.fromiter((word == "will" for word in words), bool, len(words))[tokens.surface]
    does = np.fromiter((word in DEEDS for word in words), bool, len(words))[tokens.surface]
    does = np.append(does[1:] & (tokens.gap[1:] == SPACED) & (tokens.post[1:] == tokens.post[:-1]), False)
    beside = np.append(False, raised[:-1]) | np.append(raised[1:], False)
    named |= modal & (does | (raised & alone_on_line(tokens)))
    named |= will & raised & ~tokens.begins & tokens.prose & ~beside & _uses_capitals(tokens, raised)


def _add_initials(tokens: Tokens, named: Array) -> None:
    """A single capital beside a name ("J. Park", "Maria L."), a last letter ("ravi k"), and a last line of capitals."""
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
    letter = np.fromiter((s in _LETTERS for s in tokens.surfaces), bool, len(tokens.surfaces))[tokens.surface]
    ends = np.flatnonzero(np.diff(tokens.post, append=-1)) if len(named) else np.zeros(0, int)
    for i in ends[letter[ends] & (tokens.gap[ends] == SPACED)]:
        named[i] |= bool(i > 0 and named[i - 1] and tokens.post[i - 1] == tokens.post[i])
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


def _add_signed(tokens: Tokens, named: Array, words: Sequence[str], lists: WordLists) -> None:
    """ "With muddy boots,\nElo": one word with a capital as the last line, after a comma, unless it is only a word."""
    ends = np.flatnonzero(np.diff(tokens.post, append=-1))
    for i in ends[(tokens.gap[ends] == FRESH) & tokens.prose[ends]]:
        word, surface = words[tokens.surface[i]], tokens.surfaces[tokens.surface[i]]
        before = tokens.texts[tokens.post[i]][: tokens.start[i]].rstrip(" \t-–—~")
        signed = before.endswith("\n") and before.rstrip().endswith(",")
        may_name = is_capitalised(surface) and len(word) > 1 and not lists.is_plain(word) and word not in FUNCTION_WORDS
        named[i] |= signed and may_name


def _add_dashed(tokens: Tokens, named: Array, words: Sequence[str], lists: WordLists) -> None:
    """ "got no answer. - may lin", "love it xx Sky": up to three words after a dash or kisses that end a post, if each
    is a first name, or no word and written with a capital or known as a surname."""
    ends = np.flatnonzero(np.diff(tokens.post, append=-1))
    for end in ends:
        text = tokens.texts[tokens.post[end]]
        found = _SIGNED_OFF.search(text, max(0, len(text) - LONGEST_SIGNATURE))
        if found is None:
            continue
        first = end
        while (
            first > 0 and tokens.post[first - 1] == tokens.post[end] and tokens.start[first - 1] >= found.start("who")
        ):
            first -= 1
        signed = tokens.surface[first : end + 1]
        named[first : end + 1] |= all(_may_sign(words[one], tokens.surfaces[one], lists) for one in signed)


def _may_sign(word: str, surface: str, lists: WordLists) -> bool:
    if len(word) < 2 or word in CAPITALISED:
        return False
    return word in lists.first or (not lists.is_word(word) and (surface[:1].isupper() or word in lists.last))


def _add_particles(tokens: Tokens, named: Array, words: Sequence[str]) -> None:
    """ "van der" between two parts of a name goes with them; after a particle in capitals so does it."""
    particle = np.fromiter((word in PARTICLES for word in words), bool, len(words))[tokens.surface]
    title = np.fromiter((word in TITLES for word in words), bool, len(words))[tokens.surface]
    joins = particle & ~named & tokens.prose
    for i in np.flatnonzero(joins[:-1] & (named | joins)[1:])[::-1]:
        follows = named[i + 1] and tokens.post[i + 1] == tokens.post[i] and tokens.gap[i + 1] == SPACED
        within = i > 0 and tokens.post[i - 1] == tokens.post[i]
        leads = within and (title[i - 1] or (tokens.gap[i] == SPACED and (named[i - 1] or particle[i - 1])))
        capital = is_capitalised(tokens.surfaces[tokens.surface[i]]) and not tokens.begins[i]
        named[i] = bool(follows and (leads or capital))


def _replaced(text: str, tokens: Tokens, spans: Array, invent: Callable[[str], str | None]) -> str:
    pieces, at = [], 0
    for token in spans:
        start, end = int(tokens.start[token]), int(tokens.end[token])
        surface = text[start:end]
        bare = _without_possessive(surface)
        pieces += [text[at:start], _substitute(bare, invent)]
        at = start + len(bare)
    return "".join([*pieces, text[at:]])


def _without_possessive(surface: str) -> str:
    return surface[:-2] if surface.lower().endswith(("'s", "’s")) else surface


def _substitute(surface: str, invent: Callable[[str], str | None]) -> str:
    if is_placeholder(surface):
        return surface
    invented = invent(fold(surface))
    return NAME if invented is None else in_case_of(surface, invented)


def in_case_of(surface: str, invented: str) -> str:
    """The invented name written as the found one was: lower case, CAPITALS, or Title."""
    letters = [character for character in surface if character.isalpha()]
    if letters and all(character.isupper() for character in letters) and len(letters) > 1:
        return invented.upper()
    return invented.title() if surface[:1].isupper() else invented
