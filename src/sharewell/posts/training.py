"""What the default model learns from: fictional courses, in which every name is known where it stands.

Some courses are learnt as they are, some with everything in lower case, since many people write so. The model is
trained on first use, in seconds, always the same way, and kept as plain arrays in the user's cache, by version.
"""

import hashlib
import os
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
import pyarrow as pa

from sharewell import __version__
from sharewell.demo import make_course
from sharewell.posts import classifier, forest
from sharewell.posts.chatter import make_chatter
from sharewell.posts.candidates import Counts, possible_names
from sharewell.posts.classifier import NameModel, Settings
from sharewell.posts.features import commonest_context, features
from sharewell.posts.further import further
from sharewell.posts.lists import WordLists, english
from sharewell.posts.patterns import mask
from sharewell.posts.redaction import Decisions, place_rows
from sharewell.posts.tokens import Tokens, fold, tokenize

COURSES = ((9001, 120, str), (9002, 400, str), (9003, 250, str.lower), (9004, 60, str), (9005, 200, str.lower), (9006, 300, str))
CHATTER = ((9101, 900, str), (9102, 700, str.lower), (9103, 300, str), (9104, 700, str), (9105, 400, str.lower))
Recipe = tuple[int, int, Callable[[str], str]]  # seed, students or comments, and how it is written
PEOPLE = frozenset({"person-name", "nickname", "misspelling", "famous"})
NAMING = PEOPLE | {"initials", "town", "employer", "pet"}
PLACE_TREES, PLACE_LEAF = 60, 5
REVISION = 3  # of what the model learns from; part of the cache's key


@dataclass(frozen=True)
class Labelled:
    """One corpus with the truth: masked texts as tokens, and which tokens are names and whose origin they are of."""

    tokens: Tokens
    posts: int
    kind: np.ndarray  # per token: type of the mention it lies in, "" outside
    origin: np.ndarray

    @property
    def is_name(self) -> np.ndarray:
        return np.isin(self.kind, sorted(NAMING))

    def words_at(self) -> np.ndarray:
        """The word of every token."""
        return np.array([fold(surface) for surface in self.tokens.surfaces], dtype=object)[self.tokens.surface]

    def words(self, lists: WordLists) -> dict[str, str]:
        """Words that are names → origin ("" unknown): any person's, and towns', employers' and pets' unless they are mostly or only words."""
        folded = self.words_at()
        people = np.isin(self.kind, sorted(PEOPLE))
        named: dict[str, str] = {}
        for word, origin in zip(folded[people], self.origin[people], strict=True):
            named[word] = named.get(word) or origin
        total, hits = _tally(folded), _tally(folded[self.is_name])
        for word, count in hits.items():
            if not lists.is_plain(word) and (2 * count >= total[word] or not lists.is_word(word)):
                named.setdefault(word, "")
        return named


def labelled(posts: pa.Table, mentions: pa.Table, change: Callable[[str], str] = str, columns: Sequence[str] = ("subject", "message")) -> Labelled:
    """The posts of a fictional course with their planted truth, their patterns masked."""
    texts = [mask(change(text)) for name in columns for text in posts[name].to_pylist()]
    tokens = tokenize([part.text for part in texts])
    kind, origin = np.full(len(tokens.start), "", dtype=object), np.full(len(tokens.start), "", dtype=object)
    first = np.searchsorted(tokens.post, np.arange(len(texts) + 1))
    offset = {name: i * len(posts) for i, name in enumerate(columns)}
    for row in mentions.to_pylist():
        if row["column"] not in offset:
            continue
        text = offset[row["column"]] + row["row"]
        start, end = texts[text].moved(row["start"]), texts[text].moved(row["end"])
        for token in range(first[text], first[text + 1]):
            if tokens.start[token] >= start and tokens.start[token] < end:
                kind[token], origin[token] = row["type"], row["origin"]
    return Labelled(tokens, len(texts), kind, origin)


@dataclass(frozen=True)
class _Lesson:
    corpus: Labelled
    counts: Counts
    candidates: np.ndarray
    named: dict[str, str]

    def labels(self) -> np.ndarray:
        return np.array([self.counts.words[number] in self.named for number in self.candidates])


