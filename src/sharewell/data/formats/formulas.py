"""Cells that a spreadsheet would run: `=HYPERLINK(…)` in a released file is an attack on whoever opens it.

A cell is taken as a formula by its first visible character: blanks, zero-width and other invisible characters in front
of it do not help, nor do the full-width forms that spreadsheets of East Asia read alike. Such text gets an apostrophe
in front; plain numbers such as -3.5 do not.
"""

import re
import unicodedata
from collections.abc import Sequence
from pathlib import Path

import ibis
import pyarrow as pa
import pyarrow.compute as pc
from ibis.expr.types import Table

from sharewell.data import backends
from sharewell.errors import InputError

FILLERS = "\u034f\u115f\u1160\u3164\uffa0\u180b\u180c\u180d" + "".join(map(chr, range(0xFE00, 0xFE10)))
UNSEEN = rf"[\s\p{{Z}}\p{{Cf}}\p{{Cc}}{FILLERS}]*"  # RE2: blanks of every kind, format and control characters
LEADS = r"=+\-@\x{FF1D}\x{FF0B}\x{FF0D}\x{FF20}\x{FE62}\x{FE63}\x{FE66}\x{FE6B}\x{207A}\x{208A}\x{2212}"
FORMULA = rf"^(?:{UNSEEN}[{LEADS}]|[\t\r\n])"
GUARDED = rf"^'({UNSEEN}[{LEADS}]|[\t\r\n])"
# a sign alone is how many systems write "nothing"
PLAIN_NUMBER = r"^(?:[+-]|[+-]?([0-9]+[.,]?[0-9]*|[.,][0-9]+)([eE][+-]?[0-9]+)?)$"
WIDE = 50
_LEAD = re.compile("[=+\\-@＝＋－＠﹢﹣﹦﹫⁺₊−]")
_WORD = re.compile(r"@[^\W\d]\w*")  # @timestamp and the like call nothing


def without_formulas(table: Table) -> Table:
    """Text cells that begin like a formula, with an apostrophe in front."""
    texts = [name for name, kind in table.schema().items() if kind.is_string()]
    if len(texts) > WIDE:  # a pattern per column takes longer to prepare than the rows to look at
        table = backends.materialise(table)
        texts = _suspicious(table, texts)
    if not texts:
        return table
    safe = {}
    for name in texts:
        cell = table[name]
        runs = cell.re_search(FORMULA) & ~cell.re_search(PLAIN_NUMBER)
        safe[name] = ibis.ifelse(runs, "'" + cell, cell)
    return table.mutate(**safe)


def _suspicious(table: Table, texts: list[str]) -> list[str]:
    """The columns in which a cell begins with anything but a letter or digit of ASCII."""
    marks = backends.figures(
        table, [f"bool_or(regexp_matches({backends.named(name)}, '^[^0-9A-Za-z]'))" for name in texts]
    )
    return [name for name, mark in zip(texts, marks, strict=True) if mark]


def arrow_without_formulas(table: pa.Table) -> pa.Table:
    """The same for a table in memory, headers included: lists for people to open in a spreadsheet."""
    columns = []
    for column in table.columns:
        if pa.types.is_string(column.type) or pa.types.is_large_string(column.type):
            runs = pc.and_(
                pc.match_substring_regex(column, FORMULA), pc.invert(pc.match_substring_regex(column, PLAIN_NUMBER))
            )
            guarded = pc.binary_join_element_wise("'", column, "", null_handling="emit_null")
            column = pc.if_else(runs, guarded, column)
        columns.append(column)
    return pa.table(columns, names=[f"'{name}" if is_formula(name) else name for name in table.column_names])


def as_they_were(table: Table) -> Table:
    """A list that people had open in a spreadsheet, without the apostrophes that were put in front."""
    texts = [name for name, kind in table.schema().items() if kind.is_string()]
    plain = {name: table[name].re_replace(GUARDED, r"\1") for name in texts}
    return table.mutate(**plain) if texts else table


def is_formula(text: str) -> bool:
    if text[:1] in ("\t", "\r", "\n"):
        return True
    seen = text.lstrip("".join({letter for letter in text if _is_unseen(letter)}))
    return bool(_LEAD.match(seen)) and re.fullmatch(PLAIN_NUMBER, text) is None


def _is_unseen(letter: str) -> bool:
    return letter.isspace() or unicodedata.category(letter) in ("Cc", "Cf", "Zs", "Zl", "Zp") or letter in FILLERS


def check_header(names: Sequence[str], path: Path) -> None:
    """A header cannot be guarded, since the papers of a release name its columns: such a name is refused."""
    for place, name in enumerate(names, start=1):
        if is_formula(name) and not _WORD.fullmatch(name.strip()):
            raise InputError(
                f"the name of column {place} would run as a formula in a spreadsheet; rename it", file=path
            )
