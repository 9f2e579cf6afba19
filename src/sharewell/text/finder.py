"""From posts to the list of possible names with their probabilities: count, narrow, describe, classify, extend."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Protocol, cast

import numpy as np
import pyarrow as pa

from sharewell.text.arrays import Array
from sharewell.text.candidates import COUNTED, WordCounts, counted, counted_rows, possible_names
from sharewell.text.compounds import Compounds
from sharewell.text.name_features import name_features
from sharewell.text.name_model import RECALL, NameModel
from sharewell.text.neighbours import Neighbours
from sharewell.text.paper_features import commonest_context, features
from sharewell.text.places import Judge
from sharewell.text.roster import Roster, shortened
from sharewell.text.tokens import Tokens, fold
from sharewell.text.unknown_language import unknown_share
from sharewell.text.word_lists import WordLists, english

OTHER = 0.6  # towns, employers and pets: so likely they have to be
SIMILAR_LETTERS = 5  # a misspelling is looked for in names of at least so many letters
SIMILAR_PROBABILITY = 0.1  # and in words that the model does not rule out

_REASONS = {
    "roster": "on the roster or close to it",
    "similar": "spelled like a found name",
    "short": "short for a found name",
    "part": "part of it is a found name",
    "inside": "a name and more, written as one word",
}
SCORED = pa.schema([("what", pa.string()), ("word", pa.int64()), ("bin", pa.int64()), ("places", pa.int64())])


class Batches(Protocol):
    """Texts whose patterns are masked, a batch at a time, wherever there is room to work on one."""

    def each(self, work: Callable[[Tokens], pa.Table], like: pa.Schema) -> Iterator[pa.Table]:
        """What `work`, which may run in another process, makes of every batch, in their order; `like` is its layout."""


@dataclass(frozen=True)
class OneBatch:
    """The words of texts in memory, as a single batch."""

    tokens: Tokens

    def each(self, work: Callable[[Tokens], pa.Table], like: pa.Schema) -> Iterator[pa.Table]:
        yield work(self.tokens)


@dataclass(frozen=True, kw_only=True)
class CorpusWords:
    """What the whole corpus says of its words: all that a single place is decided by, and little enough to be sent."""

    judge: Judge
    person: Mapping[str, float]
    other: Mapping[str, float]
    threshold: float

    @property
    def lists(self) -> WordLists:
        return self.judge.lists


@dataclass(frozen=True, kw_only=True)
class Names:
    """The possible names of a corpus, most frequent first."""

    words: list[str]
    probability: Array
    person: Array  # probability of being a person's name
    other: Array  # probability of being another name: a town's, an employer's, a pet's
    is_name: Array
    reason: list[str]  # what decided: "model", "roster", "similar" to a found name, "short" for one
    roster: Roster | None
    same_as: list[str]  # the name that a variant stands for; the word itself otherwise
    counts: WordCounts
    candidates: Array
    compounds: Compounds
    judge: Judge
    threshold: float
    unknown: Array  # per word: whether most of its places lie in posts whose language no table knows
    unknown_posts: int

    @property
    def lists(self) -> WordLists:
        return self.judge.lists

    @cached_property
    def rostered(self) -> frozenset[str]:
        """What the roster says names somebody wherever it stands inside a word."""
        return self.roster.sure(self.lists) if self.roster is not None else frozenset()

    @cached_property
    def known(self) -> CorpusWords:
        person, other = (dict(zip(self.words, of.tolist(), strict=True)) for of in (self.person, self.other))
        return CorpusWords(judge=self.judge, person=person, other=other, threshold=self.threshold)

    @cached_property
    def likely(self) -> dict[str, float]:
        """How likely each word is a name, of a person or otherwise."""
        return dict(zip(self.words, self.probability.tolist(), strict=True))

    @cached_property
    def occurrences(self) -> Array:
        return self.counts.measures["count"][self.candidates]

    def why(self, i: int) -> str:
        """What made a word a possible name, in plain words."""
        if self.reason[i] in _REASONS:
            return _REASONS[self.reason[i]]
        word, number, measure = self.words[i], self.candidates[i], self.counts.measures
        said = []
        if word in self.lists.first or word in self.lists.last:
            said.append("in lists of names")
        if word in self.lists.cities or word in self.lists.regions or word in self.lists.countries:
            said.append("in lists of places")
        if 2 * measure["mid_capitalised"][number] > measure["mid"][number]:
            said.append("capital inside sentences")
        if not self.lists.is_word(word):
            said.append("in no dictionary")
        if self.unknown[i]:
            said.append("in posts whose language no table knows")
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
    batches: Batches,
    model: NameModel,
    *,
    lists: WordLists | None = None,
    roster: Roster | None = None,
    recall: float = RECALL,
) -> Names:
    """The possible names of texts whose patterns are masked already: count, judge every place, sum up by word."""
    lists = lists or english()
    counts = WordCounts()
    for table in batches.each(_counted, COUNTED):
        for row in counted_rows(table):
            counts.add(row)
    judge, scores = Judge(counts, model, lists, unknown_share(counts, lists)), WordScores(len(counts.words))
    for table in batches.each(partial(_scored, judge), SCORED):
        scores.add(table)
    compounds = Compounds.among(counts.vocabulary.numbers.keys(), counts.joined, lists)
    candidates = _candidates(counts, scores, model.threshold(recall), compounds, roster)
    found = Names(
        words=[counts.words[number] for number in candidates],
        probability=np.maximum(scores.person(candidates), scores.other(candidates)),
        person=scores.person(candidates),
        other=scores.other(candidates),
        is_name=np.zeros(len(candidates), bool),
        reason=["model"] * len(candidates),
        roster=roster,
        same_as=[counts.words[number] for number in candidates],
        counts=counts,
        candidates=candidates,
        compounds=compounds,
        judge=judge,
        threshold=model.threshold(recall),
        unknown=scores.unknown(candidates),
        unknown_posts=scores.unknown_posts,
    )
    return _extended(_taught(found), roster)


def _counted(tokens: Tokens) -> pa.Table:
    return counted(tokens).table()


def _scored(judge: Judge, tokens: Tokens) -> pa.Table:
    """How many places of each word have which probability, in one batch."""
    judged = judge(tokens)
    words, unknown = _numbers(tokens, judge.counts)[judged.token], judged.unknown
    posts = np.unique(tokens.post[judged.token[unknown]])
    return pa.concat_tables([
        _tallied("other", words, WordScores.bin(judged.other)),
        _tallied("person", words, WordScores.bin(judged.person)),
        _tallied("unknown", words[unknown]),
        _tallied("unknown posts", np.zeros_like(posts)),
    ])  # fmt: skip


def _tallied(what: str, word: Array, at: Array | int = 0) -> pa.Table:
    keys, places = np.unique(word * WordScores.BINS + at, return_counts=True)
    columns = [pa.repeat(what, len(keys)), *np.divmod(keys, WordScores.BINS), places]
    return pa.table(columns, SCORED)


class WordScores:
    """Per word, how many of its places have which probability: what is kept does not grow with the posts."""

    BINS = 32
    TOP = 3  # a word is judged by the mean of the upper third of its places

    def __init__(self, words: int) -> None:
        self._other = np.zeros((words, self.BINS), np.int32)
        self._person = np.zeros((words, self.BINS), np.int32)
        self._unknown = np.zeros(words, np.int32)
        self.unknown_posts = 0

    def add(self, scored: pa.Table) -> None:
        """The places of one batch or of several."""
        what = np.array(scored["what"].to_pylist(), dtype=object)
        word, at, places = (scored[name].to_numpy() for name in ("word", "bin", "places"))
        for kept, of in ((self._other, what == "other"), (self._person, what == "person")):
            np.add.at(kept, (word[of], at[of]), places[of])
        unknown = what == "unknown"
        np.add.at(self._unknown, word[unknown], places[unknown])
        self.unknown_posts += int(places[what == "unknown posts"].sum())

    def seen(self) -> Array:
        return np.flatnonzero(self._person.any(axis=1))

    def other(self, words: Array) -> Array:
        return self._top(self._other[words])

    def person(self, words: Array) -> Array:
        return self._top(self._person[words])

    def unknown(self, words: Array) -> Array:
        """Whether most places of a word lie in posts whose language no table knows."""
        return cast(Array, 2 * self._unknown[words] > self._person[words].sum(axis=1))

    @classmethod
    def bin(cls, probability: Array) -> Array:
        """Bins are even in log-odds, from one in a thousand to all but one in a thousand."""
        odds = np.log(np.maximum(probability, 1e-6) / np.maximum(1 - probability, 1e-6))
        return cast(Array, np.clip(np.round((odds + 7) / 14 * (cls.BINS - 1)), 0, cls.BINS - 1).astype(int))

    def _top(self, counts: Array) -> Array:
        middle = 1 / (1 + np.exp(-(np.arange(self.BINS) / (self.BINS - 1) * 14 - 7)))
        wanted = -(-counts.sum(axis=1) // self.TOP)
        above = np.cumsum(counts[:, ::-1], axis=1)[:, ::-1]
        taken = np.clip(wanted[:, None] - (above - counts), 0, counts)
        return cast(Array, (taken * middle).sum(axis=1) / np.maximum(wanted, 1))


def _numbers(tokens: Tokens, counts: WordCounts) -> Array:
    """The corpus-wide number of every token's word."""
    of_surface = np.array([counts.vocabulary.numbers.get(fold(surface), -1) for surface in tokens.surfaces], dtype=int)
    return of_surface[tokens.surface] if len(of_surface) else np.zeros(0, int)


