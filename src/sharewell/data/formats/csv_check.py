"""Every byte of a CSV file looked at once, before DuckDB reads it: are all rows as wide as the header?

The kernel follows RFC 4180 and what real files do besides: a quote inside an unquoted cell is a letter,
a blank may stand around the quotes of a cell, blank lines are skipped. It runs at hundreds of megabytes per
second in constant memory, and lets a message name the row that breaks a file without quoting it.
"""

import tempfile
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from sharewell.data.formats.names import told
from sharewell.data.formats.text import chunks
from sharewell.data.scratch import scratch
from sharewell.errors import InputError
from sharewell.plan.sizes import Sizes
from sharewell.stats.arrays import Array
from sharewell.stats.compiled import njit

MAX_FIELD = 10_000_000
QUOTE, LF, CR, BLANK = 34, 10, 13, 32

# where the kernel is in a cell
START, LEADING, PLAIN, QUOTED, CLOSED, TRAILING, INDENTED = range(7)
# what the kernel carries from chunk to chunk
(
    STATE,
    FIELDS,
    ROWS,
    LINE,
    FIELD_BYTES,
    ROW_BYTES,
    LONGEST,
    AFTER_CR,
    LFS,
    CRLFS,
    CRS,
    ERROR,
    BAD_ROW,
    BAD_LINE,
) = range(14)
(WIDTH, OPEN_ROW, OPEN_LINE, BAD_FIELD, SIZE) = range(14, 19)
# what can be wrong
NARROW, WIDE, AFTER_QUOTE, TOO_LONG, UNCLOSED, INDENTED_QUOTE = 1, 2, 3, 4, 5, 6


@dataclass(frozen=True, kw_only=True)
class Shape:
    """What the check saw of a sound file."""

    rows: int
    longest_line: int
    mixed_lines: bool


def check_csv(
    path: Path, compression: str | None, *, names: list[str], delimiter: str, shown_as: Path, sizes: Sizes
) -> Shape:
    """Read the whole file once; a row that breaks the table is an InputError that names it."""
    seen = np.zeros(SIZE, dtype=np.int64)
    seen[LINE] = 1
    seen[WIDTH] = len(names)
    for piece in chunks(path, compression):
        _scan(np.frombuffer(piece, dtype=np.uint8), seen, ord(delimiter), MAX_FIELD)
        if seen[ERROR]:
            raise _problem(seen, names, shown_as)
        sizes.check_rows(int(seen[ROWS]) - 1, shown_as)
    _finish(seen)
    if seen[ERROR]:
        raise _problem(seen, names, shown_as)
    if seen[ROWS] < 2:
        raise InputError("has a header and no rows; expected at least one row", file=shown_as)
    kinds_of_line_end = int((seen[[LFS, CRLFS, CRS]] > 0).sum())
    return Shape(rows=int(seen[ROWS]) - 1, longest_line=int(seen[LONGEST]), mixed_lines=kinds_of_line_end > 1)


def with_plain_lines(path: Path, compression: str | None, *, delimiter: str) -> Path:
    """A temporary copy of a sound file in which every row ends in a line feed; what stands inside quotes stays."""
    seen = np.zeros(SIZE, dtype=np.int64)
    with tempfile.NamedTemporaryFile(dir=scratch(), suffix=".csv", delete=False) as out:
        for piece in chunks(path, compression):
            data = np.frombuffer(piece, dtype=np.uint8)
            plain = np.empty(data.size, np.uint8)
            out.write(plain[: _copy_plain(data, seen, ord(delimiter), plain)].tobytes())
    return Path(out.name)


@njit(cache=True)
def _copy_plain(data: Array, seen: Array, delimiter: int, plain: Array) -> int:
    """The bytes with one line feed for every end of a row; returns how many they are."""
    written = 0
    for byte in data:
        after_cr = seen[AFTER_CR]
        seen[AFTER_CR] = 0
        if seen[STATE] != QUOTED and byte in (LF, CR):
            seen[STATE] = START
            seen[AFTER_CR] = byte == CR
            if byte == LF and after_cr:  # the second half of an end that is written already
                continue
            byte = LF
        else:
            _step(byte, seen, delimiter)
        plain[written] = byte
        written += 1
    return written


@njit(cache=True)
def _end_row(seen: Array) -> None:
    blank = seen[STATE] == START and seen[FIELDS] == 0
    if not blank:
        seen[FIELDS] += 1
        if seen[FIELDS] != seen[WIDTH]:
            _fail(seen, NARROW if seen[FIELDS] < seen[WIDTH] else WIDE)
        seen[ROWS] += 1
    seen[LONGEST] = max(seen[LONGEST], seen[ROW_BYTES])
    seen[LINE] += 1
    seen[STATE], seen[FIELDS], seen[FIELD_BYTES], seen[ROW_BYTES] = START, 0, 0, 0