def train(
    courses: Sequence[Recipe] = COURSES, chatter: Sequence[Recipe] = CHATTER, settings: Settings | None = None
) -> NameModel:
    """The default model: words first, then single places given the words' probabilities."""
    lists = english()
    lessons = list(_lessons(courses, chatter, lists))
    context = commonest_context([(lesson.counts, lesson.candidates) for lesson in lessons])
    rows = [_rows(lesson, context, lists) for lesson in lessons]
    labels = [lesson.labels() for lesson in lessons]
    groups = np.repeat(np.arange(len(lessons)), [len(part) for part in labels])
    words = classifier.fit(np.vstack(rows), np.concatenate(labels), context, settings, groups=groups)
    return _with_places(words, lessons, rows, labels, groups, settings or Settings())


def _rows(lesson: _Lesson, context: Sequence[str], lists: WordLists) -> np.ndarray:
    paper = features(lesson.counts, lesson.candidates, context, lists)
    return np.hstack([paper, further(lesson.counts, lesson.candidates, lists)])


def _lessons(courses: Sequence[Recipe], chatter: Sequence[Recipe], lists: WordLists) -> Iterator[_Lesson]:
    for seed, students, change in courses:
        course = make_course(students=students, seed=seed, parts=("students", "posts"), style="a")
        assert course.posts is not None and course.truth.mentions is not None
        yield _lesson(labelled(course.posts, course.truth.mentions, change), lists)
    for seed, comments, change in chatter:
        posts, mentions = make_chatter(seed, comments, lists)
        yield _lesson(labelled(posts, mentions, change, ("message",)), lists)


def _lesson(corpus: Labelled, lists: WordLists) -> _Lesson:
    counts = Counts()
    counts.add_tokens(corpus.tokens, corpus.posts)
    return _Lesson(corpus, counts, possible_names(counts, lists), corpus.words(lists))


def _with_places(
    model: NameModel, lessons: Sequence[_Lesson], rows: list[np.ndarray], labels: list[np.ndarray], groups: np.ndarray, settings: Settings
) -> NameModel:
    """Single places, learnt from word probabilities that their own course had no part in."""
    held_out = model.out_of_fold
    xs, ys = [], []
    for i, lesson in enumerate(lessons):
        probability = held_out[groups == i]
        decisions = decide(lesson.counts, lesson.candidates, probability, model.threshold(), model)
        chosen, features_ = place_rows(lesson.corpus.tokens, decisions)
        xs.append(features_)
        ys.append(lesson.corpus.is_name[chosen])
    x, y = np.vstack(xs), np.concatenate(ys)
    cost = np.where(y, settings.missed_name_weight, 1.0)
    places = forest.grow(x, y, cost, trees=PLACE_TREES, leaf=PLACE_LEAF, share=0.5, seed=settings.seed)
    return model.with_places(places)


def decide(
    counts: Counts, candidates: np.ndarray, probability: np.ndarray, threshold: float, model: NameModel, lists: WordLists | None = None
) -> Decisions:
    """Words that are names wherever they stand, and those that are decided place by place."""
    lists = lists or english()
    words = [counts.words[number] for number in candidates]
    mid = np.maximum(counts.measures["mid"][candidates], 1)
    shares = counts.measures["mid_capitalised"][candidates] / mid
    always = frozenset(w for w, p in zip(words, probability, strict=True) if p >= threshold and not lists.is_word(w))
    return Decisions(
        always=always,
        possible=dict(zip(words, np.minimum(probability, 0.999).tolist(), strict=True)),
        shares=dict(zip(words, map(float, shares), strict=True)),
        places=model.places,
        lists=lists,
    )


@cache
def default_model() -> NameModel:
    """The model for English posts: from the cache, or trained now."""
    file = cache_folder() / f"names-{_key()}.npz"
    if file.exists():
        return classifier.load(file)
    model = train()
    _keep(model, file)
    return model


def cache_folder() -> Path:
    base = os.environ.get("SHAREWELL_CACHE") or os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    return Path(base) / "sharewell"


def _keep(model: NameModel, file: Path) -> None:
    """Write beside and rename, so that two first uses at once do no harm; no cache is no reason to fail."""
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        handle, beside = tempfile.mkstemp(dir=file.parent, suffix=".npz")
        os.close(handle)
        classifier.save(model, Path(beside))
        Path(beside).replace(file)
    except OSError:
        return


def _key() -> str:
    """Another version, another training set or another kind of network is another model."""
    from sharewell.posts.network import has_torch

    facts = f"{__version__} {REVISION} {[(s, n, c.__name__) for s, n, c in (*COURSES, *CHATTER)]} {Settings()} {has_torch()}"
    return hashlib.sha256(facts.encode()).hexdigest()[:16]


def _tally(words: np.ndarray) -> dict[str, int]:
    distinct, counts = np.unique(words.astype(str), return_counts=True)
    return dict(zip(distinct.tolist(), counts.tolist(), strict=True))