def _taught(names: Names) -> Names:
    """Where a steward taught the finder, the classifier of words speaks instead of the places."""
    taught = names.judge.model.taught
    if taught is None or not len(names.words):
        return names
    probability = taught.probabilities(word_rows(names, taught.context))
    return replace(names, probability=probability, person=probability, threshold=0.5)


def context_of(names: Names) -> tuple[str, ...]:
    """The context words of this corpus, by the paper's own narrowing to possible names."""
    return commonest_context([(names.counts, possible_names(names.counts, names.lists))])


def word_rows(names: Names, context: Sequence[str], chosen: Array | None = None) -> Array:
    """What the classifier of words sees: the paper's 95 features, others beside them, and what the places say."""
    candidates = names.candidates if chosen is None else names.candidates[chosen]
    said = names.probability if chosen is None else names.probability[chosen]
    paper = features(names.counts, candidates, context, names.lists)
    return np.column_stack([paper, name_features(names.counts, candidates, names.lists), 10 * said])


def _extended(names: Names, roster: Roster | None) -> Names:
    """Names by probability, then by roster, parts, likeness and short forms."""
    lists, probability = names.lists, names.probability.copy()
    is_name = (names.person >= names.threshold) | (names.other >= max(OTHER, names.threshold))
    reason, same_as = list(names.reason), list(names.same_as)
    for extend in (_from_roster, _from_parts, partial(_inside, names), _similar, _short):
        for place, why, stands_for in extend(names.words, probability, is_name, lists, roster):
            is_name[place], reason[place], same_as[place] = True, why, stands_for
            sure = names.threshold if why != "roster" else 0.5 if lists.is_everyday(names.words[place]) else 0.99
            probability[place] = max(probability[place], sure)
    return replace(names, probability=probability, is_name=is_name, reason=reason, same_as=same_as)


