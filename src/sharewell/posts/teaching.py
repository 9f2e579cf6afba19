"""Teaching the name finder: texts or words that a steward labelled, on top of what the default model knows.

From labelled texts (WNUT, CRAPII, PIILO, Presidio) further trees learn that judge places; from labelled words the
paper's classifier of words. Both see the default model's opinion as one feature more. What that gains is measured
before anything is kept, on posts and words that were held out.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from sharewell.data import engine
from sharewell.errors import InputError
from sharewell.posts.protection.redaction import Finder, open_model
from sharewell.posts.review_lists import marks_of
from sharewell.text import labelled_text
from sharewell.text.arrays import Array
from sharewell.text.finder import context_of, word_rows
from sharewell.text.name_model import NameModel, save
from sharewell.text.paper_model import Settings, fit, folds
from sharewell.text.training import (
    FOLDS,
    FURTHER_CHATTER,
    FURTHER_COURSES,
    REAL_WEIGHT,
    Lesson,
    added,
    fictional_lessons,
    further,
    labelled,
    lesson,
    opinion,
)  # fmt: skip

ENOUGH = 40  # labelled words, names and others together
FEWEST_NAMES = 30  # of people, in one labelled text
TABLES = {".parquet", ".xlsx", ".xls", ".feather", ".arrow", ".duckdb"}
HELD_OUT_TREES = 100


@dataclass(frozen=True, kw_only=True)
class Learned:
    """What teaching brought: held-out AUC on the steward's words without and with them."""

    model: NameModel
    words: int
    names: int
    auc_before: float
    auc_after: float
    file: Path | None = None

    def __str__(self) -> str:
        return (
            f"{self.words:,} labelled words ({self.names:,} names): AUC {self.auc_before:.3f} before, "
            f"{self.auc_after:.3f} after, on words held out{_warning(self.auc_before, self.auc_after)}"
        )


def _warning(before: float, after: float) -> str:
    """What to do where teaching made the finder worse; nothing where it did not."""
    return (
        "" if after >= before else ". WORSE than before: do not use this model; check the marks, or give more of them"
    )


@dataclass(frozen=True, kw_only=True)
class Brought:
    """What one labelled text brought: held-out AUC of persons' places on its own posts, with less and with more."""

    source: str
    texts: int
    names: int
    auc_before: float
    auc_by_others: float | None  # taught by the other texts only; None where there is one
    auc_after: float

    def __str__(self) -> str:
        others = "" if self.auc_by_others is None else f", {self.auc_by_others:.3f} by the other texts alone"
        return (
            f"{self.source}: {self.texts:,} texts, {self.names:,} words of names: AUC {self.auc_before:.3f} before"
            f"{others}, {self.auc_after:.3f} with it, on posts held out{_warning(self.auc_before, self.auc_after)}"
        )


@dataclass(frozen=True, kw_only=True)
class Taught:
    """A model taught by files: what each labelled text brought, and what labelled words brought."""

    model: NameModel
    brought: tuple[Brought, ...]
    words: Learned | None

    def __str__(self) -> str:
        return "\n".join(str(part) for part in (*self.brought, self.words) if part is not None)


def learn(
    posts: Any,
    labels: Any,
    *,
    text: str | list[str] = "message",
    file: Path | None = None,
    seed: int = 0,
    base: NameModel | None = None,
) -> Learned:
    """Teach the finder with labelled words, and measure what that brings.

    Args:
        posts: A pandas, polars or pyarrow table, or the path of a file, with one post per row.
        labels: A table or file with the columns `word` and `mark` ("name" or "word").
        text: The column or columns that hold what was written.
        file: Where the taught model goes (a .npz); None keeps it in memory only.
        seed: Draws the folds and the trees.
        base: A model that was taught before; None takes the default model.

    Returns:
        The taught model, with its AUC on words held out before and after.

    Example:
        >>> import pyarrow as pa
        >>> import sharewell as sw
        >>> posts = pa.table({"message": ["Hi Tomasz"]})
        >>> sw.posts.learn(posts, pa.table({"word": ["tomasz"], "mark": ["name"]}))
        Traceback (most recent call last):
        sharewell.errors.InputError: at least 40 labelled words ... are needed, ...
    """
    columns = (text,) if isinstance(text, str) else tuple(text)
    base = base or open_model(None)
    finder = Finder(columns=columns, model=base)
    names = finder.names(finder.masked(posts))
    marks = _marks(labels)
    chosen = np.array([i for i, word in enumerate(names.words) if word in marks], dtype=int)
    truth = np.array([marks[names.words[i]] for i in chosen], dtype=int)
    _check(truth)
    context = context_of(names)
    rows = word_rows(names, context, chosen)
    guess = np.zeros(len(truth))
    for train, test in folds(truth, seed):
        taught = fit(rows[train], truth[train], context, Settings(trees=HELD_OUT_TREES, seed=seed))
        guess[test] = taught.probabilities(rows[test])
    model = replace(base, taught=fit(rows, truth, context, Settings(seed=seed)))
    if file is not None:
        save(model, file)
    return Learned(
        model=model,
        words=len(truth),
        names=int(truth.sum()),
        auc_before=_auc(truth, names.probability[chosen]),
        auc_after=_auc(truth, guess),
        file=file,
    )


