"""What a name model learns from: texts in which every name is known where it stands.

Fictional courses and chatter come with Sharewell; real labelled text is read where the model is trained
(train/train_names.py). Some of it is learnt as it is, some in lower case, since many people write so.
"""

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pyarrow as pa

from sharewell.fiction import make_course
from sharewell.text import boosted, place_features, second_look, wording
from sharewell.text.arrays import Array
from sharewell.text.boosted import Boosted
from sharewell.text.candidates import WordCounts, counted
from sharewell.text.chatter import make_chatter
from sharewell.text.name_model import NameModel, both_looks, mixed, with_opinion
from sharewell.text.patterns import mask
from sharewell.text.place_features import WordFacts
from sharewell.text.places import looked_at
from sharewell.text.tokens import ABBREVIATIONS, Tokens, fold, is_placeholder, tokenize
from sharewell.text.word_lists import FUNCTION_WORDS, WordLists, english
from sharewell.text.wording import Wording

COURSES = ((9001, 200, str), (9002, 200, str), (9003, 150, str.lower), (9004, 120, str))
CHATTER = ((9101, 500, str), (9102, 300, str.lower), (9103, 250, str), (9104, 500, str))
Recipe = tuple[int, int, Callable[[str], str]]  # seed, students or comments, and how it is written
COURSE_WEIGHT, CHATTER_WEIGHT, REAL_WEIGHT, LOWER_WEIGHT = WEIGHTS = (0.25, 0.2, 1.0, 0.5)
FURTHER_COURSES, FURTHER_CHATTER = ((9201, 80, str), (9202, 60, str.lower)), ((9301, 250, str),)
TREES, SECOND_TREES, FURTHER_TREES, SMALL_LEAVES, FOLDS = 160, 80, 60, 15, 4
MISSED_PERSON, MISSED_OTHER = 4.0, 3.0  # a missed name costs so many false alarms
PEOPLE = frozenset({"person-name", "nickname", "misspelling", "famous"})
NAMING = PEOPLE | {"initials", "town", "employer", "pet", "address"}


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
class Lesson:
    """One corpus described: a row per place that may hold a name, what stands there, and which token and post it is."""

    rows: Array
    worded: Any  # sparse: what the judge of wording sees
    is_person: Array
    is_other: Array
    token: Array
    post: Array
    weight: float

    def at(self, chosen: Array) -> "Lesson":
        return Lesson(
            rows=self.rows[chosen],
            worded=self.worded[chosen],
            is_person=self.is_person[chosen],
            is_other=self.is_other[chosen],
            token=self.token[chosen],
            post=self.post[chosen],
            weight=self.weight,
        )


def lesson(corpus: Labelled, weight: float, lists: WordLists | None = None) -> Lesson:
    counts = WordCounts()
    counts.add(counted(corpus.tokens))
    facts = WordFacts(corpus.tokens, counts, lists or english())
    chosen = looked_at(facts)
    kind = corpus.kind[chosen]
    return Lesson(
        rows=place_features.rows(facts, chosen),
        worded=wording.rows(corpus.tokens, chosen),
        is_person=np.isin(kind, sorted(PEOPLE)),
        is_other=np.isin(kind, sorted(NAMING - PEOPLE)),
        token=chosen,
        post=corpus.tokens.post[chosen],
        weight=weight,
    )


def fictional_lessons(
    courses: Sequence[Recipe] = COURSES, chatter: Sequence[Recipe] = CHATTER, lists: WordLists | None = None
) -> Iterator[Lesson]:
    """Fictional courses and chatter, some as they are written and some in lower case."""
    lists = lists or english()
    for seed, students, change in courses:
        course = make_course(students=students, seed=seed, parts=("students", "posts"), style="a")
        assert course.posts is not None and course.truth.mentions is not None
        yield lesson(labelled(course.posts, course.truth.mentions, change), COURSE_WEIGHT, lists)
    for seed, comments, change in chatter:
        posts, mentions = make_chatter(seed, comments, lists)
        yield lesson(labelled(posts, mentions, change, ("message",)), CHATTER_WEIGHT, lists)


