"""The ids of students: text, in one normal form over all files of a plan.

Two spellings are one student if they agree in the normal form:

- compatible characters are one (Unicode NFKC: é in one or two characters, full-width digits), and case does not count;
- characters that nobody sees (zero-width, soft hyphens, controls) are gone, blanks of every kind are one blank, and
  none stands at either end;
- a whole number has no leading zeros, no plus sign and no empty decimals: 007, 7, 7.0 and +7 are one.

Beyond it, two ids are *similar* if they agree once marks, blanks and zeros in front of any digits are left out (s-07
and S7), or if one is the other with a few letters in front or an address behind (4711 and u4711): that may be one
student or two, so a person has to say.
"""

import re
import unicodedata
from pathlib import Path

import ibis
import pyarrow as pa
from ibis.expr.types import Column, Table

from sharewell.data import engine
from sharewell.data.formats.rows import first_row
from sharewell.errors import InputError

NORMAL = r"^(?:[a-z_][a-z0-9_]*|0|[1-9][0-9]*)$"  # ASCII ids that are in their normal form as they stand: most are
EXACT = 2**53  # IEEE 754: from here on a double leaves out whole numbers
_WHOLE = re.compile(r"\+?0*([0-9]+?)(?:\.0{1,2})?", re.ASCII)
_ZEROS = re.compile(r"(?<![0-9])0+(?=[0-9])")
_PREFIXED = re.compile(r"[a-z]{1,4}[-_. ]?([0-9]{3,})", re.ASCII)
UNSEEN = {"Cc", "Cf", "Cs", "Co", "Cn"}


def normal(spelling: str) -> str:
    """The normal form of an id."""
    text = spelling
    while (folded := _folded(text)) != text:  # a character that goes may let its neighbours come together
        text = folded
    whole = _WHOLE.fullmatch(text)
    return whole[1] if whole else text


def _folded(text: str) -> str:
    blanks = (" " if letter.isspace() else letter for letter in text)
    seen = "".join(letter for letter in blanks if unicodedata.category(letter) not in UNSEEN)
    return " ".join(unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", seen).casefold()).split())


def bare(normal_form: str) -> str:
    """What is left of an id without marks, blanks, accents and leading zeros."""
    letters = unicodedata.normalize("NFKD", normal_form)
    return _ZEROS.sub("", "".join(letter for letter in letters if letter.isalnum()))


def keys_of_similar(normal_form: str) -> set[str]:
    """Ids that share a key may be one student: alike but for marks and zeros, or one of them with more around it.

    The second is for 4711 beside u4711, and anna.meyer beside anna.meyer@example.org; `are_similar` has the last word.
    """
    keys = {bare(normal_form)}
    if "@" in normal_form:
        keys.add(bare(normal_form.partition("@")[0]))
    prefixed = _PREFIXED.fullmatch(normal_form)
    if prefixed:
        keys.add(bare(prefixed[1]))
    return keys - {""}


def are_similar(one: str, other: str) -> bool:
    """Whether two different ids may be one student's."""
    if one == other:
        return False
    return bare(one) in keys_of_similar(other) or bare(other) in keys_of_similar(one)


def as_text(table: Table, column: str, *, file: str | Path | None = None) -> Column:
    """The cells of an id column as text, as they are spelled; ids that a number cannot hold are refused."""
    cells = table[column]
    kind = cells.type()
    if kind.is_string():
        return cells
    if kind.is_floating():
        whole = (cells == cells.floor()) & (cells.abs() < EXACT)
        row = first_row(table, ~whole.fill_null(True) | cells.isnan())
        if row is not None:
            raise InputError(
                "expected ids and found a decimal, or a number so large that digits are lost; write ids as text",
                file=file,
                column=column,
                row=row,
            )
        return cells.cast("int64").cast("string")
    return cells.cast("string")


def spellings(table: Table, column: str, *, file: str | Path | None = None) -> Table:
    """(spelling, student): every spelling in a column with its normal form; an id of which nothing is left has none."""
    cells = as_text(table, column, file=file)
    distinct = table.select(spelling=cells).distinct()
    distinct = distinct.filter(distinct.spelling.notnull())
    plain = distinct.spelling.re_search(NORMAL)
    odd = engine.arrow(distinct.filter(~plain))["spelling"].to_pylist()
    forms = engine.listed(
        pa.table({"spelling": pa.array(odd, pa.string()), "student": pa.array(map(normal, odd), pa.string())})
    )
    same = distinct.filter(plain).select("spelling", student=ibis._.spelling)
    found = engine.materialise(ibis.union(same, forms))
    return found.mutate(student=found.student.nullif(""))


def are_normal(table: Table, column: str, known: Table) -> bool:
    """Whether the ids of a column, whose spellings are known, are text in its normal form as they stand."""
    if not table[column].type().is_string():
        return False
    return bool(engine.value((known.student == known.spelling).fill_null(False).all().fill_null(True)))


def in_normal_form(table: Table, column: str, known: Table, *, file: str | Path | None = None) -> Table:
    """The table with the ids of a column in their normal form, by the spellings that were found in it."""
    helper = engine.fresh(table.columns, "student")
    key = engine.fresh([*table.columns, helper], "spelling")
    forms = known.rename({key: "spelling", helper: "student"})
    joined = table.left_join(forms, as_text(table, column, file=file) == forms[key])
    return joined.mutate(**{column: joined[helper]}).select(*table.columns)


def is_missing(table: Table, column: str, known: Table) -> ibis.Value:
    """Whether a row has no id: an empty cell, or one in which there is nothing to see."""
    unseen = engine.arrow(known.filter(known.student.isnull()))["spelling"].to_pylist()
    cells = as_text(table, column)
    return cells.isnull() | cells.isin(unseen) if unseen else cells.isnull()


def check(table: Table, column: str, known: Table, *, file: str | Path | None = None, may_miss: bool = False) -> None:
    """Refuse rows without an id, and two spellings of one id in a file: they would be two students, or one."""
    missing = None if may_miss else first_row(table, is_missing(table, column, known))
    if missing is not None:
        raise InputError(
            'has no student id; fill it in, or leave such rows out with rows_without_student = "drop" in the plan',
            file=file,
            column=column,
            row=missing,
        )
    known = known.filter(known.student.notnull())
    twins = known.group_by("student").agg(
        first=known.spelling.min(), other=known.spelling.max(), n=known.spelling.count()
    )
    cells = as_text(table, column, file=file)
    found = engine.arrow(twins.filter(twins.n > 1).order_by("student").limit(1)).to_pylist()
    if found:
        rows = sorted(first_row(table, cells == found[0][name]) or 0 for name in ("first", "other"))
        raise InputError(
            f"the student ids of rows {rows[0]} and {rows[1]} differ only by case, blanks, leading zeros or characters "
            "that nobody sees; write them alike",
            file=file,
            column=column,
            row=rows[1],
        )