@njit(cache=True)
def _fail(seen: Array, problem: int) -> None:
    if seen[ERROR] == 0:
        seen[ERROR], seen[BAD_ROW], seen[BAD_LINE], seen[BAD_FIELD] = (
            problem,
            seen[ROWS],
            seen[LINE],
            seen[FIELDS],
        )


@njit(cache=True)
def _scan(data: Array, seen: Array, delimiter: int, max_field: int) -> None:
    place = 0
    while place < len(data):
        ahead = _skip(data, place, seen[STATE], delimiter)
        if ahead > place:
            seen[AFTER_CR] = 0
            seen[ROW_BYTES] += ahead - place
            seen[FIELD_BYTES] += ahead - place
            place = ahead
            if seen[FIELD_BYTES] > max_field:
                _fail(seen, TOO_LONG)
                return
            continue
        byte = data[place]
        place += 1
        after_cr = seen[AFTER_CR]
        seen[AFTER_CR] = 0
        if byte == LF:
            if after_cr and seen[STATE] != QUOTED:
                seen[CRS] -= 1
                seen[CRLFS] += 1
                continue
            if seen[STATE] != QUOTED:
                seen[LFS] += 1
                _end_row(seen)
                if seen[ERROR]:
                    return
                continue
            seen[LINE] += 1 - after_cr
        elif byte == CR:
            seen[AFTER_CR] = 1
            if seen[STATE] != QUOTED:
                seen[CRS] += 1
                _end_row(seen)
                if seen[ERROR]:
                    return
                continue
            seen[LINE] += 1
        seen[ROW_BYTES] += 1
        seen[FIELD_BYTES] += 1
        _step(byte, seen, delimiter)
        if seen[ERROR]:
            return


@njit(cache=True)
def _skip(data: Array, place: int, state: int, delimiter: int) -> int:
    """Where the next byte that means something is; most bytes of a file are passed over here."""
    if state == PLAIN:
        while place < len(data) and data[place] != delimiter and data[place] != LF and data[place] != CR:
            place += 1
    elif state == QUOTED:
        while place < len(data) and data[place] != QUOTE and data[place] != LF and data[place] != CR:
            place += 1
    return place


@njit(cache=True)
def _step(byte: int, seen: Array, delimiter: int) -> None:
    """One byte of a row, which is not the end of it."""
    state = seen[STATE]
    if state == QUOTED:
        if byte == QUOTE:
            seen[STATE] = CLOSED
    elif byte == delimiter:
        seen[FIELDS] += 1
        seen[STATE], seen[FIELD_BYTES] = START, 0
    elif byte == QUOTE and state in (START, LEADING, CLOSED):
        if state != CLOSED:
            seen[OPEN_ROW], seen[OPEN_LINE] = seen[ROWS], seen[LINE]
        seen[STATE] = QUOTED
    elif byte == QUOTE and state == INDENTED:  # DuckDB takes one blank before a quote, and letters after more
        _fail(seen, INDENTED_QUOTE)
    elif state in (CLOSED, TRAILING):
        seen[STATE] = TRAILING
        if byte != BLANK:
            _fail(seen, AFTER_QUOTE)
    elif byte == BLANK and state != PLAIN:
        seen[STATE] = LEADING if state == START else INDENTED
    else:
        seen[STATE] = PLAIN


@njit(cache=True)
def _finish(seen: Array) -> None:
    if seen[STATE] == QUOTED:
        seen[ROWS], seen[LINE] = seen[OPEN_ROW], seen[OPEN_LINE]
        _fail(seen, UNCLOSED)
    elif seen[ROW_BYTES] > 0:
        _end_row(seen)


def _problem(seen: Array, names: list[str], path: Path) -> InputError:
    row, line, field = int(seen[BAD_ROW]), int(seen[BAD_LINE]), int(seen[BAD_FIELD])
    problem = {
        NARROW: f"has {field} cells and the header has {len(names)}; fill in the missing ones",
        WIDE: f"has more cells than the header's {len(names)}; put cells that hold the delimiter in quotes",
        AFTER_QUOTE: "goes on after a closing quote; double the quotes inside a cell",
        TOO_LONG: f"holds a cell over {MAX_FIELD // 1_000_000} MB; shorten it, or look for an unclosed quote",
        INDENTED_QUOTE: "has several blanks before an opening quote; take them out",
        UNCLOSED: "opens a quote that is never closed; close it, or double the quotes inside a cell",
    }[int(seen[ERROR])]
    where = "the header" if row == 0 else f"line {line}"
    in_a_cell = int(seen[ERROR]) in (AFTER_QUOTE, TOO_LONG, INDENTED_QUOTE)
    column = told(names, names[field]) if field < len(names) and in_a_cell else None
    return InputError(f"{where} {problem}", file=path, column=column, row=row or None)
