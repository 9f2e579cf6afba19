"""The 95 features of a possible name (Bosch et al. 2020, §2.3): 17 dense ones, and 78 about the words before it.

For each of the 25 context words that are commonest overall: 1 where it is among the ten commonest words that precede
this possible name, in three capitalisation settings (all uses, capitalised uses, capitalised uses in the middle of a
sentence); and for each setting the number of the ten that are other words. Ties among the ten go by the alphabet.
"""

from collections.abc import Sequence
from functools import cache

import numpy as np

from sharewell.text.arrays import Array
from sharewell.text.candidates import SETTINGS, WordCounts
from sharewell.text.neighbours import Neighbours
from sharewell.text.word_lists import WordLists, english

DENSE = (
    "occurrences",
    "position_in_first_post",
    "words_in_first_post",
    "share_capitalised",
    "share_sentence_start",
    "share_capitalised_of_mid_sentence",
    "share_mid_sentence_and_capitalised",
    "in_dictionary",
    "in_first_names",
    "in_last_names",
    "frequency_first_name",
    "frequency_last_name",
    "in_cities",
    "in_regions",
    "in_countries",
    "dictionary_words_within_1_edit",
    "dictionary_words_within_2_edits",
)
CONTEXT_WORDS = 25
TOP = 10  # context words looked at per possible name and setting
SPARSE = len(SETTINGS) * (CONTEXT_WORDS + 1)


def feature_names(context: Sequence[str]) -> list[str]:
    """All 95 names; `context` are the 25 context words."""
    sparse = [f"{setting}_after_{word}" for setting in SETTINGS for word in context]
    return [*DENSE, *sparse, *(f"{setting}_after_other_words" for setting in SETTINGS)]


def features(counts: WordCounts, candidates: Array, context: Sequence[str], lists: WordLists | None = None) -> Array:
    """One row of 95 numbers per candidate, in the order of `feature_names`."""
    lists = lists or english()
    before = top_context(counts, candidates)
    return np.hstack([_dense(counts, candidates, lists), _sparse(counts, before, context)])


def commonest_context(counted: Sequence[tuple[WordCounts, Array]]) -> tuple[str, ...]:
    """The 25 words that stand among the ten of the most candidates, over one or more corpora."""
    votes: dict[str, int] = {}
    for counts, candidates in counted:
        before = top_context(counts, candidates)[0]
        for number, voters in zip(*np.unique(before[before >= 0], return_counts=True), strict=True):
            word = counts.words[number]
            votes[word] = votes.get(word, 0) + int(voters)
    ranked = sorted(votes, key=lambda word: (-votes[word], word))
    return tuple(ranked[:CONTEXT_WORDS])


def top_context(counts: WordCounts, candidates: Array) -> Array:
    """The ten commonest preceding words of each candidate: (setting, candidate, rank), -1 where there are fewer."""
    word, before, weights = counts.pairs()
    row = np.full(len(counts.words), -1)
    row[candidates] = np.arange(len(candidates))
    chosen = row[word] >= 0
    row, before, weights = row[word[chosen]], before[chosen], weights[chosen]
    alphabetical = np.empty(len(counts.words), np.int64)
    alphabetical[np.argsort(np.array(counts.words, dtype=object), kind="stable")] = np.arange(len(counts.words))
    tops = [_top(row, before, weights[:, i], alphabetical, len(candidates)) for i in range(len(SETTINGS))]
    return np.stack(tops)


def _top(row: Array, before: Array, count: Array, alphabetical: Array, candidates: int) -> Array:
    used = count > 0
    row, before, count = row[used], before[used], count[used]
    order = np.lexsort((alphabetical[before], -count, row))
    row, before = row[order], before[order]
    rank = np.arange(len(row)) - np.searchsorted(row, row)
    best = np.full((candidates, TOP), -1)
    kept = rank < TOP
    best[row[kept], rank[kept]] = before[kept]
    return best


def _dense(counts: WordCounts, candidates: Array, lists: WordLists) -> Array:
    measure = {name: values[candidates].astype(float) for name, values in counts.measures.items()}
    words = [counts.words[number] for number in candidates]
    n, mid = measure["count"], measure["mid"]
    columns = [
        n,
        counts.first["first_position"][candidates],
        counts.first["first_words"][candidates],
        measure["capitalised"] / n,
        measure["begins"] / n,
        np.divide(measure["mid_capitalised"], mid, out=np.zeros(len(n)), where=mid > 0),
        measure["mid_capitalised"] / n,
        [lists.is_word(word) for word in words],
        [word in lists.first for word in words],
        [word in lists.last for word in words],
        [lists.first.get(word, 0.0) for word in words],
        [lists.last.get(word, 0.0) for word in words],
        [word in lists.cities for word in words],
        [word in lists.regions for word in words],
        [word in lists.countries for word in words],
        *_neighbours(lists).within(words).T,
    ]
    return np.column_stack([np.asarray(column, dtype=float) for column in columns])


def _sparse(counts: WordCounts, before: Array, context: Sequence[str]) -> Array:
    place = np.full(len(counts.words) + 1, CONTEXT_WORDS)  # the last entry is for -1, "no word"
    for i, word in enumerate(context):
        if word in counts.vocabulary.numbers:
            place[counts.vocabulary.numbers[word]] = i
    presence, others = [], []
    for setting in before:
        present = np.zeros((len(setting), CONTEXT_WORDS + 1))
        np.put_along_axis(present, place[setting], 1.0, axis=1)
        presence.append(present[:, :CONTEXT_WORDS])
        others.append(((setting >= 0) & (place[setting] == CONTEXT_WORDS)).sum(axis=1))
    return np.hstack([*presence, np.column_stack(others)])


@cache
def _neighbours(lists: WordLists) -> Neighbours:
    return Neighbours(lists.dictionary)
