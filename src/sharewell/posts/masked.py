"""Posts whose patterns are masked: once for all passes over them, in parts on disk, however many there are.

Every pass is a map over the parts: in this process on DuckDB, by workers on Spark. A pass receives what it needs of
the whole and returns counts; texts stay in files.
"""

import shutil
import uuid
import weakref
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from pathlib import Path
from typing import Any

import pyarrow as pa

from sharewell.data import engine
from sharewell.data.scratch import scratch
from sharewell.posts import cells
from sharewell.posts.protection.plain_style import evened
from sharewell.text.patterns import Numbers, mask
from sharewell.text.roster import Roster
from sharewell.text.tokens import Tokens, tokenize
from sharewell.text.unseen import as_read
from sharewell.text.unspaced import without_names

FOUND = pa.schema([("what", pa.string()), ("count", pa.int64())])
NUMBER = pa.field("part", pa.int64())


@dataclass(frozen=True, kw_only=True)
class Part:
    """Some posts in a file of their own; where one part holds all of them, its words are looked for once."""

    number: int
    first: int  # posts in the parts before
    rows: int
    path: Path
    columns: tuple[str, ...]
    alone: bool

    def batch(self) -> pa.RecordBatch:
        return stored(self.path)

    def tokens(self) -> Tokens:
        """The words of all text cells, column after column."""
        return self._kept if self.alone else self._looked_for()

    @cached_property
    def _kept(self) -> Tokens:
        return self._looked_for()

    def _looked_for(self) -> Tokens:
        return tokenize(cells.cells(self.batch(), self.columns))


@dataclass(frozen=True, kw_only=True)
class Masking:
    """What goes out of every part before its words are looked at, and the folder for what is left."""

    numbers: Numbers
    roster: Roster | None
    plain: bool
    folder: Path


class MaskedPosts:
    """A copy of posts with masked text columns, gone with this object; `found` counts what was masked, by kind."""

    def __init__(
        self,
        posts: Any,
        columns: Sequence[str],
        *,
        numbers: Numbers = "identifying",
        roster: Roster | None = None,
        plain: bool = False,
        where: engine.Engine = engine.DUCKDB,
    ) -> None:
        """Names in scripts without spaces are masked wherever they stand, inside words as well.

        `plain`: the posts leave in a plainer way of writing. What it takes out goes before anything is looked for: an
        address that a symbol cut in two would come together again behind the search.
        """
        folder = scratch() / f"posts-{uuid.uuid4().hex}"
        weakref.finalize(self, shutil.rmtree, folder, ignore_errors=True)
        masking = Masking(numbers=numbers, roster=roster, plain=plain, folder=folder / "masked")
        masking.folder.mkdir(parents=True)
        as_written = _cut(posts, tuple(columns), folder)
        self._where = where
        self.found = added_up(_each(where, as_written, partial(_masked, masking), FOUND))
        self.parts = [replace(part, path=masking.folder / part.path.name) for part in as_written]
        for part in as_written:
            part.path.unlink()

    def each(self, work: Callable[[Tokens], pa.Table], like: pa.Schema) -> Iterator[pa.Table]:
        """What `work` makes of the words of every part, in their order."""
        return self.each_part(partial(_of_words, work), like)

    def each_part(self, work: Callable[[Part], pa.Table], like: pa.Schema) -> Iterator[pa.Table]:
        """What `work` makes of every part, in their order."""
        return _each(self._where, self.parts, work, like)


def tallied(found: Mapping[str, int]) -> pa.Table:
    """What a pass found in one part, by kind."""
    return pa.table([list(found), list(found.values())], FOUND)


def added_up(tables: Iterable[pa.Table]) -> Counter[str]:
    """What a pass found in all parts."""
    found: Counter[str] = Counter()
    for table in tables:
        for what, count in zip(table["what"].to_pylist(), table["count"].to_pylist(), strict=True):
            found[what] += count
    return found


def store(batch: pa.RecordBatch, path: Path) -> None:
    """Complete or not at all: a worker that is given a part a second time may still write while others read."""
    begun = path.with_name(f"{path.name}-{uuid.uuid4().hex}")
    with pa.OSFile(str(begun), "wb") as file, pa.ipc.new_stream(file, batch.schema) as writer:
        writer.write_batch(batch)
    begun.replace(path)


def stored(path: Path) -> pa.RecordBatch:
    with pa.OSFile(str(path)) as file, pa.ipc.open_stream(file) as reader:
        return reader.read_next_batch()


def _cut(posts: Any, columns: tuple[str, ...], folder: Path) -> list[Part]:
    """The posts in parts of the same size on every engine."""
    parts: list[Part] = []
    for batch in cells.batches(posts, columns):
        number, first = (parts[-1].number + 1, parts[-1].first + parts[-1].rows) if parts else (0, 0)
        path = folder / f"part-{number:06d}.arrow"
        store(batch, path)
        parts.append(Part(number=number, first=first, rows=len(batch), path=path, columns=columns, alone=False))
    return [replace(part, alone=len(parts) == 1) for part in parts]


def _each(
    where: engine.Engine, parts: Sequence[Part], work: Callable[[Part], pa.Table], like: pa.Schema
) -> Iterator[pa.Table]:
    """Results in the order of the parts: words are numbered as they appear, wherever they were counted."""
    for table in where.each(partial(_numbered, work), parts, like.append(NUMBER)):
        yield table.sort_by(NUMBER.name).drop_columns(NUMBER.name)


def _numbered(work: Callable[[Part], pa.Table], part: Part) -> pa.Table:
    made = work(part)
    return made.append_column(NUMBER, [pa.repeat(pa.scalar(part.number, NUMBER.type), len(made))])


def _of_words(work: Callable[[Tokens], pa.Table], part: Part) -> pa.Table:
    return work(part.tokens())


def _masked(masking: Masking, part: Part) -> pa.Table:
    """One part without what follows a pattern, written down; how much of each kind it was."""
    found: Counter[str] = Counter()
    batch, clean = part.batch(), []
    for text in cells.cells(batch, part.columns):
        seen = evened(as_read(text)) if masking.plain else as_read(text)
        done = mask(seen, numbers=masking.numbers)
        rest, names = _without_unspaced(done.text, masking.roster)
        found.update(done.found)
        found["NAME"] += names
        clean.append(rest)
    store(cells.rewritten(batch, part.columns, clean), masking.folder / part.path.name)
    return tallied(found)


def _without_unspaced(text: str, roster: Roster | None) -> tuple[str, int]:
    found = 0
    if roster is not None:
        text, split = roster.without_split(text)
        text, unspaced = roster.without_unspaced(text)
        found = split + unspaced
    clean, more = without_names(text)
    return clean, found + more
