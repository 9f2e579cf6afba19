"""A first plan for a folder of files: guessed kinds and roles, each with its reason, for a person to correct.

What might identify somebody is never put under `keep`, and what is not understood is put under `drop`.
"""

import json
from collections.abc import Iterator
from pathlib import Path

from sharewell import kinds
from sharewell.data import formats
from sharewell.errors import InputError
from sharewell.plan.claims import LISTS, Guess, Looks, markers_of, words_of
from sharewell.plan.looks import SAMPLE, looks

HEAD = """# A first plan, guessed from the files: read each line, correct it, delete what you will not share.
# Every column needs exactly one role. Columns under drop are taken out; move them once you know them.

[release]
name = {name}
audience = "agreement"  # public, agreement, enclave: sets the limits that a section does not give
join = false  # true: one pseudonym per student over all files, and the joint attack must pass
"""
SKIPPED = ("plan.toml", "source.txt", "readme.txt", "readme.md", "license.txt")


def first_plan(folder: str | Path) -> str:
    """The text of a plan.toml for the files of a folder; always valid TOML."""
    folder = Path(folder)
    if not folder.is_dir():
        raise InputError("expected a folder with the files to release", file=folder)
    parts, used = [HEAD.format(name=_quoted(folder.resolve().name or "release"))], set[str]()
    for path in sorted(path for path in folder.iterdir() if path.is_file() and not path.name.startswith(".")):
        if path.name.lower() in SKIPPED:
            continue
        try:
            source = formats.read(path)
        except InputError as error:
            problem = " ".join(str(error).replace(str(path), path.name).split())
            parts.append(f"# left out: {problem}\n")
            continue
        columns = looks(source.table)
        found = guess(path.name, columns)
        if found.is_about_students:
            parts.append(_section(found, used, markers_of(columns)))
        else:
            parts.append(f"# left out: {_comment(path.name)} has no column that looks like a student's\n")
    if len(parts) == 1:
        raise InputError("holds no file that can be read (CSV, TSV, Parquet, JSON lines)", file=folder)
    return "\n".join(parts)


def guess(file: str, columns: list[Looks]) -> Guess:
    """The kind of a file and a role for every column of it."""
    student = _student(columns)
    found = _claimed(file, columns, student)
    if student is not None:
        found.give("student", student, _why_student(student))
    for column in columns:
        if not found.has(column):
            _place(found, column)
    return found


def _student(columns: list[Looks]) -> Looks | None:
    """The column whose name most says student and id, and whose cells are not texts, names or dates."""
    scores = {column.name: _student_score(column) for column in columns}
    best = max(columns, key=lambda column: scores[column.name])
    return best if scores[best.name] > 0 else None


def _student_score(column: Looks) -> float:
    if column.named("text", "time", "outcome", "birth", "email") and not column.named("id"):
        return 0
    if column.words > 3 or column.distinct < 2 or column.named("name", "person"):
        return 0
    if column.named("student"):
        return 2 + column.named("id") + (0 if column.named("peer") else 0.5) - (column.email > 0.5)
    return 1 if column.parts == {"id"} and column.spread == 1 else 0


def _why_student(column: Looks) -> str:
    each = column.filled / max(column.distinct, 1)
    where = f" in the first {SAMPLE:,} rows" if column.rows == SAMPLE else ""
    return f"the name says so; {column.distinct} different values, {each:.1f} rows each{where}"


def _claimed(file: str, columns: list[Looks], student: Looks | None) -> Guess:
    """The surest guess of all kinds; one of them, records, takes any table."""
    claims = [kind.claim(file, columns, student) for name in kinds.names() if (kind := kinds.load(name)).claim]
    return max((found for found in claims if found is not None), key=lambda found: found.surety)


def _place(found: Guess, column: Looks) -> None:
    """The role of a column that the kind does not need: what identifies first, what is unknown last."""
    for role, reason in (*_identifying(column), *_beside(column), *found.places(column)):
        found.give(role, column, reason)
        return
    found.give("drop", column, f"not recognised ({column.distinct} different values)")


def _identifying(column: Looks) -> Iterator[tuple[str, str]]:
    if column.named("email") or column.email > 0.3:
        yield "direct", "e-mail addresses"
    if column.named("phone") or column.phone > 0.5:
        yield "direct", "phone numbers"
    if column.named("birth"):
        yield "direct", "dates of birth; derive an age if you need one"
    if column.named("person") or _is_name(column):
        yield "direct", "names of people"
    if column.named("address"):
        yield "direct", "addresses"


def _beside(column: Looks) -> Iterator[tuple[str, str]]:
    if column.named("peer"):
        yield "peers", "other students"
    if column.words >= 4 and column.number < 0.5:
        yield "drop", f"free text ({column.words:.0f} words per cell) may name people"


def _is_name(column: Looks) -> bool:
    """Called a name (not of a course or a file), or two capitalised words that hardly repeat."""
    about_things = column.named("item", "skill", "verb", "demographic", "time", "text")
    if column.named("name") and not about_things:
        return True
    return column.person > 0.6 and column.spread > 0.5 and not about_things


def _section(found: Guess, used: set[str], markers: list[str]) -> str:
    name = "_".join(words_of(Path(found.file).name.split(".")[0])[:-1]) or "file"
    while name in used:
        name += "_2"
    used.add(name)
    lines = [
        f"[{found.kind}.{name}]",
        f"# {found.kind}: {_comment(found.why)}",
        f"file = {_quoted(found.file)}",
    ]
    if "student" not in found.roles:
        lines.append("# student = …  (missing: no column looks like it)")
    for role, column in sorted(found.roles.items(), key=lambda given: given[0] != "student"):
        lines.append(f"{role} = {_quoted(column)}  # {_comment(found.reasons[column])}")
    lines += [f"{key} = {_quoted(value)}" for key, value in found.settings.items()]
    if markers:
        every = ", ".join(_quoted(marker) for marker in ["", *markers])
        lines.append(f'# missing = [{every}]  (do these cells stand for "no value"? Then take this line)')
    for role in LISTS:
        if found.lists[role]:
            lines += [f"{role} = [", *_items(found, role), "]"]
    lines += [f"# {role} = […]  (missing: {hint})" for role, hint in found.needs.items() if not found.lists[role]]
    return "\n".join(lines) + "\n"


def _items(found: Guess, role: str) -> list[str]:
    return [f"    {_quoted(name)},  # {_comment(found.reasons[name])}" for name in found.lists[role]]


def _quoted(text: str) -> str:
    """A TOML basic string; JSON's escapes are among TOML's, DEL must be escaped besides."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def _comment(text: str) -> str:
    return "".join(letter if letter.isprintable() else " " for letter in text)
