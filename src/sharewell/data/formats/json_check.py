"""Every byte of a JSON file looked at once, before DuckDB reads it.

DuckDB gives up its database over a value that is nested thousands deep, takes NaN and Infinity for numbers, which JSON
does not have, and shortens a decimal to what a double holds. Each of them is refused here, with the line.
"""

from pathlib import Path

import numpy as np

from sharewell.data.formats.text import chunks
from sharewell.errors import InputError
from sharewell.plan.sizes import Sizes
from sharewell.stats.arrays import Array
from sharewell.stats.compiled import njit

DEEPEST = 100
DIGITS_KEPT = 17  # of a double, IEEE 754: more of them would change
LARGEST_EXPONENT = 300

# what the kernel carries from chunk to chunk
STRING, ESCAPE, DEPTH, LINE, LAST, NUMBER, DIGITS, DECIMAL, EXPONENT, IN_EXPONENT, ERROR, SIZE = range(12)
# what can be wrong
DEEP, NO_NUMBER, LONG = 1, 2, 3

PROBLEMS = {
    DEEP: f"is nested more than {DEEPEST} deep; expected one value per name",
    NO_NUMBER: "holds NaN or Infinity, which JSON does not have; leave the value out or write null",
    LONG: f"holds a decimal of more than {DIGITS_KEPT} digits, which would change; write it as text",
}


def check_json(path: Path, compression: str | None, *, shown_as: Path, sizes: Sizes) -> None:
    """Read the whole file once; what cannot be kept as it stands is an InputError that names the line."""
    seen = np.zeros(SIZE, dtype=np.int64)
    seen[LINE] = 1
    for piece in chunks(path, compression):
        _scan(np.frombuffer(piece, dtype=np.uint8), seen)
        if seen[ERROR]:
            raise InputError(f"line {int(seen[LINE])} {PROBLEMS[int(seen[ERROR])]}", file=shown_as)
        sizes.check_rows(int(seen[LINE]) - 1, shown_as)


@njit(cache=True)
def _scan(data: Array, seen: Array) -> None:
    for byte in data:
        if byte == 10:
            seen[LINE] += 1
        if seen[STRING]:
            _in_string(byte, seen)
        else:
            _outside(byte, seen)
            if seen[ERROR]:
                return
        seen[LAST] = byte


@njit(cache=True)
def _in_string(byte: int, seen: Array) -> None:
    if seen[ESCAPE]:
        seen[ESCAPE] = 0
    elif byte == 92:  # \
        seen[ESCAPE] = 1
    elif byte == 34:  # "
        seen[STRING] = 0


@njit(cache=True)
def _outside(byte: int, seen: Array) -> None:
    if seen[NUMBER]:
        if _goes_on(byte, seen):
            return
        _end_number(seen)
    if byte == 34:
        seen[STRING] = 1
    elif byte == 123 or byte == 91:  # { [
        seen[DEPTH] += 1
        if seen[DEPTH] > DEEPEST:
            seen[ERROR] = DEEP
    elif byte == 125 or byte == 93:  # } ]
        seen[DEPTH] = max(seen[DEPTH] - 1, 0)
    elif 48 <= byte <= 57:
        seen[NUMBER], seen[DIGITS], seen[DECIMAL], seen[EXPONENT], seen[IN_EXPONENT] = 1, byte != 48, 0, 0, 0
    elif (byte | 32) == 105 or ((byte | 32) == 97 and (seen[LAST] | 32) == 110):  # i of Infinity, na of NaN
        seen[ERROR] = NO_NUMBER


@njit(cache=True)
def _goes_on(byte: int, seen: Array) -> bool:
    """Whether the byte belongs to the number; leading zeros do not count as digits."""
    if 48 <= byte <= 57:
        if seen[IN_EXPONENT]:
            seen[EXPONENT] = min(10 * seen[EXPONENT] + byte - 48, 10_000)
        elif byte != 48 or seen[DIGITS]:
            seen[DIGITS] += 1
        return True
    if byte == 46:  # .
        seen[DECIMAL] = 1
        return True
    if (byte | 32) == 101:  # e
        seen[DECIMAL], seen[IN_EXPONENT] = 1, 1
        return True
    return byte == 43 or byte == 45


@njit(cache=True)
def _end_number(seen: Array) -> None:
    seen[NUMBER] = 0
    if seen[DECIMAL] and (seen[DIGITS] > DIGITS_KEPT or seen[EXPONENT] > LARGEST_EXPONENT):
        seen[ERROR] = LONG
