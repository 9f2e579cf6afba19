"""What people decide before a release: lists to mark, written where the next run reads them, marks never lost."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa

from sharewell import examine, kinds, progress
from sharewell.contract import Study
from sharewell.data import engine, formats, sources
from sharewell.data.formats.formulas import as_they_were
from sharewell.data.keyed import Keyed, new_key
from sharewell.plan.document import Plan
from sharewell.release import place, write
from sharewell.release.place import Place

MARKS = ("mark", "label")  # a private table with one of these columns is a list for people to fill in


@dataclass(frozen=True, kw_only=True)
class ReviewList:
    """A list that waits for a person, and how far it is."""

    path: Path
    rows: int
    marked: int


def lists(
    plan: Plan, *, root: Path | None = None, study: Callable[[str, Study], None] = lambda label, opened: None
) -> list[ReviewList]:
    """Write every list that people mark; what was marked earlier stays marked.

    For more than the lists say there is each file under study, by the label of its section.
    """
    where = Place(root or plan.folder)
    place.prepare(where, replace=True)
    with place.clear_sentences(where.private), place.only_one_at_a_time(where):
        data = sources.read(plan, review=where.private / "review")
        keyed = Keyed(new_key(), "release")
        found = []
        for section in plan.sections:
            kind, deciding = kinds.load(section.kind), f"{section.label}: looking for what people must decide"
            with progress.step(deciding), engine.one_of(kind.engines):
                opened = kind.open(examine.job_of(section, plan, data, keyed))
                private = opened.protect().private
            marked = {stem: table for stem, table in private.items() if _mark_column(table) is not None}
            found += [_written(where, section.label, stem, table) for stem, table in marked.items()]
            if marked:
                study(section.label, opened)
        return found


def _written(where: Place, label: str, stem: str, made: pa.Table) -> ReviewList:
    column = _mark_column(made)
    assert column is not None
    earlier = _earlier_marks(where.private / "review" / label / f"{stem}.csv", column)
    rows = made[_key_column(made)].to_pylist()
    marks = [earlier.get(row) or mark for row, mark in zip(rows, made[column].to_pylist(), strict=True)]
    kept = made.set_column(made.column_names.index(column), column, pa.array(marks, pa.string()))
    path = write.review_table(where, label, stem, kept)
    return ReviewList(path=path, rows=len(rows), marked=sum(bool(mark) for mark in marks))


def _earlier_marks(path: Path, column: str) -> Mapping[str, str]:
    if not path.exists():
        return {}
    found = table(path)
    return dict(zip(found[_key_column(found)].to_pylist(), found[column].to_pylist(), strict=True))


def table(path: Path) -> Any:
    """A list as people left it, whatever their spreadsheet made of it."""
    return engine.arrow(as_they_were(formats.read(path).table))


def _key_column(table: Any) -> str:
    """What a row is about: one place of a word, or the word."""
    return "place" if "place" in table.column_names else "word"


def _mark_column(table: Any) -> str | None:
    return next((name for name in MARKS if name in table.column_names), None)
