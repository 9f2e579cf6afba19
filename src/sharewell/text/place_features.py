"""Features of a place in a text: does a name stand there?

One row per place: the word's own evidence (how it is usually written, lists of names, spelling, how this corpus writes
it), its case and position (greeting, signature, beginning, comma), and the same of its neighbours.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from sharewell.text import evidence, famous, languages
from sharewell.text.arrays import Array
from sharewell.text.candidates import WordCounts
from sharewell.text.context_words import GROUPS
from sharewell.text.evidence import FAMILY, GIVEN
from sharewell.text.likeness import likeness
from sharewell.text.roster import transliterated
from sharewell.text.spelling import COLUMNS as SPELLING
from sharewell.text.spelling import is_two_words, respelled
from sharewell.text.tokens import AFTER_COMMA, AFTER_STOP, FRESH, SPACED, Tokens, fold, is_capitalised, is_placeholder
from sharewell.text.word_lists import FUNCTION_WORDS, WordLists, city_sizes, surname_ranks

_CLASSES = tuple(GROUPS.values())
WORD = (
    "lower", "title", "upper", "lower_cluster", "title_cluster", "title_less_lower", "upper_less_lower", "given",
    "family", "bearers", "first_name", "last_name", "in_dictionary", "plain", "function_word", "city",
    "region_or_country", "likeness", "letters", "vowels", "digit", "hyphen", "two_words", "accents", "abroad",
    *SPELLING, "spoken", "spoken_abroad",
)  # fmt: skip
CORPUS = ("count", "share_mid_capitalised", "share_capitalised", "share_begins")
SHAPE = ("capitalised", "all_capitals", "inner_capital", "possessive", "placeholder")
PLACE = (
    "begins_sentence", "in_prose", "capitals_of_post", "shouting_of_post", "words_of_post", "first_of_post",
    "last_of_post", "alone_on_line", "short_line", "line_greets", "comma_before", "comma_after", "stop_after",
    "place_in_run", "rest_of_run", "spoken_here", "language_margin", "language_gain",
)  # fmt: skip
MARKS = {
    "hash_before": (-1, "#@"), "quote_before": (-1, "\"'“”‘’(*[<"), "dash_before": (-1, "/\\-–—_=+&|~"),
    "colon_before": (-1, ":"), "quote_after": (1, "\"'“”‘’)*]>"), "dash_after": (1, "/\\-–—_=+&|~"),
    "colon_after": (1, ":"), "bracket_after": (1, "("), "exclamation_after": (1, "!?"),
    "figure_before": (-1, "0123456789"), "figure_after": (1, "0123456789"),
}  # fmt: skip
BESIDE = (
    "title_less_lower",
    "bearers",
    "first_name",
    "last_name",
    "in_dictionary",
    "function_word",
    "title_cluster",
    "lower",
    "spoken",
    "spoken_abroad",
)
NEIGHBOURS = (-2, -1, 1, 2)
OUTSIDE = -30.0  # stands for what lies beyond the edge of a post
NAMES = (
    *WORD, *CORPUS, *SHAPE, *PLACE, *MARKS, *(f"is_{group}" for group in GROUPS),
    *(f"{name}_at_{step}" for step in NEIGHBOURS for name in (*BESIDE, *SHAPE, "share_mid_capitalised")),
    *(f"{name}_at_{step}" for step in (-1, 1) for name in (*(f"is_{group}" for group in GROUPS), "spoken_here")),
    *famous.COLUMNS,
)  # fmt: skip


@dataclass(frozen=True)
class WordFacts:
    """What is known of the words of one batch, one row per surface."""

    tokens: Tokens
    counts: WordCounts
    lists: WordLists

    @cached_property
    def words(self) -> list[str]:
        return [fold(surface) for surface in self.tokens.surfaces]

    @cached_property
    def evidence(self) -> Array:
        """The columns of WORD."""
        found = evidence.look_up(self.words)
        accented = np.array([i for i, word in enumerate(self.words) if not word.isascii()], dtype=int)
        plain = evidence.look_up([transliterated(self.words[i]) for i in accented])
        found[accented, 5:7] = np.maximum(found[accented, 5:7], plain[:, 5:7])  # lists write "Tien" for "Tiến"
        flags = found[:, 5].astype(int)
        listed = np.array([_listed(word, self.lists) for word in self.words], dtype=np.float32).reshape(-1, 14)
        gaps = found[:, 1:3] - found[:, :1]
        both = np.column_stack([(flags & GIVEN) > 0, (flags & FAMILY) > 0])
        spelled = respelled(self.words, found[:, 0])
        spoken = np.column_stack([self.spoken[:, 0], self.spoken[:, 1:].max(axis=1)])
        columns = [found[:, :5], gaps, both, found[:, 6:7], listed, found[:, 7:8], spelled, spoken]
        return np.hstack(columns).astype(np.float32)

    @cached_property
    def spoken(self) -> Array:
        """How common each word is in English and in other languages."""
        return languages.look_up(self.words)

    @cached_property
    def famous(self) -> Array:
        """Whether each word is a famous name by itself, and a part of how many."""
        return famous.look_up(self.words)

    @cached_property
    def language(self) -> tuple[Array, Array, Array]:
        """Per token: its word in the language of its post, and how sure that language is, per word and altogether."""
        return self._languages[:3]

    @property
    def tongue(self) -> Array:
        """Per token: which language that is, by its number in `languages.ABROAD`."""
        return self._languages[3]

    @cached_property
    def _languages(self) -> tuple[Array, Array, Array, Array]:
        counted = np.array([len(word) > 1 and word.isalpha() for word in self.words], dtype=bool)
        return languages.languages_of_posts(self.spoken, counted, self.tokens.surface, self.tokens.post)

    @cached_property
    def corpus(self) -> Array:
        """Return each word's count in the posts and its shares of capitals (CORPUS)."""
        number = np.array([self.counts.vocabulary.numbers.get(word, -1) for word in self.words], dtype=int)
        measure = {name: values[number] for name, values in self.counts.measures.items()}
        count = np.maximum(measure["count"], 1)
        shares = (measure["mid_capitalised"] / np.maximum(measure["mid"], 1), measure["capitalised"] / count)
        rows = np.column_stack([np.log1p(measure["count"]), *shares, measure["begins"] / count])
        return np.where(number[:, None] >= 0, rows, 0.0).astype(np.float32)

    @cached_property
    def shape(self) -> Array:
        """Return which capitals, possessive or placeholder each token has (SHAPE)."""
        return np.array([_shape(surface) for surface in self.tokens.surfaces], dtype=np.float32).reshape(-1, len(SHAPE))

    @cached_property
    def groups(self) -> Array:
        rows = [[word in group for group in _CLASSES] for word in self.words]
        return np.array(rows, dtype=np.float32).reshape(-1, len(_CLASSES))


