"""Posts whose patterns are masked: once for all passes over them, in batches on disk, however many there are."""

import uuid
import weakref
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa

from sharewell.data.scratch import scratch
from sharewell.posts import cells
from sharewell.text.patterns import Numbers, mask
from sharewell.text.roster import Roster
from sharewell.text.unspaced import without_names


class MaskedPosts:
    """A copy of posts with masked text columns, gone with this object; `found` counts what was masked, by kind."""

    def __init__(
        self, posts: Any, columns: Sequence[str], numbers: Numbers = "identifying", roster: Roster | None = None
    ) -> None:
        """Names in scripts without spaces are masked wherever they stand, inside words as well."""
        self.columns = tuple(columns)
        self._roster = roster
        self.found: Counter[str] = Counter()
        self._numbers = numbers
        self._path = scratch() / f"masked-{uuid.uuid4().hex}.arrow"
        weakref.finalize(self, self._path.unlink, missing_ok=True)
        self.schema = _spool((self._masked(batch) for batch in cells.batches(posts, self.columns)), self._path)

    def batches(self) -> Iterator[pa.RecordBatch]:
        with pa.OSFile(str(self._path)) as file, pa.ipc.open_stream(file) as stored:
            yield from stored

    def cells(self) -> Iterator[list[str]]:
        """All text cells, a batch at a time."""
        return (cells.cells(batch, self.columns) for batch in self.batches())

    def _masked(self, batch: pa.RecordBatch) -> pa.RecordBatch:
        return cells.rewritten(batch, self.columns, self._rewrite)

    def _rewrite(self, texts: list[str]) -> list[str]:
        done = [mask(text, numbers=self._numbers) for text in texts]
        for part in done:
            self.found.update(part.found)
        return [self._without_unspaced(part.text) for part in done]

    def _without_unspaced(self, text: str) -> str:
        clean, found = self._roster.without_unspaced(text) if self._roster is not None else (text, 0)
        clean, more = without_names(clean)
        self.found["NAME"] += found + more
        return clean


def _spool(batches: Iterator[pa.RecordBatch], path: Path) -> pa.Schema:
    """Write the batches; the schema that they share."""
    first = next(batches)
    with pa.OSFile(str(path), "wb") as file, pa.ipc.new_stream(file, first.schema) as writer:
        writer.write_batch(first)
        for batch in batches:
            writer.write_batch(batch)
    return first.schema