def train(
    real: Sequence[Lesson], fictional: Sequence[Lesson], facts: Mapping[str, object], *, trees: int = TREES
) -> NameModel:
    """Judges of places from all lessons.

    The second reading learns from first readings by judges that had not seen the post, as it will get them later; the
    threshold comes from real text that the second reading had not seen either.
    """
    lessons = [*real, *fictional]
    firsts = _first_looks(lessons, trees)
    seconds = [second_look.rows(of.rows, said, of.token, of.post) for of, said in zip(lessons, firsts, strict=True)]
    held_out = _held_out(lessons, firsts, seconds)[: len(real) or None]
    return NameModel(
        persons=_judge_persons(lessons, trees),
        others=_judge_others(lessons, trees // 2),
        wording=_judge_wording(lessons),
        again=_judge_again(lessons, seconds),
        held_out=np.sort(np.concatenate(held_out)).astype(np.float32),
        facts=dict(facts),
    )


def further(base: NameModel, real: Sequence[Lesson], fictional: Sequence[Lesson]) -> NameModel:
    """The base model with trees added that learn from a steward's own labelled texts what it does not know yet.

    They see its opinion as one feature more. Fictional lessons that the base model has not seen keep them from
    forgetting what courses look like. The threshold comes from the steward's texts, each post judged by trees that had
    not seen it.
    """
    held_out = [
        model.added(part.rows, opinion(base, part))
        for fold_ in range(FOLDS)
        for model in [added(base, [_without(part, fold_) for part in real], fictional)]
        for part in (of.at(of.is_person & (of.post % FOLDS == fold_)) for of in real)
    ]
    return replace(added(base, real, fictional), held_out=np.sort(np.concatenate(held_out)).astype(np.float32))


def opinion(base: NameModel, part: Lesson) -> Array:
    """What a model without further trees says of every place of a lesson."""
    first = mixed(base.persons.predict(part.rows), base.wording.of_rows(part.worded))
    return base.second(part.rows, first, part.token, part.post)


def added(base: NameModel, real: Sequence[Lesson], fictional: Sequence[Lesson]) -> NameModel:
    """The base model with further trees; its threshold is as it was."""
    lessons = [*real, *fictional]
    rows = np.vstack([with_opinion(part.rows, opinion(base, part)) for part in lessons])
    person = np.concatenate([part.is_person for part in lessons])
    weights = _weights(lessons) * np.where(person, MISSED_PERSON, 1.0)
    return replace(base, further=boosted.grow(rows, person, weights, trees=FURTHER_TREES, leaves=SMALL_LEAVES))


def fingerprint() -> str:
    """A hash of what the model sees in fictional chatter: it changes when tokens, features or word tables do."""
    digest = hashlib.sha256("\n".join(place_features.NAMES).encode())
    for part in fictional_lessons(courses=(), chatter=((9101, 60, str), (9102, 60, str.lower))):
        digest.update(np.ascontiguousarray(part.rows.round(3) + 0.0).tobytes())
        digest.update(np.packbits(part.is_person | part.is_other).tobytes())
    return digest.hexdigest()


def _judge_persons(lessons: Sequence[Lesson], trees: int) -> Boosted:
    rows = np.vstack([part.rows for part in lessons])
    person = np.concatenate([part.is_person for part in lessons])
    return boosted.grow(rows, person, _weights(lessons) * np.where(person, MISSED_PERSON, 1.0), trees=trees)


def _judge_wording(lessons: Sequence[Lesson]) -> Wording:
    from scipy.sparse import vstack

    person = np.concatenate([part.is_person for part in lessons])
    weights = _weights(lessons) * np.where(person, MISSED_PERSON, 1.0)
    return wording.fit(vstack([part.worded for part in lessons], format="csr"), person, weights)


def _judge_others(lessons: Sequence[Lesson], trees: int) -> Boosted:
    """Towns, employers and pets against words; persons are left out."""
    rest = ~np.concatenate([part.is_person for part in lessons])
    rows = np.vstack([part.rows for part in lessons])[rest]
    other = np.concatenate([part.is_other for part in lessons])[rest]
    return boosted.grow(rows, other, _weights(lessons)[rest] * np.where(other, MISSED_OTHER, 1.0), trees=trees)


def _weights(lessons: Sequence[Lesson]) -> Array:
    return np.concatenate([np.full(len(part.rows), part.weight) for part in lessons])


def _first_looks(lessons: Sequence[Lesson], trees: int) -> list[Array]:
    """What judges say of every place that learnt from other posts than its own."""
    first = [np.zeros(len(part.rows)) for part in lessons]
    for fold_ in range(FOLDS):
        seen = [_without(part, fold_) for part in lessons]
        trees_say, wording_says = _judge_persons(seen, trees), _judge_wording(seen)
        for said, part in zip(first, lessons, strict=True):
            asked = part.post % FOLDS == fold_
            said[asked] = mixed(trees_say.predict(part.rows[asked]), wording_says.of_rows(part.worded[asked]))
    return first


def _judge_again(lessons: Sequence[Lesson], rows: Sequence[Array]) -> Boosted:
    person = np.concatenate([part.is_person for part in lessons])
    weights = _weights(lessons) * np.where(person, MISSED_PERSON, 1.0)
    return boosted.grow(np.vstack(rows), person, weights, trees=SECOND_TREES, leaves=SMALL_LEAVES)


def _held_out(lessons: Sequence[Lesson], firsts: Sequence[Array], seconds: Sequence[Array]) -> list[Array]:
    """Per lesson, probabilities of persons by both looks, each by judges that have not learnt from its post."""
    found: list[list[Array]] = [[] for _ in lessons]
    for fold_ in range(FOLDS):
        kept = [part.post % FOLDS != fold_ for part in lessons]
        seen = [part.at(keep) for part, keep in zip(lessons, kept, strict=True)]
        judge = _judge_again(seen, [of[keep] for of, keep in zip(seconds, kept, strict=True)])
        for i, (part, keep) in enumerate(zip(lessons, kept, strict=True)):
            asked = ~keep & part.is_person
            found[i].append(both_looks(firsts[i][asked], judge.predict(seconds[i][asked])))
    return [np.concatenate(parts) for parts in found]


def _without(part: Lesson, fold_: int) -> Lesson:
    return part.at(part.post % FOLDS != fold_)


def _tally(words: Array) -> dict[str, int]:
    distinct, counts = np.unique(words.astype(str), return_counts=True)
    return dict(zip(distinct.tolist(), counts.tolist(), strict=True))
