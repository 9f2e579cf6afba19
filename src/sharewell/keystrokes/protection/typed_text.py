"""What was typed: names and identifiers in it go, the times stay.

The text of a session is rebuilt twice: as it stood in the end, and with everything that was taken back by three
backspaces or more still in it, each on a line of its own. A name with a slip is found in the one, a name that was typed
and deleted again in the other. Both are handed to a redaction that this package does not know (the pipeline brings
it), and the keys of what it takes out become one placeholder, with what was deleted before and within. Cells of several
characters that name no key are text as well, pasted, completed or dictated: whatever they say becomes a placeholder.
"""

import builtins
import keyword
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import ibis
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from ibis.expr.types import Table

from sharewell.data import engine
from sharewell.keystrokes.arrays import Array
from sharewell.keystrokes.columns import KeyColumns, canonical
from sharewell.keystrokes.keygroups import NO_CODE, PASTED, PLACEHOLDER, are_codes, is_key_name
from sharewell.keystrokes.texts import CODE_NAMES, SIGNS, WRITTEN

Redact = Callable[[Sequence[str]], list[str]]
AT_ONCE = 2_000  # sessions
ROWS = 200_000  # that come from the engine together
LONGEST_CODE = 5  # digits: the codes of keyboards and browsers end below 100,000
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


def without_names(table: Table, columns: KeyColumns, redact: Redact) -> tuple[Table, int]:
    """The table with a placeholder for every key of what `redact` takes out of the typed text, and how many."""
    assert columns.key is not None
    number, mark = (engine.fresh(table.columns, stem) for stem in ("typed", "gone"))
    numbered = engine.materialise(table.mutate(**{number: ibis.row_number()}))
    events = canonical(numbered, columns, row=number)
    codes = are_codes(engine.arrow(engine.distinct(events, ["key"]))["key"].fill_null("").to_pylist())
    ordered = events.order_by("student", "session", "press", "row").select("student", "session", "key", "row")
    gone = pa.concat_arrays([pa.array([], pa.int64()), *_rows_gone(ordered, codes, redact)])
    marked = pa.table({number: gone, mark: np.ones(len(gone), dtype=bool)})
    joined = numbered.left_join(engine.materialise(engine.listed(marked)), number)
    old = numbered[columns.key]
    placeholder = ibis.literal(NO_CODE if codes else PLACEHOLDER).cast(old.type())
    shown = joined[mark].ifelse(placeholder, joined[columns.key])
    replaced = joined.order_by(number).mutate(**{columns.key: shown})
    return engine.materialise(replaced.select(*table.columns)), len(gone)


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


def _rows_gone(events: Table, codes: bool, redact: Redact) -> Iterator[pa.Array]:
    """The numbers of the rows that belong to what is taken out; sessions pass many at once, and no more are held."""
    before = ""
    for rows in _some_sessions(events):
        encoded = rows["key"].fill_null("").combine_chunks().dictionary_encode()
        names = [CODE_NAMES.get(key, key) if codes else key for key in encoded.dictionary.to_pylist()]
        key = encoded.indices.to_numpy()
        plain, shifted = (np.array([_character(one, codes, with_shift) for one in names], dtype=object)
                          for with_shift in (False, True))  # fmt: skip
        is_shift = np.array([name.lower() == "shift" for name in names])[key]
        characters = np.where(np.append(before == "shift", is_shift[:-1]), shifted[key], plain[key])
        before = names[key[-1]].lower()
        gone = _gone(np.append(_starts(rows), rows.num_rows), characters, redact)
        yield rows["row"].filter(pa.array(gone)).combine_chunks().cast(pa.int64())


def _some_sessions(events: Table) -> Iterator[pa.Table]:
    """The rows of so many whole sessions at a time, in order."""
    held = engine.arrow(events.limit(0))
    for batch in engine.batches(events, ROWS):
        held = pa.concat_tables([held, pa.Table.from_batches([batch]).cast(held.schema)])
        starts = _starts(held)
        while len(starts) > AT_ONCE:  # where a further one begins the others are whole
            yield held.slice(0, starts[AT_ONCE])
            held, starts = held.slice(starts[AT_ONCE]), starts[AT_ONCE:] - starts[AT_ONCE]
    if held.num_rows:
        yield held


def _starts(rows: pa.Table) -> Array:
    """Where sessions begin."""
    student, session = (rows[name].combine_chunks() for name in ("student", "session"))
    another = pc.or_(pc.not_equal(student[1:], student[:-1]), pc.not_equal(session[1:], session[:-1]))
    return np.flatnonzero(np.append(np.ones(min(1, len(student)), dtype=bool), np.asarray(another)))


def _character(key: str, codes: bool, shifted: bool) -> str:
    """What a key writes: a character, "\\b" for one that erases, nothing for the others."""
    low = key.lower()
    if low in _ERASING:
        return "\b"
    if codes and key.isdecimal():
        letter = chr(int(key)) if 48 <= int(key) <= 90 else SIGNS.get(key, "")
        return letter if shifted else letter.lower()
    return WRITTEN.get(low, key if len(key) == 1 else "")


def _gone(starts: Array, characters: Array, redact: Redact) -> Array:
    """Which events belong to what is taken out of sessions that are handed over together."""
    gone = np.zeros(len(characters), dtype=bool)
    texts = [text for start, end in pairwise(starts) for text in _texts(characters, start, end)]
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
    shown, places = characters[start:end].copy(), list[int]()
    erases = shown == "\b"
    writes, edges = (shown != "") & ~erases, np.flatnonzero(np.diff(erases, prepend=False, append=False))
    at = 0
    for first, after in edges.reshape(-1, 2).tolist():  # runs of backspaces
        places += (at + np.flatnonzero(writes[at:first])).tolist()
        if after - first >= keep_from:
            shown[after - 1] = "\n"
            places.append(after - 1)
        else:
            del places[max(0, len(places) - (after - first)) :]
        at = after
    places += (at + np.flatnonzero(writes[at:])).tolist()
    last = np.array(places, dtype=np.int64)
    first = np.append(0, last[:-1] + 1)[: len(last)]  # what was undone goes with what follows
    return Text("".join(shown[last].tolist()), start + first, start + last)


def without_pastes(table: Table, key: str) -> tuple[Table, int]:
    """The table with a placeholder for every cell that is text, and how many there were."""
    cells = table[key].cast("string")
    distinct = engine.arrow(table.select(key=cells).distinct())["key"].drop_null().to_pylist()
    codes = are_codes([one for one in distinct if len(one) <= LONGEST_CODE])
    texts = [one for one in distinct if not _is_key(one, codes)]
    if not texts:
        return table, 0
    is_text = cells.isin(texts)
    count = int(engine.value(is_text.sum()) or 0)
    placeholder = ibis.literal(NO_CODE if codes else PASTED).cast(table[key].type())
    return table.mutate(**{key: is_text.ifelse(placeholder, table[key])}), count


def _is_key(cell: str, codes: bool) -> bool:
    if codes and cell.isdecimal():
        return len(cell) <= LONGEST_CODE
    return len(cell) <= 1 or is_key_name(cell) or _is_one_character(cell)


def _is_one_character(cell: str) -> bool:
    """A letter with its accents or an emoji with its modifiers is several code points and one key."""
    marks = [one for one in cell[1:] if not (0x300 <= ord(one) <= 0x36F or ord(one) in _JOINING)]
    return not marks


_JOINING = {0x200D, 0xFE0E, 0xFE0F, *np.arange(0x1F3FB, 0x1F400).tolist()}
