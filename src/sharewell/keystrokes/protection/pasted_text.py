"""Cells of several characters that name no key are text: pasted, completed or dictated. They are no keystrokes.

Whatever stands in them, an address, a number or a whole answer, becomes one placeholder.
"""

import ibis
import numpy as np
from ibis.expr.types import Table

from sharewell.data import engine
from sharewell.keystrokes.keygroups import NO_CODE, PASTED, are_codes, is_key_name

LONGEST_CODE = 5  # digits: the codes of keyboards and browsers end below 100,000


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
