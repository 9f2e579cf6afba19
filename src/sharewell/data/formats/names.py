"""What the columns of any file may be called, and how a message calls them.

Where a file has no header line, its first student becomes the names of its columns; JSON may have students for keys. A
name that looks like a value is told by its position, since a message never carries a value.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from ibis.expr.types import Table

from sharewell.data.backends import figures, named, quoted
from sharewell.errors import InputError

ORDINARY = re.compile(r"[^\W\d][\w .,:;/()\[\]%&'’?!#*+=<>|@-]{0,59}")
DIGITS = re.compile(r"[0-9]{4}")
FEW = 5
LONGEST = 200  # letters of a name; files are named after columns
HEADINGS = frozenset({
    "id", "student", "student_id", "user", "user_id", "userid", "username", "name", "email", "age", "sex", "gender",
    "grade", "mark", "score", "passed", "result", "time", "date", "timestamp", "course", "item", "question", "correct",
    "text", "message", "session", "verb", "event",
})  # fmt: skip
TITLES = "delete lines that stand above the header"
ADDRESS = re.compile(r"[^@\s]+@[^@\s]+\.|://|^www\.")


def check_names(names: Sequence[str], path: Path) -> None:
    """Every column has a name, and no two names are alike but for case or blanks."""
    seen: dict[str, int] = {}
    for place, name in enumerate(names, start=1):
        folded = name.strip().casefold()
        if not folded:
            raise InputError(f"column {place} has no name; give it one in the header, and {TITLES}", file=path)
        if len(name) > LONGEST:
            raise InputError(f"column {place} has a name of over {LONGEST} letters; shorten it", file=path)
        if folded in seen:
            raise _alike(names, seen[folded], place, path)
        seen[folded] = place


def looks_like_value(name: str) -> bool:
    """Whether a name could be a cell: a number, a date, an address, or no name that a person would give a column."""
    return not ORDINARY.fullmatch(name.strip()) or bool(DIGITS.search(name) or ADDRESS.search(name))


def has_no_header(names: Iterable[str]) -> bool:
    """Whether the names can only be a row: one of them is a number or an address."""
    return any(re.fullmatch(r"[\s0-9.,:;/+-]+", name) or ADDRESS.search(name) for name in names)


def told(names: Sequence[str], name: str) -> str | int:
    """How an InputError names a column: by its name, or by its position where the name may be a value."""
    hidden = looks_like_value(name) or has_no_header(names)
    return list(names).index(name) + 1 if hidden else name


def shown(table: Table, *, planned: Iterable[str] = ()) -> Mapping[str, str]:
    """How a message calls each column: by the name in quotes, or by its position where the name may be a value.

    `planned` are the names that the plan has: the person who reads the message wrote them.
    """
    names, known = list(table.columns), set(planned)
    hidden = set(names) if has_no_header(names) or _holds_its_name(table) else _in_few_rows(table)
    hidden |= {name for name in names if looks_like_value(name)}
    places = {name: place for place, name in enumerate(names, start=1)}
    return {name: f"column {places[name]}" if name in hidden - known else f"'{name}'" for name in names}


def _in_few_rows(table: Table) -> set[str]:
    """Columns that only a few of many rows have: where students are the keys of JSON, each has a column."""
    names = list(table.columns)
    rows, *filled = figures(table, ["count(*)", *(f"count({named(name)})" for name in names)])
    return {name for name, count in zip(names, filled, strict=True) if count < FEW and 2 * count < rows}


def _holds_its_name(table: Table) -> bool:
    """Whether a column has its own name among its cells, as the columns of a file without a header often do."""
    texts = [name for name, kind in table.schema().items() if kind.is_string()]
    if not texts:
        return False
    return any(figures(table, [f"bool_or({named(name)} = {quoted(name)})" for name in texts]))


def _alike(names: Sequence[str], first: int, second: int, path: Path) -> InputError:
    """Told by position, since cells of a first row repeat more often than names do; by name where it is a usual one."""
    one, other = names[first - 1], names[second - 1]
    how = "have the same name" if one == other else "have names that differ only by case or blanks"
    told = other.strip() if other.strip().casefold() in HEADINGS else None
    return InputError(
        f"columns {first} and {second} {how}; rename one, or give the file a header", file=path, column=told
    )
