"""A first plan for a folder of files: guessed kinds and roles, each with its reason, for a person to correct.

What might identify somebody is never put under `keep`, and what is not understood is put under `drop`.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from sharewell import formats
from sharewell.column_looks import SAMPLE, Looks, looks, words_of
from sharewell.errors import InputError

HEAD = """# A first plan, guessed from the files: read each line, correct it, delete what you will not share.
# Every column needs exactly one role. Columns under drop are taken out; move them once you know them.

[release]
name = {name}
audience = "agreement"  # public, agreement, enclave: sets the limits that a section does not give
join = false  # true: one pseudonym per student over all files, and the joint attack must pass
"""
ORDER = ("student", "at", "item", "correct", "skill", "time", "session", "key", "press", "release", "text")
LISTS = ("direct", "quasi", "sensitive", "peers", "ids", "keep", "drop")
SKIPPED = ("plan.toml", "source.txt", "readme.txt", "readme.md", "license.txt")


@dataclass
class Guess:
    """One file: its kind, the columns with a role of their own, the lists, and the reason for each."""

    file: str
    kind: str
    why: str
    roles: dict[str, str] = field(default_factory=dict)  # role → column
    lists: dict[str, list[str]] = field(default_factory=lambda: {name: [] for name in (*LISTS, "text")})
    reasons: dict[str, str] = field(default_factory=dict)  # column → reason

    def give(self, role: str, column: Looks, reason: str) -> None:
        self.reasons[column.name] = reason
        if role in self.lists:
            self.lists[role].append(column.name)
        else:
            self.roles[role] = column.name

    @property
    def is_about_students(self) -> bool:
        return bool("student" in self.roles or self.lists["direct"] or len(self.lists["quasi"]) > 2)

    def has(self, column: Looks) -> bool:
        return column.name in self.reasons


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
        found = guess(path.name, looks(source.table))
        if found.is_about_students:
            parts.append(_section(found, used))
        else:
            parts.append(f"# left out: {_comment(path.name)} has no column that looks like a student's\n")
    if len(parts) == 1:
        raise InputError("holds no file that can be read (CSV, TSV, Parquet, JSON lines)", file=folder)
    return "\n".join(parts)


def guess(file: str, columns: list[Looks]) -> Guess:
    """The kind of a file and a role for every column of it."""
    student = _student(columns)
    found = _kind(file, columns, student)
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


def _kind(file: str, columns: list[Looks], student: Looks | None) -> Guess:
    free = [column for column in columns if column is not student]
    press, release, key = (_first(free, meaning) for meaning in ("press", "release", "key"))
    if student and press and key:
        return _keystrokes(file, free, press, release, key)
    item = _first(free, "item") or _first(free, "skill")
    correct = next((column for column in free if column.named("correct") and column.distinct <= 4), None)
    if student and item and correct and item is not correct:
        return _responses(file, free, item, correct)
    texts = [column for column in free if _is_text(column)]
    time = _time(free)
    logged = time is not None and sum(column.named("verb") for column in free) >= 2
    if student and texts and not logged:
        found = Guess(file, "posts", "there is free text: " + ", ".join(text.name for text in texts))
        for text in texts:
            found.give("text", text, f"{text.words:.0f} words per cell")
        return found
    if student and time and student.filled >= 2 * student.distinct:
        found = Guess(file, "traces", "students repeat, and each row has a time")
        found.give("at", time, "the name or the cells say when")
        return found
    return _records(file, student)


def _keystrokes(file: str, free: list[Looks], press: Looks, release: Looks | None, key: Looks) -> Guess:
    found = Guess(file, "keystrokes", "there are keys with press times")
    session = next((column for column in free if column.named("session") and not column.named("key")), None)
    for role, column in (("session", session), ("key", key), ("press", press), ("release", release)):
        if column is not None and not found.has(column):
            found.give(role, column, "the name says so")
    return found


def _responses(file: str, free: list[Looks], item: Looks, correct: Looks) -> Guess:
    found = Guess(file, "responses", "there are students, items and whether the answer was right")
    found.give("item", item, "the name says so")
    found.give("correct", correct, f"the name says so; {correct.distinct} different values")
    skill, time = _first(free, "skill"), _time(free)
    if skill is not None and not found.has(skill):
        found.give("skill", skill, "the name says so; use it as item instead if single items are too rare")
    if time is not None and not found.has(time):
        found.give("time", time, "the name or the cells say when")
    return found


def _records(file: str, student: Looks | None) -> Guess:
    if student is None:
        return Guess(file, "records", "no column names a student; add one that differs in each row")
    if student.spread < 1:
        return Guess(file, "records", "students repeat without a time; one row each is expected")
    return Guess(file, "records", "each student has one row")


def _place(found: Guess, column: Looks) -> None:
    """The role of a column that the kind does not need: what identifies first, what is unknown last."""
    for role, reason in (*_identifying(column), *_known(found.kind, column)):
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


def _known(kind: str, column: Looks) -> Iterator[tuple[str, str]]:
    row_id = column.named("id") or (column.spread > 0.9 and column.words < 2 and column.number == 0)
    if column.named("peer"):
        yield "peers", "other students"
    if column.words >= 4 and column.number < 0.5:
        yield "drop", f"free text ({column.words:.0f} words per cell) may name people"
    if kind == "records":
        yield from _known_of_a_student(column)
    if row_id and kind in ("traces", "posts") and column.distinct > 20:
        yield "ids", "looks like numbers of rows, threads or items"
    if kind == "traces" and column.named("verb") and column.distinct <= 2000:
        yield "quasi", f"what else one may know of an event ({column.distinct} different values)"


def _known_of_a_student(column: Looks) -> Iterator[tuple[str, str]]:
    if column.named("sensitive"):
        yield "sensitive", "nobody should learn this"
    if column.date > 0.9:
        yield "drop", "dates can single a student out; coarsen them first"
    counted = column.number > 0.9 and column.distinct > 20  # views of a course, not the course
    if column.named("demographic") or (column.named("course") and not counted):
        yield "quasi", f"others may know this of a student ({column.distinct} different values)"
    outcome = column.named("outcome") and not column.named("id", "student")
    if outcome and column.spread > 0.2 and column.distinct > 10:
        yield (
            "quasi",
            f"an outcome of which few have the same ({column.distinct} different values): it comes out in ranges",
        )
    if outcome:
        yield "keep", "an outcome; move it to sensitive if it must not be learned"


def _first(columns: list[Looks], meaning: str) -> Looks | None:
    return next((column for column in columns if column.named(meaning) and column.words <= 8), None)


def _time(columns: list[Looks]) -> Looks | None:
    """Named and read as a time, else read as one; a count of days by that name will do."""
    said = [column for column in columns if column.named("time") and not column.named("birth")]
    read = [column for column in columns if column.date > 0.9 and not column.named("birth", "id")]
    both = [column for column in said if column in read]
    days = [column for column in said if column.number > 0.9]
    return next(iter([*both, *read, *days]), None)


def _is_text(column: Looks) -> bool:
    written = column.words >= 4 or (column.named("text") and column.words >= 2)
    return written and column.number < 0.5 and column.date < 0.5 and (column.spread > 0.3 or column.named("text"))


def _is_name(column: Looks) -> bool:
    """Called a name (not of a course or a file), or two capitalised words that hardly repeat."""
    about_things = column.named("item", "skill", "verb", "demographic", "time", "text")
    if column.named("name") and not about_things:
        return True
    return column.person > 0.6 and column.spread > 0.5 and not about_things


def _section(found: Guess, used: set[str]) -> str:
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
    for role in ORDER:
        if role in found.roles:
            column = found.roles[role]
            lines.append(f"{role} = {_quoted(column)}  # {_comment(found.reasons[column])}")
    for role in ("text", *LISTS):
        if found.lists[role]:
            lines += [f"{role} = [", *_items(found, role), "]"]
    if found.kind == "records" and not found.lists["quasi"]:
        lines.append("# quasi = […]  (missing: move here what others may know of a student, such as a mark)")
    return "\n".join(lines) + "\n"


def _items(found: Guess, role: str) -> list[str]:
    return [f"    {_quoted(name)},  # {_comment(found.reasons[name])}" for name in found.lists[role]]


def _quoted(text: str) -> str:
    """A TOML basic string; JSON's escapes are among TOML's, DEL must be escaped besides."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def _comment(text: str) -> str:
    return "".join(letter if letter.isprintable() else " " for letter in text)
