"""What people decide: the list of possible names, two raters' agreement, and the labelled sample.

A reviewer sees words, probabilities and features, never a post. Files hold one word per row; marks are "name" or
"word", an empty mark means not looked at yet, so that a review can stop and go on another day.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
import pyarrow.csv as pc

from sharewell.data import engine
from sharewell.errors import InputError
from sharewell.posts.measure.labelled_sample import Sample
from sharewell.stats.agreement import Agreement, cohen_kappa
from sharewell.text.finder import Names

MARKS = {"name": True, "word": False}


@dataclass(frozen=True, kw_only=True)
class Merged:
    """Two reviewers' marks put together."""

    marks: Mapping[str, bool]  # where both agree, and what only one has looked at
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
        return f"{words} [{agreed.low:.3f}, {agreed.high:.3f}]; {len(self.merged.disagreements):,} to resolve"


def review_table(names: Names) -> pa.Table:
    """The list to review: most frequent first, with features and an empty mark; no context."""
    table = names.table(with_features=True)
    return table.add_column(1, "mark", pa.array([""] * len(table)))


def sample_table(drawn: Sample, names: Names) -> pa.Table:
    """The random sample to label, in alphabetical order, with what is known of each word but not its context."""
    known = dict(zip(names.words, names.probability, strict=True))
    words = drawn.to_label()
    left = {word: places for part in drawn.strata for word, places in part.places.items()}
    return pa.table(
        {
            "word": pa.array(words, pa.string()),
            "label": pa.array([""] * len(words), pa.string()),
            "places_left": [left.get(word, 0) for word in words],
            "probability": pa.array([known.get(word) for word in words], pa.float64()),
        }
    )


def marks_of(table: pa.Table, *, file: Path | None = None, column: str = "mark") -> dict[str, bool]:
    """Word → name or not, of the rows that carry a mark."""
    for name in ("word", column):
        if name not in table.column_names:
            raise InputError(f"a review needs the columns 'word' and '{column}'", file=file, column=name)
    marks: dict[str, bool] = {}
    for row, (word, mark) in enumerate(zip(table["word"].to_pylist(), table[column].to_pylist(), strict=True), start=2):
        text = (mark or "").strip().lower()
        if text and text not in MARKS:
            raise InputError("expected the mark 'name' or 'word', or nothing yet", file=file, column=column, row=row)
        if text and word:
            marks[str(word).lower()] = MARKS[text]
    return marks


def merge(first: Mapping[str, bool], second: Mapping[str, bool], listed: int | None = None) -> Merged:
    """Where both reviewers agree their mark holds; where they differ nobody's does until they have talked."""
    both = sorted(first.keys() & second.keys())
    differ = tuple(word for word in both if first[word] != second[word])
    marks = {**first, **second}
    for word in differ:
        del marks[word]
    return Merged(
        marks=marks,
        disagreements=differ,
        unmarked=max((listed or len(marks) + len(differ)) - len(marks) - len(differ), 0),
        agreement=cohen_kappa([first[word] for word in both], [second[word] for word in both]),
    )


def merge_files(first: Path, second: Path, folder: Path, *, column: str = "mark") -> ReviewResult:
    """Two marked lists in, the agreed marks and the list of disagreements out, as CSV in `folder`."""
    tables = [engine.arrow(path) for path in (first, second)]
    marks = [marks_of(table, file=path, column=column) for table, path in zip(tables, (first, second), strict=True)]
    merged = merge(marks[0], marks[1], listed=len({*tables[0]["word"].to_pylist(), *tables[1]["word"].to_pylist()}))
    folder.mkdir(parents=True, exist_ok=True)
    agreed = folder / ("labels.csv" if column == "label" else "names.csv")
    words = sorted(merged.marks)
    _write(agreed, {"word": words, column: ["name" if merged.marks[word] else "word" for word in words]})
    if not merged.disagreements:
        return ReviewResult(merged=merged, marks_file=agreed, disagreements_file=None)
    differ = folder / "disagreements.csv"
    differing = list(merged.disagreements)
    _write(
        differ,
        {
            "word": differing,
            "first": ["name" if marks[0][word] else "word" for word in differing],
            "second": ["name" if marks[1][word] else "word" for word in differing],
            column: [""] * len(differing),
        },
    )
    return ReviewResult(merged=merged, marks_file=agreed, disagreements_file=differ)


def _write(path: Path, columns: Mapping[str, list[str]]) -> None:
    pc.write_csv(pa.table({name: pa.array(values, pa.string()) for name, values in columns.items()}), path)
    path.chmod(0o600)
