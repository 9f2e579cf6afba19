"""Teaching the name finder: words that a steward labelled, on top of what the default model knows.

The labelled words take the place that a fictional course has in training. What that gains is measured before anything
is kept: the default model and taught ones are compared on labelled words that those have not seen.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from sharewell.data import engine
from sharewell.errors import InputError
from sharewell.posts.protection.redaction import Finder, open_model
from sharewell.posts.review_lists import marks_of
from sharewell.text import name_model
from sharewell.text.arrays import Array
from sharewell.text.extra_features import extra_features
from sharewell.text.name_model import NameModel, Settings, folds
from sharewell.text.training import fit_words, lessons_of, train_on

ENOUGH = 40  # labelled words, names and others together
OWN_WEIGHT = 4.5  # a word of the steward's own course counts as much as three of a fictional one


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
            f"{self.auc_after:.3f} after, on words held out"
        )


def learn(
    posts: Any, labels: Any, *, text: str | list[str] = "message", file: Path | None = None, seed: int = 0
) -> Learned:
    """Teach a model with labelled words of these posts; `labels` has the columns word and mark."""
    columns = (text,) if isinstance(text, str) else tuple(text)
    finder = Finder(columns=columns, model=open_model(None))
    names = finder.names(finder.masked(posts))
    marks = _marks(labels)
    chosen = np.array([i for i, word in enumerate(names.words) if word in marks], dtype=int)
    truth = np.array([marks[names.words[i]] for i in chosen], dtype=int)
    _check(truth)
    rows = np.hstack([names.rows, extra_features(names.counts, names.candidates, names.lists)])[chosen]
    base = lessons_of()
    guess = np.zeros(len(truth))
    quick = Settings(trees=100, seed=seed)
    for train, test in folds(truth, seed):
        guess[test] = fit_words(base, quick, (rows[train], truth[train], OWN_WEIGHT)).probabilities(rows[test])
    model = train_on(base, Settings(seed=seed), (rows, truth, OWN_WEIGHT))
    if file is not None:
        name_model.save(model, file)
    return Learned(
        model=model,
        words=len(truth),
        names=int(truth.sum()),
        auc_before=_auc(truth, names.probability[chosen]),
        auc_after=_auc(truth, guess),
        file=file,
    )


def learn_files(posts: Path, labels: Path, model: Path, *, text: list[str], seed: int = 0) -> Learned:
    """As `learn`, from files, keeping the model as plain arrays in `model` (a .npz)."""
    if model.suffix != ".npz":
        raise InputError("a model is kept in a file that ends in .npz", file=model)
    return learn(posts, labels, text=text, file=model, seed=seed)


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
