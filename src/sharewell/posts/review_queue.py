"""What reviewers are asked, as one queue: likely names and the random sample, each word once.

Likely names come first, the most frequent before the others; then the words of the sample, the most uncertain first.
Beside the words stand the places that a word which is both is asked about, and all that is needed to say at any moment
how many names a release would leave.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from sharewell.posts.measure import labelled_sample
from sharewell.posts.measure.labelled_sample import BothWord, Residual, Sample
from sharewell.posts.measure.names_left import Place, places_at
from sharewell.posts.review_lists import names_table, sample_table
from sharewell.posts.study import PostsStudy
from sharewell.text.arrays import Array
from sharewell.text.decisions import decide, names_at
from sharewell.text.marks import Marks
from sharewell.text.tokens import Tokens, fold

EXAMPLES = 3  # places of a word that are shown beside it, where the plan allows it
LOOKED_AT = 600  # places of a word from which those to ask about are drawn


@dataclass(frozen=True, kw_only=True)
class Asked:
    """One word: how often it stands there, how likely it is a name and why, and at how many places it would be left."""

    word: str
    count: int
    probability: float
    why: str
    left: int
    sampled: bool
    mark: str = ""  # what the lists say of it already

    @property
    def risk(self) -> float:
        """Names that the finder may have left at its places."""
        return self.left * self.probability


@dataclass(frozen=True, kw_only=True)
class Queue:
    """All that one file asks of reviewers."""

    asked: tuple[Asked, ...]
    sample: Sample
    places: Mapping[str, tuple[Place, ...]]  # word → places that are asked about if it is both
    totals: Mapping[str, int]  # word → all such places
    examples: Mapping[str, tuple[Place, ...]] = field(default_factory=dict)  # word → some places, where allowed
    place_marks: Mapping[str, bool] = field(default_factory=dict)
    limit: float | None = None
    context: bool = False

    @cached_property
    def likely(self) -> Mapping[str, float]:
        return {one.word: one.probability for one in self.asked}

    def residual(self, marks: Marks) -> Residual:
        """Names per word that a release would leave now."""
        both = {word: self._both(word, marks) for word in marks.of("both")}
        return labelled_sample.so_far(self.sample, marks, both, self.likely)

    def _both(self, word: str, marks: Marks) -> BothWord:
        asked = tuple(place.key for place in self.places.get(word, ()))
        said = [marks.places[key] for key in asked if key in marks.places]
        total = self.totals.get(word, len(asked))
        return BothWord(places=total, asked=asked, names=sum(said), words=len(said) - sum(said))

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def from_dict(cls, stored: Mapping[str, Any]) -> "Queue":
        sample = stored["sample"]
        return cls(
            asked=tuple(Asked(**one) for one in stored["asked"]),
            sample=Sample(
                places=sample["places"],
                certain=tuple(sample["certain"]),
                drawn=tuple(sample["drawn"]),
                words=sample["words"],
            ),
            places={word: tuple(Place(**place) for place in places) for word, places in stored["places"].items()},
            totals=stored["totals"],
            examples={word: tuple(Place(**place) for place in places) for word, places in stored["examples"].items()},
            place_marks=stored["place_marks"],
            limit=stored["limit"],
            context=stored["context"],
        )


def queue(study: PostsStudy) -> Queue:
    """The queue of a file under study; without leave of the plan no word around a place is in it."""
    listed, sampled = names_table(study.names, study.marks), sample_table(study.sample, study.names, study.marks)
    left = study.sample.places
    rows = {row["word"]: row for row in [*sampled.to_pylist(), *listed.to_pylist()]}
    drawn = set(sampled["word"].to_pylist())
    likely = set(listed["word"].to_pylist())
    asked = [
        Asked(
            word=word, count=row["count"], probability=row["probability"], why=row["why"], left=left.get(word, 0),
            sampled=word in drawn, mark=row["mark"],
        )
        for word, row in rows.items()
    ]  # fmt: skip
    asked.sort(key=lambda one: _order(one, likely=one.word in likely))
    found = _Found(words=frozenset(rows), context=study.section.review_context)
    found.look(study)
    exact = _by_word(study.places)  # of words that are marked `both` already
    asked_places = {word: exact.get(word, places) for word, places in found.places.items()}
    return Queue(
        asked=tuple(asked),
        sample=study.sample,
        places={word: _drawn(places, study) for word, places in asked_places.items() if places},
        totals={word: len(exact[word]) if word in exact else found.totals[word] for word in found.places},
        examples={word: tuple(places) for word, places in found.examples.items() if places},
        place_marks=study.marks.places,
        limit=study.section.limit.residual,
        context=study.section.review_context,
    )


def _order(one: Asked, *, likely: bool) -> tuple[Any, ...]:
    doubt = abs(one.probability - 0.5)
    return (0, -one.count, doubt, one.word) if likely else (1, doubt, -one.count, one.word)


class _Found:
    """The places to ask about if a word is both, before anybody marked another word, and examples of every word.

    Marks of other words can settle some of the places: the lists of the next release hold exactly those that are left,
    and what was marked here holds there.
    """

    def __init__(self, *, words: frozenset[str], context: bool) -> None:
        self.words, self.context = words, context
        self.places: dict[str, list[Place]] = {word: [] for word in words}
        self.examples: dict[str, list[Place]] = {word: [] for word in words}
        self.totals = dict.fromkeys(words, 0)

    def look(self, study: PostsStudy) -> None:
        as_both = decide(study.names, marks=Marks(words=dict.fromkeys(self.words, "both")))
        for part in study.masked.parts:
            tokens = part.tokens()
            folded = [fold(surface) for surface in tokens.surfaces]
            wanted = np.fromiter((word in self.words for word in folded), bool, len(folded))[tokens.surface]
            named = names_at(tokens, study.decisions)
            undecided = wanted & ~names_at(tokens, as_both)
            self._add(tokens, folded, np.flatnonzero(undecided), named)
            if self.context:
                self._show(tokens, folded, np.flatnonzero(wanted), named)

    def _add(self, tokens: Tokens, folded: Sequence[str], chosen: Array, named: Array) -> None:
        kept = []
        for token in chosen:
            word = folded[tokens.surface[token]]
            self.totals[word] += 1
            if self.totals[word] <= LOOKED_AT:
                kept.append(token)
        for place in places_at(tokens, np.array(kept, dtype=int), named):
            self.places[place.word].append(place)

    def _show(self, tokens: Tokens, folded: Sequence[str], chosen: Array, named: Array) -> None:
        shown = Counter({word: len(places) for word, places in self.examples.items()})
        kept = []
        for token in chosen:
            word = folded[tokens.surface[token]]
            if shown[word] < EXAMPLES:
                shown[word] += 1
                kept.append(token)
        for place in places_at(tokens, np.array(kept, dtype=int), named):
            self.examples[place.word].append(place)


def _by_word(places: Sequence[Place]) -> dict[str, list[Place]]:
    found: dict[str, list[Place]] = {}
    for place in places:
        found.setdefault(place.word, []).append(place)
    return found


def _drawn(places: Sequence[Place], study: PostsStudy) -> tuple[Place, ...]:
    keys = {place.key: place for place in places}
    chosen = [keys[key] for key in labelled_sample.asked_places(list(keys), seed=study.job.seed)]
    if study.section.review_context:
        return tuple(chosen)
    return tuple(Place(key=place.key, word=place.word, before="", after="") for place in chosen)
