"""What people decide: the list of possible names, the random sample, places of words that are both, and agreement.

A reviewer sees words, counts, probabilities and why a word is asked about, never a post; five words around single
places only where the plan allows it. Files hold one word or place per row; marks are `name`, `word` or `both`,
an empty mark means not looked at yet, so that a review can stop and go on another day.
"""

from collections.abc import Mapping, Set
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.csv as pc

from sharewell.data import engine
from sharewell.errors import InputError
from sharewell.posts.measure.labelled_sample import BothWord, Sample
from sharewell.posts.measure.names_left import Place
from sharewell.stats.agreement import Agreement, cohen_kappa
from sharewell.text.finder import Names, context_of
from sharewell.text.marks import Mark, Marks, as_mark, as_share, stricter
from sharewell.text.paper_features import CONTEXT_WORDS, feature_names, features

ASKED_FROM = 0.05  # words less likely to be names are left to the random sample
BOM = b"\xef\xbb\xbf"  # by which Excel recognises UTF-8


@dataclass(frozen=True, kw_only=True)
class Merged:
    """Two reviewers' marks put together."""

    marks: Mapping[str, Mark]  # where both agree, and what only one has looked at
    disagreements: tuple[str, ...]  # words to talk about
    unmarked: int
    agreement: Agreement


@dataclass(frozen=True, kw_only=True)
class ReviewResult:
    """What a merge came to, and where it was written."""

    merged: Merged
    marks_file: Path
    disagreements_file: Path | None

    def __str__(self) -> str:
        agreed = self.merged.agreement
        words = f"{agreed.n:,} words seen by both, {agreed.share:.1%} agreement, kappa {agreed.kappa:.3f}"
        lines = [f"{words} [{agreed.low:.3f}, {agreed.high:.3f}]; {len(self.merged.disagreements):,} to resolve"]
        lines.append(
            f"{self.marks_file}: the marks that both agree on. A release reads marks in the folder private/review"
        )
        lines[-1] += " of its plan, where `sharewell posts review PLAN` wrote the lists."
        if self.disagreements_file is not None:
            lines.append(f"{self.disagreements_file}: words to talk about.")
        return "\n".join(lines)


def names_table(names: Names, marks: Marks) -> pa.Table:
    """The short list to review: likely names, most frequent first; no context."""
    asked = _asked(names, marks)
    words = [names.words[i] for i in asked]
    counts = [int(names.occurrences[i]) for i in asked]
    return _list(words, counts, [float(names.probability[i]) for i in asked], [names.why(i) for i in asked], marks)


def features_table(names: Names) -> pa.Table:
    """The paper's 95 features of the words on the list."""
    asked = np.array(_asked(names, Marks()), dtype=int)
    context = context_of(names)
    rows = features(names.counts, names.candidates[asked], context, names.lists)
    padded = [*context, *(f"(no word {i})" for i in range(CONTEXT_WORDS - len(context)))]
    columns = dict(zip(feature_names(padded), rows.T, strict=True))
    return pa.table({"word": pa.array([names.words[i] for i in asked], pa.string()), **columns})


def _asked(names: Names, marks: Marks) -> list[int]:
    """Words that a person should look at: found names, likely ones, and what was marked earlier."""
    likely = names.is_name | (names.probability >= ASKED_FROM)
    return [i for i, word in enumerate(names.words) if likely[i] or word in marks.words]


def sample_table(drawn: Sample, names: Names, marks: Marks) -> pa.Table:
    """The random sample to mark, in alphabetical order, with what is known of each word but not its context."""
    known = {word: i for i, word in enumerate(names.words)}
    words = drawn.to_mark()
    probability = [float(names.probability[known[word]]) if word in known else 0.0 for word in words]
    return _list(words, [drawn.places[word] for word in words], probability, ["drawn by lot"] * len(words), marks)


def places_table(places: list[Place], both: Mapping[str, BothWord], marks: Marks, *, context: bool) -> pa.Table:
    """Single places of words that are both, to mark `name` or `word`."""
    asked = {key for word in both.values() for key in word.asked}
    rows = {place.key: place for place in places if place.key in asked}
    said = {True: "name", False: "word", None: ""}
    columns = {
        "place": list(rows),
        "word": [place.word for place in rows.values()],
        "mark": [said[marks.places.get(key)] for key in rows],
    }
    if context:
        columns |= {"before": [p.before for p in rows.values()], "after": [p.after for p in rows.values()]}
    return pa.table({name: pa.array(values, pa.string()) for name, values in columns.items()})


