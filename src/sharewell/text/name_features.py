"""Describe how a candidate is spelled and written, and what stands around it.

These features go beyond the paper's 95 and stand apart from them. The likeness to a name is the mean log-odds of a
word's letter triples in the census names against the dictionary, in plain letters.
"""

import math
from collections.abc import Sequence

import numpy as np

from sharewell.text.arrays import Array
from sharewell.text.candidates import WordCounts
from sharewell.text.context_words import GROUPS
from sharewell.text.likeness import likeness
from sharewell.text.neighbours import Neighbours
from sharewell.text.roster import transliterated
from sharewell.text.spelling import is_two_words
from sharewell.text.tokens import is_placeholder
from sharewell.text.word_lists import WordLists, city_sizes, surname_ranks

EXTRA = (
    "name_likeness",
    "letters",
    "longest_run_of_a_letter",
    "share_of_vowels",
    "has_digit",
    "splits_into_two_words",
    "share_all_capitals",
    "share_inner_capital",
    "share_possessive",
    "last_name_rank",
    "city_size",
    *(f"share_after_{group}" for group in GROUPS),
    *(f"share_before_{group}" for group in GROUPS),
    "share_before_capitalised",
    "share_after_capitalised",
    "share_before_unknown",
    "share_after_unknown",
    "commoner_word_within_1_edit",
    "commoner_possible_name_within_1_edit",
)
_COMMON = 50_000  # so many of the corpus's words at most are looked at for slips


def name_features(counts: WordCounts, candidates: Array, lists: WordLists) -> Array:
    """One row per candidate, in the order of EXTRA."""
    n = np.maximum(counts.measures["count"][candidates], 1).astype(float)
    words = [counts.words[number] for number in candidates]
    shapes = np.array([_shape(word, lists) for word in words], dtype=float).reshape(-1, 6)
    written = [counts.measures[name][candidates] / n for name in ("shouted", "inner_capital", "possessive")]
    around, slips = _around(counts, candidates, n, lists), _slips(counts, candidates, lists)
    return np.column_stack([shapes, *written, *_fame(words), around, slips])


def _fame(words: Sequence[str]) -> tuple[list[float], list[float]]:
    """How common a surname and how large a city the word is: 0 where it is none, about 1 for the first of its kind."""
    ranks, sizes = surname_ranks(), city_sizes()
    rank = [1 - math.log(ranks[word]) / math.log(len(ranks) + 1) if word in ranks else 0.0 for word in words]
    return rank, [math.log10(sizes[word]) / 7 if word in sizes else 0.0 for word in words]


def _slips(counts: WordCounts, candidates: Array, lists: WordLists) -> Array:
    """How much commoner the commonest word within one edit is, as a logarithm: one column for words, one for names."""
    often = counts.measures["count"]
    titled = counts.measures["mid_titled"] * 2 > counts.measures["mid"]
    known = [number for number in np.flatnonzero(often >= 2) if len(counts.words[number]) >= 4]
    known = sorted(known, key=lambda number: -often[number])[:_COMMON]
    plain = [number for number in known if lists.is_plain(counts.words[number]) and not titled[number]]
    others = sorted(set(known).difference(plain))
    return np.column_stack([_commoner(counts, candidates, group) for group in (plain, others)])


def _commoner(counts: WordCounts, candidates: Array, group: Sequence[int]) -> Array:
    often = counts.measures["count"]
    asked = [counts.words[number] for number in candidates]
    best = np.zeros(len(asked))
    for place, near in Neighbours(counts.words[number] for number in group).close(asked):
        if near != asked[place]:
            ratio = often[counts.vocabulary.numbers[near]] / often[candidates[place]]
            best[place] = max(best[place], math.log2(1 + ratio))
    return best


def _shape(word: str, lists: WordLists) -> tuple[float, ...]:
    plain = transliterated(word)
    run = longest = 0
    for before, letter in zip("\0" + plain, plain, strict=False):
        run = run + 1 if letter == before else 1
        longest = max(longest, run)
    vowels = sum(letter in "aeiouy" for letter in plain) / max(len(plain), 1)
    digit = any(letter.isdigit() for letter in plain)
    return likeness(plain), len(plain), longest, vowels, digit, is_two_words(plain, lists)


def _around(counts: WordCounts, candidates: Array, n: Array, lists: WordLists) -> Array:
    """Shares of uses after and before words of each group, and beside capitalised and unknown lower-case words."""
    word, before, weights = counts.pairs()
    size = len(counts.words)
    of_pair = weights[:, 0].astype(float)
    capital = counts.measures["mid_capitalised"] / np.maximum(counts.measures["mid"], 1)
    columns = []
    for target, other in ((word, before), (before, word)):
        for group in GROUPS.values():
            member = np.fromiter((each in group for each in counts.words), bool, size)
            chosen = member[other]
            columns.append(np.bincount(target[chosen], of_pair[chosen], minlength=size)[candidates] / n)
    known = np.fromiter((is_placeholder(each) or lists.is_word(each) for each in counts.words), bool, size)
    for share in (capital, ~known * (1 - capital)):
        for target, other in ((before, word), (word, before)):
            columns.append(np.bincount(target, of_pair * share[other], minlength=size)[candidates] / n)
    return np.column_stack(columns)