def rows(facts: WordFacts, chosen: Array) -> Array:
    """One row per chosen token, in the order of NAMES."""
    tokens, surface = facts.tokens, facts.tokens.surface
    own = surface[chosen]
    columns = [facts.evidence[own], facts.corpus[own], facts.shape[own], _place(facts, chosen)]
    columns += [_marks(tokens, chosen), facts.groups[own]]
    beside = [WORD.index(name) for name in BESIDE]
    described = np.hstack([facts.evidence[:, beside], facts.shape, facts.corpus[:, 1:2]])
    neighbours = {step: _neighbour(tokens, chosen, step) for step in NEIGHBOURS}
    for other in neighbours.values():
        columns.append(np.where((other >= 0)[:, None], described[surface[other]], OUTSIDE))
    for step in (-1, 1):
        there = neighbours[step] >= 0
        columns.append(np.where(there[:, None], facts.groups[surface[neighbours[step]]], 0.0))
        columns.append(np.where(there, facts.language[0][neighbours[step]], OUTSIDE)[:, None])
    columns += [facts.famous[own], _famous_pairs(facts, chosen)]
    return np.hstack(columns).astype(np.float32)


def _famous_pairs(facts: WordFacts, chosen: Array) -> Array:
    """Per chosen token: whether it stands in a famous name with the word before it, and with the word after it."""
    tokens = facts.tokens
    part = facts.famous[tokens.surface, 1] > 0
    ends = np.zeros(len(part) + 1, bool)
    joined = (tokens.gap[1:] == SPACED) & (tokens.post[1:] == tokens.post[:-1])
    asked = np.flatnonzero(part[1:] & part[:-1] & joined) + 1
    words, surface = facts.words, tokens.surface
    ends[asked] = famous.are_pairs([famous.pair(words[surface[i - 1]], words[surface[i]]) for i in asked])
    return np.column_stack([ends[chosen], ends[chosen + 1]])


def _place(facts: WordFacts, chosen: Array) -> Array:
    """The columns of PLACE."""
    tokens = facts.tokens
    before, after = _neighbour(tokens, chosen, -1), _neighbour(tokens, chosen, 1)
    first, length = _lines(tokens)
    fresh_next = (after < 0) | (tokens.gap[after] == FRESH)
    columns = [
        tokens.begins[chosen],
        tokens.prose[chosen],
        *(share[tokens.post[chosen]] for share in _posts(facts)),
        before < 0,
        after < 0,
        (tokens.gap[chosen] == FRESH) & fresh_next,
        length[chosen] <= 2,
        facts.groups[tokens.surface[first[chosen]], 0],
        tokens.gap[chosen] == AFTER_COMMA,
        (after >= 0) & (tokens.gap[after] == AFTER_COMMA),
        (after >= 0) & (tokens.gap[after] == AFTER_STOP),
        *(steps[chosen] for steps in _runs(facts)),
        *(of_token[chosen] for of_token in facts.language),
    ]
    return np.column_stack([np.asarray(column, dtype=np.float32) for column in columns])


