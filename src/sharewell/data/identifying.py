"""Columns that leave as they are must not name anybody: no address or telephone number, no copy of a name or an id.

Whatever else is measured, one column of e-mail addresses among those that are kept undoes all of it. So the cells are
looked at, not the names of columns: a share of `SOME` that looks like an address, or that repeats what the same row
holds in a column which is dropped or replaced, refuses.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from ibis.expr.types import Table

from sharewell.data import engine
from sharewell.errors import InputError
from sharewell.plan.sections import Section

SOME = 0.1  # of the filled cells
NEARLY_ALL = 0.8  # two capitalised words may be a town or a programme; where nearly all differ they are people
LONG = 5  # letters of an identifier that is also looked for inside a longer cell
LEAVES = ("quasi", "sensitive", "keep")
REPLACED = ("student", "direct", "peers", "ids")
PATTERNS = {
    "e-mail addresses": r"[^@\s]+@[^@\s]+\.[A-Za-z]{2,}",
    "telephone numbers": r"^'?\+[0-9(][0-9 ()/.-]{6,18}[0-9]$",
}
PERSON = r"^\p{Lu}[\p{Ll}'’]+(?:[ -]\p{Lu}[\p{L}'’.]*){1,3}$"


@dataclass(frozen=True)
class _Check:
    """One aggregate over the rows, and what is wrong with a column where it is too large."""

    column: str
    sql: str
    most: float
    problem: str


def check(rows: Table, section: Section) -> None:
    """Refuse the first column that names people."""
    checks = list(_checks(rows, section))
    if not checks:
        return
    found = engine.figures(rows, [one.sql for one in checks])
    for one, share in zip(checks, found, strict=True):
        if share is not None and share > one.most:
            cure = "name it under direct, which leaves it out, or under drop"
            raise InputError(f"{one.problem}; {cure}", file=section.file, column=one.column)


def _checks(rows: Table, section: Section) -> Iterator[_Check]:
    roles = [(role, name) for role, name in section.roles() if name in rows.columns]
    replaced = [name for role, name in roles if role in REPLACED]
    for name in dict.fromkeys(name for role, name in roles if role in LEAVES):
        cell = f"trim({engine.named(name)}::VARCHAR)"
        for what, pattern in PATTERNS.items():
            yield _Check(name, _share(f"regexp_matches({cell}, {engine.quoted(pattern)})"), SOME, f"holds {what}")
        for other in replaced:
            yield _Check(name, _repeats(cell, other), SOME, f"repeats what the column '{other}' holds")
        people = f"CASE WHEN count(DISTINCT {cell}) > {NEARLY_ALL} * count(*) THEN {_share(_is_person(cell))} END"
        yield _Check(name, people, NEARLY_ALL, "holds what look like names of people")


def _is_person(cell: str) -> str:
    return f"regexp_matches({cell}, {engine.quoted(PERSON)})"


def _repeats(cell: str, other: str) -> str:
    """The share of rows whose cell is, or contains, what stands in another column; none where that is one value."""
    own, cell = f"lower(trim({engine.named(other)}::VARCHAR))", f"lower({cell})"
    same = f"({cell} = {own} OR (length({own}) >= {LONG} AND contains({cell}, {own})))"
    return f"CASE WHEN count(DISTINCT {own}) > 1 THEN {_share(same)} END"


def _share(condition: str) -> str:
    return f"avg(({condition})::INT)"
