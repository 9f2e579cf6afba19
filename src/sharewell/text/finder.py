"""From posts to the list of possible names with their probabilities: count, narrow, describe, classify, extend."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import pyarrow as pa

from sharewell.text.arrays import Array
from sharewell.text.candidates import Counts, possible_names
from sharewell.text.extra_features import extra_features
from sharewell.text.name_model import RECALL, NameModel
from sharewell.text.neighbours import Neighbours
from sharewell.text.paper_features import features
from sharewell.text.roster import Roster, shortened
from sharewell.text.word_lists import WordLists, english

SIMILAR_LETTERS = 5  # a misspelling is looked for in names of at least so many letters
SIMILAR_PROBABILITY = 0.1  # and in words that the model does not rule out

_REASONS = {
    "roster": "on the roster or close to it",
    "similar": "spelled like a found name",
    "short": "short for a found name",
    "part": "part of it is a found name",
}


@dataclass(frozen=True, kw_only=True)
class Names:
    """The possible names of a corpus, most frequent first."""

    words: list[str]
    probability: Array
    person: Array  # probability of being a person's name; the rest of `probability` is towns, employers, pets
    is_name: Array
    reason: list[str]  # what decided: "model", "roster", "similar" to a found name, "short" for one
    same_as: list[str]  # the name that a variant stands for; the word itself otherwise
    counts: Counts
    candidates: Array
    rows: Array
    context: tuple[str, ...]
    lists: WordLists = field(default_factory=english)

    @cached_property
    def occurrences(self) -> Array:
        return self.counts.measures["count"][self.candidates]

    @cached_property
    def why(self) -> list[str]:
        """What made each word a possible name, in plain words."""
        return [_REASONS.get(reason, "") or self._evidence(i) for i, reason in enumerate(self.reason)]

    def _evidence(self, i: int) -> str:
        word, measure = self.words[i], self.counts.measures
        number = self.candidates[i]
        said = []
        if word in self.lists.first or word in self.lists.last:
            said.append("in lists of names")
        if word in self.lists.cities or word in self.lists.regions or word in self.lists.countries:
            said.append("in lists of places")
        if 2 * measure["mid_capitalised"][number] > measure["mid"][number]:
            said.append("capital inside sentences")
        if not self.lists.is_word(word):
            said.append("in no dictionary")
        return ", ".join(said) or "an ordinary word"

    def table(self) -> pa.Table:
        columns: dict[str, object] = {
            "word": pa.array(self.words, pa.string()),
            "probability": self.probability,
            "person": self.person,
            "occurrences": self.occurrences,
            "name": self.is_name,
            "reason": pa.array(self.reason, pa.string()),
            "same_as": pa.array(self.same_as, pa.string()),
        }
        return pa.table(columns)


def find(
    batches: Iterable[Sequence[str]],
    model: NameModel,
    *,
    lists: WordLists | None = None,
    roster: Roster | None = None,
    recall: float = RECALL,
    threshold: float | None = None,
) -> Names:
    """The possible names of texts whose patterns are masked already."""
    counts = Counts()
    for batch in batches:
        counts.add(batch)
    return classify(counts, model, lists=lists, roster=roster, recall=recall, threshold=threshold)


def classify(
    counts: Counts,
    model: NameModel,
    *,
    lists: WordLists | None = None,
    roster: Roster | None = None,
    recall: float = RECALL,
    threshold: float | None = None,
) -> Names:
    lists = lists or english()
    candidates = _candidates(counts, lists, roster)
    words = [counts.words[number] for number in candidates]
    rows = features(counts, candidates, model.context, lists)
    probability, person = model.judge(np.hstack([rows, extra_features(counts, candidates, lists)]))
    limit = model.threshold(recall) if threshold is None else threshold
    is_name = probability >= limit
    reason, same_as = ["model"] * len(words), list(words)
    for extend in (_from_roster, _from_parts, _similar, _short):
        for place, why, stands_for in extend(words, probability, is_name, lists, roster):
            is_name[place], reason[place], same_as[place] = True, why, stands_for
            sure = limit if why != "roster" else 0.5 if lists.is_ordinary(words[place]) else 0.99
            probability[place] = max(probability[place], sure)
    return Names(
        words=words,
        probability=probability,
        person=person,
        is_name=is_name,
        reason=reason,
        same_as=same_as,
        counts=counts,
        candidates=candidates,
        rows=rows,
        context=model.context,
        lists=lists,
    )


Extension = Iterable[tuple[int, str, str]]


def _candidates(counts: Counts, lists: WordLists, roster: Roster | None) -> Array:
    """Possible names by the lists and the corpus, and every word that stands on the roster."""
    candidates = possible_names(counts, lists)
    if roster is None:
        return candidates
    seen = np.flatnonzero(counts.measures["count"] > 0)
    named = [number for number in seen if counts.words[number] in roster.words and len(counts.words[number]) > 1]
    both = np.union1d(candidates, np.array(named, dtype=candidates.dtype))
    return both[np.argsort(-counts.measures["count"][both], kind="stable")]


def _from_roster(
    words: list[str], probability: Array, is_name: Array, lists: WordLists, roster: Roster | None
) -> Extension:
    if roster is None:
        return
    place = {word: i for i, word in enumerate(words)}
    unlisted = [word for word in words if word in roster.words or not lists.is_word(word)]
    for word, stands_for in roster.match(unlisted).items():
        yield place[word], "roster", stands_for if stands_for in place else word


def _from_parts(
    words: list[str], probability: Array, is_name: Array, lists: WordLists, roster: Roster | None
) -> Extension:
    """Hyphenated words with a name in them, and concatenations of two found names."""
    named = {word for word, found in zip(words, is_name, strict=True) if found and not lists.is_word(word)}
    for i, word in enumerate(words):
        parts = [part for part in word.replace("'", "-").split("-") if part]
        if is_name[i] or len(parts) < 2:
            continue
        given = parts[0] in lists.first and not lists.is_plain(parts[-1]) and not lists.is_word(word)
        if given or any(part in named for part in parts):
            yield i, "part", word


def _similar(
    words: list[str], probability: Array, is_name: Array, lists: WordLists, roster: Roster | None
) -> Extension:
    """Misspellings: unlisted words within one edit of a found name that is no ordinary word."""
    targets = [
        word
        for word, found in zip(words, is_name, strict=True)
        if found and len(word) >= SIMILAR_LETTERS and not lists.is_word(word)
    ]
    asked = [
        i
        for i, word in enumerate(words)
        if not is_name[i]
        and len(word) >= SIMILAR_LETTERS - 1
        and probability[i] >= SIMILAR_PROBABILITY
        and not lists.is_word(word)
    ]
    if not targets or not asked:
        return
    for i, near in dict(Neighbours(targets).close([words[i] for i in asked])).items():
        yield asked[i], "similar", near


def _short(words: list[str], probability: Array, is_name: Array, lists: WordLists, roster: Roster | None) -> Extension:
    """Usual short forms of found first names, where the model does not rule them out."""
    place = {word: i for i, word in enumerate(words)}
    for i, word in enumerate(words):
        if not is_name[i]:
            continue
        for short in shortened(word):
            other = place.get(short)
            if other is not None and not is_name[other] and probability[other] >= SIMILAR_PROBABILITY:
                yield other, "short", word
