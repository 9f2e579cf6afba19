"""Name or word, where it stands: "Will you", "hope", "May 5".

A word of the dictionary that may also be a name is decided at each of its places, by its case, its neighbours and its
position; a small forest over the features below learns that from posts in which every name is known.
"""

from collections.abc import Sequence

import numpy as np

from sharewell.text.arrays import Array
from sharewell.text.context_words import GROUPS
from sharewell.text.tokens import AFTER_COMMA, AFTER_STOP, FRESH, Tokens, fold, is_capitalised, is_placeholder

_CLASSES = tuple(GROUPS.values())

NAMES = (
    "probability_of_word", "capitalised", "all_capitals", "begins_sentence", "possessive", "share_mid_capitalised",
    "in_first_names", "in_last_names", "in_places", "in_dictionary",
    *(f"before_is_{group}" for group in GROUPS), *(f"after_is_{group}" for group in GROUPS),
    "before_is_placeholder", "after_is_placeholder", "before_is_capitalised_mid", "after_is_capitalised",
    "before_probability", "after_probability", "first_of_post", "last_of_post", "alone_on_line", "comma_before",
    "comma_after", "stop_after", "line_has_two_words", "writer_uses_capitals", "line_begins_with_greeting",
)  # fmt: skip


def look_up(surfaces: Sequence[str]) -> Array:
    """What each surface is, as bits per class, then placeholder, capitalised, all capitals, possessive."""
    table = np.zeros((len(surfaces), len(_CLASSES) + 4), np.float32)
    for i, surface in enumerate(surfaces):
        word = fold(surface)
        table[i, : len(_CLASSES)] = [word in group for group in _CLASSES]
        letters = [character for character in surface if character.isalpha()]
        shouted = len(letters) > 1 and all(character.isupper() for character in letters)
        possessive = surface.lower().endswith(("'s", "’s"))
        table[i, len(_CLASSES) :] = (is_placeholder(surface), is_capitalised(surface), shouted, possessive)
    return table


def rows(tokens: Tokens, chosen: Array, of_word: Array, probability: Array) -> Array:
    """Features of the chosen tokens.

    `of_word` holds per surface the word's share of capitals in mid-sentence and its memberships (first name, last
    name, place, dictionary); `probability` is the word's probability per surface.
    """
    kinds = look_up(tokens.surfaces)
    before, after = _neighbour(tokens, chosen, -1), _neighbour(tokens, chosen, 1)
    surface = tokens.surface
    classes = len(_CLASSES)
    own = kinds[surface[chosen]]
    left = np.where((before >= 0)[:, None], kinds[surface[before]], 0)
    right = np.where((after >= 0)[:, None], kinds[surface[after]], 0)
    fresh_next = (after < 0) | (tokens.gap[after] == FRESH)
    alone = (tokens.gap[chosen] == FRESH) & fresh_next
    left_begins = (before >= 0) & tokens.begins[before]
    line, line_length = _lines(tokens)
    columns = [
        probability[surface[chosen]],
        own[:, classes + 1],
        own[:, classes + 2],
        tokens.begins[chosen],
        own[:, classes + 3],
        *of_word[surface[chosen]].T,
        *left[:, :classes].T,
        *right[:, :classes].T,
        left[:, classes],
        right[:, classes],
        left[:, classes + 1] * ~left_begins,
        right[:, classes + 1],
        np.where(before >= 0, probability[surface[before]], 0),
        np.where(after >= 0, probability[surface[after]], 0),
        before < 0,
        after < 0,
        alone,
        tokens.gap[chosen] == AFTER_COMMA,
        (after >= 0) & (tokens.gap[after] == AFTER_COMMA),
        (after >= 0) & (tokens.gap[after] == AFTER_STOP),
        line_length[chosen] <= 2,
        _capital_share(tokens, kinds[:, classes + 1])[chosen],
        kinds[surface[line[chosen]], 0],
    ]
    return np.column_stack([np.asarray(column, dtype=np.float32) for column in columns])


def _neighbour(tokens: Tokens, chosen: Array, step: int) -> Array:
    """The token before or after, -1 at the edge of the post."""
    other = chosen + step
    inside = (other >= 0) & (other < len(tokens.post))
    other = np.where(inside, other, -1)
    return np.where(tokens.post[other] == tokens.post[chosen], other, -1) if len(chosen) else other


def _lines(tokens: Tokens) -> tuple[Array, Array]:
    """Per token: the first token of its line, and how many tokens the line has."""
    number = np.cumsum(tokens.gap == FRESH) - 1
    first = np.flatnonzero(tokens.gap == FRESH)
    length = np.bincount(number, minlength=len(first)) if len(number) else np.zeros(0, int)
    return first[number], length[number]


def _capital_share(tokens: Tokens, capital: Array) -> Array:
    """How much of the sentence starts of a post are capitalised: lower-case writers give no hint by case."""
    posts = int(tokens.post[-1]) + 1 if len(tokens.post) else 0
    starts = np.bincount(tokens.post, weights=tokens.begins, minlength=posts)
    upper = np.bincount(tokens.post, weights=tokens.begins * capital[tokens.surface], minlength=posts)
    return np.divide(upper, starts, out=np.zeros(posts), where=starts > 0)[tokens.post]
