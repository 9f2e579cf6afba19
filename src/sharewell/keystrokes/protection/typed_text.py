"""What was typed: names and identifiers in it go, the times stay.

The text of a session is rebuilt twice: as it stood in the end, and with everything that was taken back by three
backspaces or more still in it, each on a line of its own. A name with a slip is found in the one, a name that was typed
and deleted again in the other. Both are handed to a redaction that this package does not know (the pipeline brings
it), and the keys of what it takes out become one placeholder, with what was deleted before and within.
"""

import builtins
import keyword
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

import ibis
import numpy as np
import pyarrow as pa
from ibis.expr.types import Table

from sharewell.data import engine
from sharewell.keystrokes.arrays import Array
from sharewell.keystrokes.columns import Columns, canonical
from sharewell.keystrokes.keygroups import NO_CODE, PLACEHOLDER, are_codes
from sharewell.keystrokes.texts import CODE_NAMES, SIGNS, WRITTEN

Redact = Callable[[Sequence[str]], list[str]]
AT_ONCE = 2_000  # sessions
TAKEN_BACK = 3  # backspaces in a row: fewer correct a slip
_JAVA = "String System Integer Double Boolean Character Object Scanner ArrayList HashMap Math Random List Map Override"
LANGUAGE = frozenset([*keyword.kwlist, *dir(builtins), *_JAVA.split()])  # capitals that name nobody
_MARK = re.compile(r"\[[A-Z]+\]")
_ERASING = {"backspace", "bksp", "⌫", "\b"}


@dataclass(frozen=True)
class Text:
    """A rebuilt text, and the events from which to which go with each of its characters."""

    written: str
    first: Array
    last: Array

    def mark(self, gone: Array, start: int, end: int) -> None:
        for first, last in zip(self.first[start:end], self.last[start:end], strict=True):
            gone[first : last + 1] = True


def without_names(table: Table, columns: Columns, redact: Redact) -> tuple[Table, int]:
    """The table with a placeholder for every key of what `redact` takes out of the typed text, and how many."""
    assert columns.key is not None
    number, mark = (engine.fresh(table.columns, stem) for stem in ("typed", "gone"))
    numbered = engine.materialise(table.mutate(**{number: ibis.row_number()}))
    events = canonical(numbered, columns, row=number).order_by("student", "session", "press", "row")
    rows = engine.arrow(events.select("student", "session", "key", "row"))
    keys = rows["key"].fill_null("").to_pylist()
    codes = are_codes(sorted(set(keys)))
    named = [CODE_NAMES.get(key, key) for key in keys] if codes else keys
    gone = _gone(rows, np.array(list(_characters(named, codes)), dtype=object), redact)
    marked = pa.table({number: rows["row"].filter(pa.array(gone)), mark: np.ones(int(gone.sum()), dtype=bool)})
    joined = numbered.left_join(engine.materialise(engine.listed(marked)), number)
    old = numbered[columns.key]
    placeholder = ibis.literal(NO_CODE if codes else PLACEHOLDER).cast(old.type())
    shown = joined[mark].ifelse(placeholder, joined[columns.key])
    replaced = joined.order_by(number).mutate(**{columns.key: shown})
    return engine.materialise(replaced.select(*table.columns)), int(gone.sum())


def removed(before: str, after: str) -> list[tuple[int, int]]:
    """The parts of a text that placeholders stand for in the other; what is kept there is kept here, in order."""
    pieces = _MARK.split(after)
    spans: list[tuple[int, int]] = []
    at = len(pieces[0])
    for place, piece in enumerate(pieces[1:], start=2):
        last = place == len(pieces)
        found = len(before) - len(piece) if last else before.find(piece, at + (1 if piece else 0))
        if found < at or not before.startswith(piece, found):
            return [*spans, (at, len(before))]  # cannot be told apart: rather too much than too little
        if found > at:
            spans.append((at, found))
        at = found + len(piece)
    return spans


def _characters(keys: Sequence[str], codes: bool) -> Iterator[str]:
    """What each key writes: a character, "\\b" for one that erases, nothing for the others."""
    before = ""
    for key in keys:
        low = key.lower()
        if low in _ERASING:
            yield "\b"
        elif codes and key.isdecimal():
            letter = chr(int(key)) if 48 <= int(key) <= 90 else SIGNS.get(key, "")
            yield letter if before == "shift" else letter.lower()
        else:
            yield WRITTEN.get(low, key if len(key) == 1 else "")
        before = low


def _gone(rows: pa.Table, characters: Array, redact: Redact) -> Array:
    """Which events belong to what is taken out; sessions are handed over many at once."""
    names = zip(rows["student"].to_pylist(), rows["session"].to_pylist(), strict=True)
    sizes = [sum(1 for _ in group) for _, group in groupby(names)]
    starts = np.concatenate([[0], np.cumsum(sizes)])
    gone = np.zeros(len(characters), dtype=bool)
    for first in range(0, len(sizes), AT_ONCE):
        some = range(first, min(first + AT_ONCE, len(sizes)))
        texts = [text for one in some for text in _texts(characters, starts[one], starts[one + 1])]
        for text, after in zip(texts, redact([text.written for text in texts]), strict=True):
            for start, end in removed(text.written, after):
                if text.written[start:end] not in LANGUAGE:
                    text.mark(gone, start, end)
    return gone


def _texts(characters: Array, start: int, end: int) -> Iterator[Text]:
    """The text of one session as it stood in the end, and with what was taken back at length."""
    yield _rebuilt(characters, start, end, end - start + 1)
    yield _rebuilt(characters, start, end, TAKEN_BACK)


def _rebuilt(characters: Array, start: int, end: int, keep_from: int) -> Text:
    """Backspaces take away, unless so many follow each other: then they begin a new line instead."""
    written: list[tuple[str, int]] = []
    event = start
    while event < end:
        run = event
        while run < end and characters[run] == "\b":
            run += 1
        if run - event >= keep_from:
            written.append(("\n", run - 1))
        elif run > event:
            del written[max(0, len(written) - (run - event)) :]
        elif characters[event]:
            written.append((characters[event], event))
        event = max(run, event + 1)
    last = np.array([place for _, place in written], dtype=np.int64)
    first = np.concatenate([[start], last[:-1] + 1]) if written else last  # what was undone goes with what follows
    return Text("".join(character for character, _ in written), first, last)