def learn_files(
    labelled_files: Sequence[Path], model: Path, *, posts: Path | None = None, text: Sequence[str] = (), seed: int = 0
) -> Taught:
    """Teach from files of any known format, and keep the model as plain arrays in `model` (a .npz).

    Labelled texts come in the formats of WNUT (CoNLL), CRAPII and PIILO, or Presidio; a table with the columns `word`
    and `mark` holds words of `posts`, whose columns `text` hold what was written.
    """
    if model.suffix != ".npz":
        raise InputError("a model is kept in a file that ends in .npz", file=model)
    words = [file for file in labelled_files if _holds_words(file)]
    taught, brought = learn_texts([file for file in labelled_files if file not in words])
    if len(words) > 1:
        raise InputError(
            "one table of labelled words at most; merge them with `sharewell posts review --merge`", file=words[1]
        )
    learned = None
    if words:
        if posts is None or not text:
            raise InputError("labelled words need the posts they come from: give --posts and --text", file=words[0])
        learned = learn(posts, words[0], text=list(text), seed=seed, base=taught)
        taught = learned.model
    save(taught, model)
    return Taught(model=taught, brought=brought, words=learned)


def learn_texts(files: Sequence[Path], base: NameModel | None = None) -> tuple[NameModel, tuple[Brought, ...]]:
    """The base model taught by labelled texts, and what each of them brought."""
    base = base or open_model(None)
    if not files:
        return base, ()
    lessons = {file.name: _lesson(file) for file in files}
    fictional = list(fictional_lessons(FURTHER_COURSES, FURTHER_CHATTER))
    brought = tuple(_brought(name, lessons, base, fictional) for name in lessons)
    return further(base, list(lessons.values()), fictional), brought


def _brought(name: str, lessons: Mapping[str, Lesson], base: NameModel, fictional: Sequence[Lesson]) -> Brought:
    part, said = lessons[name], opinion(base, lessons[name])
    rest = [other for source, other in lessons.items() if source != name]
    by_others = added(base, rest, fictional).added(part.rows, said) if rest else None
    after = np.zeros(len(said))
    for fold in range(FOLDS):
        held_out = part.post % FOLDS == fold
        model = added(base, [part.at(~held_out), *rest], fictional)
        after[held_out] = model.added(part.rows[held_out], said[held_out])
    return Brought(
        source=name,
        texts=len(np.unique(part.post)),
        names=int(part.is_person.sum()),
        auc_before=_auc(part.is_person, said),
        auc_by_others=None if by_others is None else _auc(part.is_person, by_others),
        auc_after=_auc(part.is_person, after),
    )


def _lesson(file: Path) -> Lesson:
    """One labelled text described; each fold needs names to be judged by."""
    found = lesson(labelled(*labelled_text.read(file), str, ("message",)), REAL_WEIGHT)
    if min(found.is_person[found.post % FOLDS == fold].sum() for fold in range(FOLDS)) < FEWEST_NAMES // FOLDS:
        raise InputError(
            f"expected a text with at least {FEWEST_NAMES} words labelled as names of people, over many posts (CoNLL, "
            "CRAPII or PIILO, Presidio), or a table with the columns word and mark",
            file=file,
        )
    return found


def _holds_words(file: Path) -> bool:
    """Whether a file is a table of labelled words and not a labelled text."""
    if file.suffix.lower() in TABLES:
        return True
    with file.open("rb") as opened:
        head = opened.readline(2000).decode("utf-8", "replace").lower()
    return {"word", "mark"} <= set(re.split(r"[\W_]+", head))


def _marks(labels: Any) -> Mapping[str, bool]:
    marks, _ = marks_of(engine.arrow(labels), file=labels if isinstance(labels, Path) else None)
    return {word: mark == "name" for word, mark in marks.items() if mark != "both"}


def _check(truth: Array) -> None:
    if len(truth) < ENOUGH or not 4 <= truth.sum() <= len(truth) - 4:
        raise InputError(
            f"at least {ENOUGH} labelled words that are possible names in these posts are needed, names and others; "
            f"there are {len(truth)} with {int(truth.sum())} names"
        )


def _auc(truth: Array, probability: Array) -> float:
    from sklearn.metrics import roc_auc_score

    return float(roc_auc_score(truth, probability))