def _list(words: list[str], counts: list[int], probability: list[float], why: list[str], marks: Marks) -> pa.Table:
    shares = {word: str(share) for word, share in marks.shares.items()}
    return pa.table(
        {
            "word": pa.array(words, pa.string()),
            "count": pa.array(counts, pa.int64()),
            "probability": pa.array([round(value, 4) for value in probability], pa.float64()),
            "why": pa.array(why, pa.string()),
            "mark": pa.array([marks.words.get(word) or shares.get(word, "") for word in words], pa.string()),
        }
    )


def read_marks(review: Mapping[str, Any]) -> Marks:
    """All that people decided, from every list that they filled in; a mark in one list holds for all."""
    words: dict[str, Mark] = {}
    shares: dict[str, float] = {}
    for stem in ("names", "sample", "labels"):
        if stem in review:
            given, more = marks_of(engine.arrow(review[stem]))
            words, shares = stricter(words, given), {**shares, **more}
    both = {word for word, mark in words.items() if mark == "both"}
    places = _places_of(engine.arrow(review["places"]), both) if "places" in review else {}
    return Marks(
        words=words, shares={word: share for word, share in shares.items() if word not in words}, places=places
    )


def marks_of(table: pa.Table, *, file: Path | None = None) -> tuple[dict[str, Mark], dict[str, float]]:
    """Word → mark of the rows that carry one, and word → share where somebody knows it."""
    for name in ("word", "mark"):
        if name not in table.column_names:
            raise InputError("a review needs the columns 'word' and 'mark'", file=file, column=name)
    marks: dict[str, Mark] = {}
    shares: dict[str, float] = {}
    for row, (word, written) in enumerate(
        zip(table["word"].to_pylist(), table["mark"].to_pylist(), strict=True), start=2
    ):
        mark, share = as_mark(written), as_share(written)
        if mark is not None and word:
            marks[str(word).lower()] = mark
        elif share is not None and word:
            shares[str(word).lower()] = share
        elif str(written or "").strip():
            wanted = "expected the mark 'name', 'word' or 'both', or nothing yet"
            raise InputError(wanted, file=file, column="mark", row=row)
    return marks, shares


def _places_of(table: pa.Table, both: Set[str]) -> dict[str, bool]:
    """Marks of single places hold as long as their word is both: a mark of the word since then stands over them."""
    for name in ("place", "word", "mark"):
        if name not in table.column_names:
            raise InputError("a list of places needs the columns 'place', 'word' and 'mark'", column=name)
    rows = zip(*(table[name].to_pylist() for name in ("place", "word", "mark")), strict=True)
    marks = ((place, as_mark(mark)) for place, word, mark in rows if str(word).lower() in both)
    return {str(place): mark == "name" for place, mark in marks if mark}


def merge(first: Mapping[str, Mark], second: Mapping[str, Mark], listed: int | None = None) -> Merged:
    """Where both reviewers agree their mark holds; where they differ nobody's does until they have talked."""
    both = sorted(first.keys() & second.keys())
    differ = tuple(word for word in both if first[word] != second[word])
    marks = {word: mark for word, mark in {**first, **second}.items() if word not in differ}
    named = [[given[word] != "word" for word in both] for given in (first, second)]
    return Merged(
        marks=marks,
        disagreements=differ,
        unmarked=max((listed or len(marks) + len(differ)) - len(marks) - len(differ), 0),
        agreement=cohen_kappa(*named),
    )


def merge_files(first: Path, second: Path, folder: Path) -> ReviewResult:
    """Two marked lists in, the agreed marks and the list of disagreements out, as CSV in `folder`."""
    tables = [engine.arrow(path) for path in (first, second)]
    given = [marks_of(table, file=path)[0] for table, path in zip(tables, (first, second), strict=True)]
    merged = merge(given[0], given[1], listed=len({*tables[0]["word"].to_pylist(), *tables[1]["word"].to_pylist()}))
    folder.mkdir(parents=True, exist_ok=True)
    agreed = folder / "labels.csv"
    words = sorted(merged.marks)
    _write(agreed, {"word": words, "mark": [merged.marks[word] for word in words]})
    if not merged.disagreements:
        return ReviewResult(merged=merged, marks_file=agreed, disagreements_file=None)
    differ = folder / "disagreements.csv"
    differing = list(merged.disagreements)
    first_said, second_said = ([str(marks[word]) for word in differing] for marks in given)
    _write(differ, {"word": differing, "first": first_said, "second": second_said, "mark": [""] * len(differing)})
    return ReviewResult(merged=merged, marks_file=agreed, disagreements_file=differ)


def _write(path: Path, columns: Mapping[str, list[str]]) -> None:
    with path.open("wb") as file:
        file.write(BOM)
        pc.write_csv(pa.table({name: pa.array(values, pa.string()) for name, values in columns.items()}), file)
    path.chmod(0o600)
