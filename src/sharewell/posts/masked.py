"""Posts whose patterns are masked: once for all passes over them, in batches on disk, however many there are."""

import re
import uuid
import weakref
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa

from sharewell.data import engine
from sharewell.posts import texts
from sharewell.posts.patterns import NAME, Numbers, mask


class MaskedPosts:
    """A copy of posts with masked text columns, gone with this object; `found` counts what was masked, by kind."""

    def __init__(self, posts: Any, columns: Sequence[str], numbers: Numbers = "all", names: Sequence[str] = ()) -> None:
        """`names` are masked wherever they stand, inside words as well."""
        self.columns = tuple(columns)
        self._names = re.compile("|".join(map(re.escape, names))) if names else None
        self.found: Counter[str] = Counter()
        self._numbers = numbers
        self._path = engine.scratch() / f"masked-{uuid.uuid4().hex}.arrow"
        weakref.finalize(self, self._path.unlink, missing_ok=True)
        self.schema = _spool((self._masked(batch) for batch in texts.batches(posts, self.columns)), self._path)

    def batches(self) -> Iterator[pa.RecordBatch]:
        with pa.OSFile(str(self._path)) as file, pa.ipc.open_stream(file) as stored:
            yield from stored

    def cells(self) -> Iterator[list[str]]:
        """All text cells, a batch at a time."""
        return (texts.cells(batch, self.columns) for batch in self.batches())

    def _masked(self, batch: pa.RecordBatch) -> pa.RecordBatch:
        return texts.rewritten(batch, self.columns, self._rewrite)

    def _rewrite(self, cells: list[str]) -> list[str]:
        done = [mask(cell, numbers=self._numbers) for cell in cells]
        for part in done:
            self.found.update(part.found)
        texts = [part.text for part in done]
        return texts if self._names is None else [self._without_names(text, self._names) for text in texts]

    def _without_names(self, text: str, names: re.Pattern[str]) -> str:
        clean, found = names.subn(NAME, text)
        self.found["NAME"] += found
        return clean


def _spool(batches: Iterator[pa.RecordBatch], path: Path) -> pa.Schema:
    """Write the batches; the schema that they share."""
    first = next(batches)
    with pa.OSFile(str(path), "wb") as file, pa.ipc.new_stream(file, first.schema) as writer:
        writer.write_batch(first)
        for batch in batches:
            writer.write_batch(batch)
    return first.schema