def _posts(facts: WordFacts) -> tuple[Array, Array, Array]:
    """Per post: the share of capitals inside sentences, the share of words in capitals, and its length."""
    tokens = facts.tokens
    posts = int(tokens.post[-1]) + 1 if len(tokens.post) else 0
    capital, shouted = facts.shape[tokens.surface, 0], facts.shape[tokens.surface, 1]
    inside = np.bincount(tokens.post, ~tokens.begins, minlength=posts)
    length = np.bincount(tokens.post, minlength=posts)
    raised = np.bincount(tokens.post, capital * ~tokens.begins, minlength=posts)
    loud = np.bincount(tokens.post, shouted, minlength=posts)
    return raised / np.maximum(inside, 1), loud / np.maximum(length, 1), np.minimum(length, 200)


def _runs(facts: WordFacts) -> tuple[Array, Array]:
    """Per token, how many words with a capital stand directly before it and directly after it: titles have many."""
    tokens = facts.tokens
    capital = facts.shape[tokens.surface, 0] > 0
    place = np.arange(len(capital))
    joined = np.zeros(len(capital), bool)  # to the token before
    joined[1:] = capital[1:] & capital[:-1] & (tokens.gap[1:] == SPACED) & (tokens.post[1:] == tokens.post[:-1])
    starts = np.flatnonzero(~joined)
    number = np.cumsum(~joined) - 1
    ends = np.append(starts[1:], len(capital)) - 1 if len(starts) else starts
    return np.minimum(place - starts[number], 9), np.minimum(ends[number] - place, 9)


def _marks(tokens: Tokens, chosen: Array) -> Array:
    """The columns of MARKS: which character stands beside the word, at most one blank away."""
    points = np.frombuffer(("  " + "\n".join(tokens.texts) + "  ").encode("utf-32-le", "surrogatepass"), np.uint32)
    offset = 2 + np.cumsum([0, *(len(text) + 1 for text in tokens.texts)])[tokens.post[chosen]]
    beside = {}
    for step, edge in ((-1, offset + tokens.start[chosen] - 1), (1, offset + tokens.end[chosen])):
        beside[step] = np.where(points[edge] == ord(" "), points[edge + step], points[edge])
    columns = [np.isin(beside[step], [ord(sign) for sign in signs]) for step, signs in MARKS.values()]
    return np.column_stack(columns).astype(np.float32)


def _lines(tokens: Tokens) -> tuple[Array, Array]:
    """Per token: the first token of its line, and how many tokens the line has."""
    number = np.cumsum(tokens.gap == FRESH) - 1
    first = np.flatnonzero(tokens.gap == FRESH)
    length = np.bincount(number, minlength=len(first)) if len(number) else np.zeros(0, int)
    return first[number], length[number]


def _neighbour(tokens: Tokens, chosen: Array, step: int) -> Array:
    """The token so many steps on, -1 beyond the edge of the post."""
    other = chosen + step
    inside = (other >= 0) & (other < len(tokens.post))
    other = np.where(inside, other, -1)
    return np.where(inside & (tokens.post[other] == tokens.post[chosen]), other, -1) if len(chosen) else other


def _listed(word: str, lists: WordLists) -> Sequence[float]:
    """The columns of WORD from `first_name` on."""
    ranks, sizes, plain = surname_ranks(), city_sizes(), transliterated(word)
    return (
        math.log1p(1000 * lists.first.get(word, 0.0)),
        1 - math.log(ranks[word]) / 12 if word in ranks else 0.0,
        lists.is_word(word),
        lists.is_plain(word),
        word in FUNCTION_WORDS,
        math.log10(sizes.get(word, 1)),
        word in lists.countries or word in lists.regions,
        likeness(plain),
        len(plain),
        sum(letter in "aeiouy" for letter in plain) / max(len(plain), 1),
        any(letter.isdigit() for letter in plain),
        "-" in plain,
        is_two_words(plain, lists),
        sum(not letter.isascii() for letter in word),
    )


def _shape(surface: str) -> tuple[bool, bool, bool, bool, bool]:
    letters = [character for character in surface if character.isalpha()]
    upper = len(letters) > 1 and all(letter.isupper() for letter in letters)
    inner = any(letter.isupper() for letter in letters[1:]) and not upper
    possessive = surface.lower().endswith(("'s", "’s"))
    return is_capitalised(surface), upper, inner, possessive, is_placeholder(surface)
