"""Finding and redacting names, for notebooks and for the pipeline."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pyarrow as pa

from sharewell.data import engine
from sharewell.errors import InputError
from sharewell.posts import classifier, surrogates, texts
from sharewell.posts.classifier import RECALL, NameModel
from sharewell.posts.finder import Names, find
from sharewell.posts.lists import FUNCTION_WORDS, WordLists, english
from sharewell.posts.masked import MaskedPosts
from sharewell.posts.patterns import Numbers
from sharewell.posts.redaction import Decisions, make_decisions, redact_texts
from sharewell.posts.roster import Roster, read_roster
from sharewell.posts.training import default_model

ReplaceBy = Literal["placeholder", "surrogate", "surrogate-of-same-origin"]
MARKS = {"name": True, "word": False}  # what a person writes beside a word


@dataclass(frozen=True, kw_only=True)
class Finder:
    """What a search for names works with."""

    columns: tuple[str, ...]
    model: NameModel
    roster: Roster | None = None
    numbers: Numbers = "all"
    recall: float = RECALL
    lists: WordLists = field(default_factory=english)

    def masked(self, posts: Any) -> MaskedPosts:
        """The posts with their patterns masked: what every further step reads."""
        return MaskedPosts(posts, self.columns, self.numbers, self.roster.unspaced if self.roster else ())

    def names(self, masked: MaskedPosts) -> Names:
        return find(masked.cells(), self.model, lists=self.lists, roster=self.roster, recall=self.recall)


def find_names(
    posts: Any,
    *,
    text: str | Sequence[str] = "message",
    roster: Sequence[str] | Roster | None = None,
    model: NameModel | str | Path | None = None,
    recall: float = RECALL,
    numbers: Numbers = "all",
    lists: WordLists | None = None,
) -> Any:
    """Every possible name of the posts, most frequent first: word, probability, occurrences, whether taken for a name.

    Strike out rows (or set `name` to False and `mark` to "word") before handing the list to `redact`. `recall` is the
    share of names to be found on fictional posts: it moves the threshold, and says nothing certain about a real course.
    """
    finder = _finder(text, roster, model, recall, numbers, lists)
    names = finder.names(finder.masked(posts))
    return engine.like(names.table(), posts)


def redact(
    posts: Any,
    *,
    text: str | Sequence[str] = "message",
    names: Any = None,
    roster: Sequence[str] | Roster | None = None,
    model: NameModel | str | Path | None = None,
    recall: float = RECALL,
    numbers: Numbers = "all",
    replace_by: ReplaceBy = "placeholder",
    seed: int = 0,
    lists: WordLists | None = None,
) -> Any:
    """The posts without names, e-mails, URLs, phone numbers and numbers, as the same kind of frame.

    `names` is a table from `find_names`, as it is or corrected by a person, or any table or list with the words to
    redact; without it the names are found first. `seed` draws surrogates here; a release draws them from its key.
    """
    finder = _finder(text, roster, model, recall, numbers, lists)
    masked = finder.masked(posts)
    found = finder.names(masked)
    decisions = decide(found, finder, None if names is None else _words_of(names))
    if replace_by != "placeholder":
        decisions = with_surrogates(decisions, found, finder, np.random.default_rng(seed), replace_by)
    return engine.like(_collected(masked, decisions), posts)


def decide(
    names: Names,
    finder: Finder,
    wanted: Mapping[str, bool | None] | None = None,
    marks: Mapping[str, bool] | None = None,
) -> Decisions:
    """What goes everywhere and what is decided place by place.

    `wanted` is the list that a person left: a word that is not on it is no name, True is one, None is as the model
    says. `marks` are a reviewer's single decisions on top.
    """
    marks = marks or {}
    lists = finder.lists
    words, probability = names.words, names.probability.copy()
    chosen = names.is_name.copy()
    for i, word in enumerate(words):
        asked = wanted.get(word, False) if wanted is not None else None
        asked = marks.get(word, asked)
        if asked is not None:
            chosen[i] = asked
            probability[i] = max(probability[i], 0.9) if asked else 0.0
    decisions = make_decisions(names.counts, names.candidates, probability, chosen, finder.model.places, lists)
    extra = {word for word, asked in {**(wanted or {}), **marks}.items() if asked}.difference(words)
    listed = (word for word, why, kept in zip(words, names.reason, chosen, strict=True) if why == "roster" and kept)
    return replace(
        decisions,
        always=decisions.always | (extra - FUNCTION_WORDS),
        possible={**decisions.possible, **dict.fromkeys(extra, 0.9)},
        certain=frozenset(listed),
    )


def with_surrogates(
    decisions: Decisions, names: Names, finder: Finder, generator: np.random.Generator, replace_by: str
) -> Decisions:
    """The same decisions with an invented word for every word that may go."""
    roots = dict(zip(names.words, names.same_as, strict=True))
    words = {word: roots.get(word, word) for word in {*decisions.always, *decisions.possible}}
    taken = {*names.counts.words, *(finder.roster.words if finder.roster else ())}
    pools = surrogates.make_pools(finder.lists, taken)
    same_origin = replace_by == "surrogate-of-same-origin"
    invented = surrogates.draw(words, pools, finder.lists, generator, same_origin=same_origin)
    return replace(decisions, surrogates=invented)


def redacted_batches(masked: MaskedPosts, decisions: Decisions, found: Counter[str]) -> Iterator[pa.RecordBatch]:
    """The posts batch by batch, redacted; `found` gathers what was replaced, by kind."""

    def rewrite(cells: list[str]) -> list[str]:
        done = redact_texts(cells, decisions)
        found["NAME"] += done.names
        return done.texts

    found.update(masked.found)
    for batch in masked.batches():
        yield texts.rewritten(batch, masked.columns, rewrite)


def _collected(masked: MaskedPosts, decisions: Decisions) -> pa.Table:
    return pa.Table.from_batches(list(redacted_batches(masked, decisions, Counter())), masked.schema)


def _finder(
    text: str | Sequence[str],
    roster: Sequence[str] | Roster | None,
    model: NameModel | str | Path | None,
    recall: float,
    numbers: Numbers,
    lists: WordLists | None,
) -> Finder:
    columns = (text,) if isinstance(text, str) else tuple(text)
    known = roster if isinstance(roster, Roster) or roster is None else read_roster(roster)
    return Finder(
        columns=columns, model=open_model(model), roster=known, recall=recall, numbers=numbers, lists=lists or english()
    )


def open_model(model: NameModel | str | Path | None) -> NameModel:
    if model is None:
        return default_model()
    return classifier.load(Path(model)) if isinstance(model, str | Path) else model


def _words_of(names: Any) -> dict[str, bool | None]:
    """Word → whether a person wants it gone (None: as the model says), from a list of words or a table."""
    if isinstance(names, Sequence | set | frozenset) and not isinstance(names, str):
        return dict.fromkeys((word.lower() for word in names), True)
    table = engine.arrow(names)
    if "word" not in table.column_names:
        raise InputError("the list of names needs a column 'word'", column="word")
    words = [word.lower() for word in table["word"].to_pylist()]
    return dict(zip(words, _asked(table), strict=True))


def _asked(table: pa.Table) -> list[bool | None]:
    """A person's mark decides; then the column `name` where it says yes; a listed word without either is a name."""
    rows = len(table)
    marks = table["mark"].to_pylist() if "mark" in table.column_names else [None] * rows
    named = table["name"].to_pylist() if "name" in table.column_names else [True] * rows
    return [
        MARKS.get((mark or "").strip().lower(), True if name else None) for mark, name in zip(marks, named, strict=True)
    ]