Extension = Iterable[tuple[int, str, str]]


def _candidates(
    counts: WordCounts, scores: WordScores, threshold: float, compounds: Compounds, roster: Roster | None
) -> Array:
    """Words with a place that may hold a name, on the roster or with a name inside, most frequent first."""
    seen = scores.seen()
    named = [counts.words[number] for number in seen[scores.person(seen) >= threshold]]
    rostered = roster.sure(compounds.lists) if roster is not None else frozenset()
    inside = compounds.holding(rostered.union(word for word in named if not compounds.lists.is_word(word)))
    found = np.union1d(seen, counts.vocabulary.look_up(sorted(inside)))
    if roster is not None:
        used = np.flatnonzero(counts.measures["count"] > 0)
        listed = [number for number in used if len(counts.words[number]) > 1 and roster.named_by(counts.words[number])]
        found = np.union1d(found, np.array(listed, dtype=found.dtype))
    found = found[counts.measures["count"][found] > 0]
    return cast(Array, found[np.argsort(-counts.measures["count"][found], kind="stable")])


def _from_roster(
    words: list[str], probability: Array, is_name: Array, lists: WordLists, roster: Roster | None
) -> Extension:
    if roster is None:
        return
    place = {word: i for i, word in enumerate(words)}
    asked = [word for word in words if word in roster.words or not _is_word(word, lists, roster)]
    for word, stands_for in roster.match(asked).items():
        yield place[word], "roster", stands_for if stands_for in place else word


def _is_word(word: str, lists: WordLists, roster: Roster) -> bool:
    """Whether it is a dictionary word, and no inflected name that ends like an inflected word ("laines")."""
    return lists.is_word(word) and (word in lists.dictionary or lists.is_everyday(roster.named_by(word) or word))


def _from_parts(
    words: list[str], probability: Array, is_name: Array, lists: WordLists, roster: Roster | None
) -> Extension:
    """Hyphenated words with a name in them, and concatenations of two found names."""
    named = {word for word, found in zip(words, is_name, strict=True) if found and not lists.is_word(word)}
    named |= roster.sure(lists) if roster is not None else frozenset()
    for i, word in enumerate(words):
        parts = [part for part in word.replace("'", "-").split("-") if part]
        if is_name[i] or len(parts) < 2:
            continue
        given = parts[0] in lists.first and not lists.is_plain(parts[-1]) and not lists.is_word(word)
        if given or any(part in named for part in parts):
            yield i, "part", word


def _inside(
    names: Names, words: list[str], probability: Array, is_name: Array, lists: WordLists, roster: Roster | None
) -> Extension:
    """Words that are several in one, of which one is a found name or one of the roster."""
    found = {word for word, is_found in zip(words, is_name, strict=True) if is_found and not lists.is_word(word)}
    inside = names.compounds.holding(names.rostered | found)
    for i, word in enumerate(words):
        if not is_name[i] and word in inside:
            yield i, "inside", word


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
