"""Teaching the name finder: words that a steward labelled, on top of what the default model knows.

The paper's classifier of words learns from them, with the default model's opinion as one feature more. What that gains
is measured before anything is kept: both are compared on labelled words that the taught one has not seen.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from sharewell.data import engine
from sharewell.errors import InputError
from sharewell.posts.protection.redaction import Finder, open_model
from sharewell.posts.review_lists import marks_of
from sharewell.text.arrays import Array
from sharewell.text.finder import context_of, word_rows
from sharewell.text.name_model import NameModel, save
from sharewell.text.paper_model import Settings, fit, folds

ENOUGH = 40  # labelled words, names and others together
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
            f"{self.auc_after:.3f} after, on words held out"
        )


def learn(
    posts: Any, labels: Any, *, text: str | list[str] = "message", file: Path | None = None, seed: int = 0
) -> Learned:
    """Teach the finder with labelled words of these posts, and measure on words held out what that brings.

    Args:
        posts: A pandas, polars or pyarrow table, or the path of a file, with one post per row.
        labels: A table or file with the columns `word` and `mark` ("name" or "word").
        text: The column or columns that hold what was written.
        file: Where the taught model goes (a .npz); None keeps it in memory only.
        seed: Draws the folds and the trees.

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
    base = open_model(None)
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
