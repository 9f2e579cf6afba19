"""A first plan for a folder of files: guessed kinds and roles, each with its reason, for a person to correct.

What might identify somebody is never put under `keep`, and what is not understood is put under `drop`: the plan says
that nobody decided so. Marks that are not understood get no role until a person gives them one.
"""

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

import ibis
from ibis.expr.types import Table

from sharewell import kinds
from sharewell.data import engine, formats
from sharewell.data.formats import database
from sharewell.data.formats.parts import is_in_parts
from sharewell.data.formats.recognised import recognised, recognised_folder
from sharewell.errors import InputError
from sharewell.first_plan.looks import AMBIGUOUS, SAMPLE, looks
from sharewell.first_plan.time_columns import UNITS, TimeLayout, layout_of
from sharewell.plan.audience_limits import AUDIENCES
from sharewell.plan.claims import FEW_CODES, FEW_MARKS, LISTS, WORDS, Guess, Looks, words_of
from sharewell.plan.formats import derived
from sharewell.plan.questions import ANY, NOBODY, Question

HEAD = """# A first plan, guessed from the files: read each line, correct it, delete what you will not share.
# Every column needs exactly one role. Columns under drop are taken out; move them once you know them.

[release]
# decide: {asked}
name = {name}
audience = "agreement"  # {audiences}: sets the limits that a section does not give
join = false  # true: one pseudonym per student over all files, and the joint attack must pass
"""
WHO = Question(text="Who gets it?", key="audience", answers=("agreement", *sorted({*AUDIENCES} - {"agreement"})))
SKIPPED = ("plan.toml", "source.txt", "readme.txt", "readme.md", "license.txt", "license", "readme")
KINDS_OF = {"moodle": "traces", "xapi": "traces", "caliper": "traces", "edx": "traces", "oulad": "traces"}
KINDS_OF |= {"moodle_quiz": "responses", "datashop": "responses", "moodle_forum": "posts", "edx_forum": "posts"}
KINDS_OF |= {"canvas_gradebook": "records", "blackboard": "records", "progsnap2": "keystrokes"}
KINDS_OF |= {"ednet": "traces", "essays": "posts", "snapshots": "keystrokes"}
NEEDS = {  # what a file must have to be of a kind, beside its students
    "records": "one row per student, or a few",
    "traces": "a time in each row, and students who come back",
    "responses": "right or wrong answers to items",
    "posts": "texts of several words",
    "keystrokes": "keys with the times at which they were pressed",
}
OURS = ("release", "private")  # folders that a release makes
STUDENT_OF = {"essays": "file"}  # the column of students where its name does not say so
LEAST_IDS, LEAST_LETTERS, MOSTLY = 5, 3, 0.9  # of cells that are students of another file
EXPORTED = re.compile(r"(?<![0-9])(?P<year>20[0-9]{2})[-_]?(?:0[1-9]|1[0-2])[-_]?[0-3][0-9](?![0-9])")
LEAST_COLUMNS = 4  # of a table without ids that may still be one row per student


@dataclass
class FirstPlan:
    """The text of a first plan, what it asks a person to decide, and the files that it leaves out, with the reason."""

    text: str
    decide: list[str]
    left_out: list[str]


@dataclass
class Drafted:
    """What became of the files so far: guesses with their lines, people's names, and why others were left out."""

    guesses: list[Guess] = field(default_factory=list)
    rosters: list[tuple[str, list[str]]] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    students: set[str] = field(default_factory=set)  # ids of the files whose student column says so by its name
    later: list[tuple[Path, str | None, str | None]] = field(default_factory=list)  # to be seen beside those ids


def first_plan(folder: str | Path) -> str:
    """The text of a plan.toml for the files of a folder; always valid TOML."""
    return drafted(folder).text


def drafted(folder: str | Path) -> FirstPlan:
    """A first plan for a folder, with what only a person can say."""
    folder = Path(folder)
    if not folder.is_dir():
        raise InputError("expected a folder with the files to release", file=folder)
    found = Drafted()
    for path in sorted(path for path in folder.iterdir() if not path.name.startswith((".", "_"))):
        if path.is_dir() and path.name not in OURS:
            _look_into(path, found)
        elif path.is_file() and path.name.lower() not in SKIPPED:
            _look(path, found)
    for path, format, table in found.later:
        _look_at_table(path, format, table, found, last=True)
    found.guesses.sort(key=lambda guessed: guessed.file)
    if not found.guesses:
        raise InputError(_nothing(found), file=folder)
    _lend_rosters(found)
    used: set[str] = set()
    name = _quoted(folder.resolve().name or "release")
    head = HEAD.format(name=name, asked=WHO, audiences=", ".join(AUDIENCES))
    sections = [_section(guess, used) for guess in found.guesses]
    decide = [f"{guess.file}: {_comment(str(asked))}" for guess in found.guesses for asked in guess.decide]
    notes = [f"# left out: {_comment(note)}\n" for note in found.notes]
    return FirstPlan("\n".join([head, *sections, *notes]), [f"the release: {WHO}", *decide], found.notes)


def _nothing(found: Drafted) -> str:
    if not found.notes:
        return "holds no file that can be read (CSV, TSV, Excel, Parquet, JSON lines, SQLite, DuckDB)"
    return "holds no file with students to release: " + "; ".join(found.notes)


def _look_into(folder: Path, found: Drafted) -> None:
    """A folder with one file for each student, or with the parts of one table."""
    try:
        format = recognised_folder(folder)
        if format is not None or is_in_parts(folder):
            _look_at_table(folder, format, None, found)
    except InputError as error:
        found.notes.append(" ".join(str(error).replace(str(folder), folder.name).split()))


def _look(path: Path, found: Drafted) -> None:
    """One file, or every table of a database."""
    try:
        format = recognised(path)
        named = format or _by_name(path)
        if named is None:
            told = "in no format that its name tells; if it holds a table, add a section with  format = …"
            found.notes.append(f"{path.name}: {told}")
            return
        tables: list[str | None] = [None]
        if named in ("sqlite", "duckdb"):
            tables = list(database.tables(path, named, views=False))
            queries = sorted({*database.tables(path, named)} - {*tables})
            found.notes += [f"{path.name}, view {name}: a view shows rows of other tables again" for name in queries]
        for table in tables:
            _look_at_table(path, format, table, found)
    except InputError as error:
        found.notes.append(" ".join(str(error).replace(str(path), path.name).split()))


def _by_name(path: Path) -> str | None:
    try:
        return formats.resolve(path, None)[0]
    except InputError:
        return None


def _look_at_table(path: Path, format: str | None, table: str | None, found: Drafted, *, last: bool = False) -> None:
    """One table; where no column says well who its students are, once more when the ids of the others are known."""
    source = formats.read(path, format=format, table=table)
    name = path.name if table is None else f"{path.name}, table {table}"
    guessed, cells, columns, markers = _guessed(source, path, KINDS_OF.get(format or ""), STUDENT_OF.get(format or ""))
    student = next((column for column in columns if column.name == guessed.roles.get("student")), None)
    sure = student is not None and student.named("student") and not student.named("email", "name", "person")
    if not sure and not last and STUDENT_OF.get(format or "") is None:
        found.later.append((path, format, table))
        return
    alike = None if sure else _student_by_values(columns, found.students)
    if alike is not None:
        guessed = guess(path.name, columns, KINDS_OF.get(format or ""), alike.name)
        guessed.reasons[alike.name] = f"its cells are the students of another file; {guessed.reasons[alike.name]}"
    elif sure and student is not None:
        found.students |= _ids(cells, student.name)
    people = [column.name for column in columns if column.name in guessed.lists["direct"] and _names_people(column)]
    if people and (format is None or format in formats.DELIMITED):
        found.rosters.append((path.name, people))
    if alike is None and not is_about_students(guessed, columns):
        found.notes.append(f"{name} has no column that looks like a student's: a catalogue?")
    elif guessed.kind == "records" and _is_roster(guessed, columns):
        found.notes.append(f"{name} lists people and tells nothing else of them: a roster, not records to release")
    else:
        found.guesses.append(_settled(guessed, columns, cells, path, format=format, table=table, markers=markers))


def _guessed(
    source: formats.Source, path: Path, kind: str | None, student: str | None
) -> tuple[Guess, Table, list[Looks], list[str]]:
    """A guess, the cells it was made from, how they look, and what stands for no value among them."""
    meant = formats.meant(source.format, source.table.columns)
    columns = looks(source.table, meant)
    markers = _missing(columns)
    while True:
        cells = _without(source.table, markers)
        columns = looks(cells, meant) if markers else columns
        guessed = guess(path.name, columns, kind, student)
        named = next((column for column in columns if column.name == guessed.roles.get("student")), None)
        if named is None or not named.markers:
            return guessed, cells, columns, markers
        markers = [*markers, *named.markers]  # no student is called so


def _settled(
    guessed: Guess, columns: list[Looks], cells: Table, path: Path, *,
    format: str | None, table: str | None, markers: list[str],
) -> Guess:  # fmt: skip
    """The guess with the kind's last word, how the file is read, and what is open."""
    guessed.settle(guessed, columns)
    _name_derived(guessed, format)
    _describe_reading(guessed, cells, path, format=format, table=table, markers=markers)
    leaving = [one for one in columns if one.name not in (*guessed.lists["drop"], *guessed.lists["direct"])]
    guessed.decide += _open_markers(leaving, markers)
    return guessed


def section_for(path: Path, kind: str, student: str | None, *, taken: Iterable[str]) -> str:
    """The section of one file whose kind and student column a person has said; `taken` are the names of others."""
    format = recognised(path)
    source = formats.read(path, format=format)
    if student is not None and student not in source.table.columns:
        raise InputError("the file has no such column", file=path, column=student)
    guessed, cells, columns, markers = _guessed(source, path, kind, student)
    if guessed.kind != kind:
        raise InputError(f"with these students its columns are not those of {kind}: {NEEDS[kind]}", file=path)
    guessed.why = "a person said so"
    return _section(_settled(guessed, columns, cells, path, format=format, table=None, markers=markers), set(taken))


def _name_derived(found: Guess, format: str | None) -> None:
    """A column that the file itself does not have is named as such: a person looks for it in vain."""
    for name, how in derived(format).items():
        if name in found.reasons:
            found.reasons[name] = f"derived: {how}; {found.reasons[name]}"


def _missing(columns: list[Looks]) -> list[str]:
    """What stands for "no value": in a column of numbers or dates a dash can mean nothing else."""
    found = [marker for column in columns for marker in column.markers if _stands_for_nothing(marker, column)]
    return list(dict.fromkeys(found))


def _open_markers(columns: list[Looks], settled: list[str]) -> list[Question]:
    """Cells that may be a value of their own or none at all: a person knows."""
    seen = {marker: column.name for column in reversed(columns) for marker in column.markers if marker not in settled}
    return [
        Question(
            text=f'Does "{marker}" in {name} stand for no value?', key="missing", name=marker, answers=("yes", "no")
        )
        for marker, name in seen.items()
    ]


def _stands_for_nothing(marker: str, column: Looks) -> bool:
    return marker not in AMBIGUOUS or column.number > 0.9 or column.date > 0.9


def _without(table: Table, markers: list[str]) -> Table:
    texts = {name: table[name] for name, kind in table.schema().items() if kind.is_string()}
    if not markers:
        return table
    return table.mutate(**{name: ibis.ifelse(cells.isin(markers), None, cells) for name, cells in texts.items()})


def _describe_reading(
    found: Guess, cells: Table, path: Path, *, format: str | None, table: str | None, markers: list[str]
) -> None:
    """How the file is to be read: format, table, marks for nothing, dates, and rows that name nobody."""
    if format is not None:
        found.settings["format"] = (_quoted(format), "recognised by what is in it")
    if table is not None:
        found.settings["table"] = (_quoted(table), "one table of the database")
    if markers:
        found.settings["missing"] = (_listed(["", *markers]), "these stand for no value")
    student = found.roles.get("student")
    if student in cells.columns and bool(engine.value(_is_empty(cells[student]).any())):
        found.settings["rows_without_student"] = ('"drop"', "some rows name no student")
    for role in ("at", "time"):
        if role in found.roles:
            _describe_times(found, cells, found.roles[role], path)


def _is_empty(cells: ibis.Column) -> ibis.Value:
    return cells.isnull() | (cells.cast("string").strip() == "")


def _describe_times(found: Guess, cells: Table, column: str, path: Path) -> None:
    how = layout_of(cells, column)
    if how.layout is not None:
        found.settings["dates"] = (f"{{ {_quoted(column)} = {_quoted(how.layout)} }}", how.why)
    if how.layout is None and how.bad:
        found.decide.append(Question(text=f"Column {column}: {how.why}", key="dates", name=column, answers=(ANY,)))
    if how.guessed_unit:
        units = [unit for unit in UNITS if unit != how.layout]
        text = f'What does {column} count? "{how.layout}" is a guess by its size'
        found.decide.append(Question(text=text, key="dates", name=column, answers=(str(how.layout), *units)))
    if how.other is not None:
        text = f"Day or month first? All cells of {column} fit both"
        found.decide.append(Question(text=text, key="dates", name=column, answers=(str(how.layout), how.other)))
    if how.needs_year:
        _describe_year(found, how, column, path)
    if found.kind == "traces" and (how.missing or how.bad):
        found.settings["rows_without_time"] = ('"drop"', "some rows have no time that exists")


def _describe_year(found: Guess, how: TimeLayout, column: str, path: Path) -> None:
    """The year in the file's name or of its last change, or, where the dates pass New Year, the one before."""
    named = EXPORTED.search(path.name)
    changed = datetime.fromtimestamp(path.stat().st_mtime, UTC).year
    year = str((int(named["year"]) if named else changed) - (how.first_month not in (None, 1)))
    found.settings["year"] = (year, f"by {'its name' if named else 'its last change'}: the dates have none")
    asked = f"In which year do these events begin? The dates of {column} do not say, and {year} is a guess"
    found.decide.append(Question(text=asked, key="year", answers=(year, ANY)))
    if how.first_month is not None:
        found.settings["first_month"] = (str(how.first_month), "the twelve months from then hold all dates")
        asked = "Do these events pass New Year? If not, all of them are of the year that begins in month 1"
        answers = (str(how.first_month), "1")
        found.decide.append(Question(text=asked, key="first_month", answers=answers))


def _ids(cells: Table, student: str) -> set[str]:
    """The students of a table, as cells of other files are compared with them."""
    found = cells.select(who=cells[student].cast("string").strip()).distinct().limit(SAMPLE)
    return {who.casefold() for who in engine.arrow(found)["who"].to_pylist() if who}


def _student_by_values(columns: list[Looks], known: set[str]) -> Looks | None:
    """The column whose cells are students of another file: nearly all of them, and too many for a coincidence."""
    long = [column for column in columns if column.cells and min(map(len, column.cells)) >= LEAST_LETTERS]
    fits = [column for column in long if len(column.cells) >= LEAST_IDS and column.cells_in(known) >= MOSTLY]
    return max(fits, key=lambda column: len(column.cells), default=None)


def is_about_students(found: Guess, columns: list[Looks]) -> bool:
    """A column says so by its name; else personal columns, a file named after people, or a table of categories."""
    student = next((column for column in columns if column.name == found.roles.get("student")), None)
    if student is not None and student.named("student"):
        return True
    if sum(column.named("personal") for column in columns) >= 2:
        return True
    if student is not None:
        named = set(words_of(Path(found.file).name.split(".")[0])) & set(WORDS["people"].split())
        return bool(named) or found.kind != "records" or bool(found.lists["direct"])
    categories = [column for column in columns if column.spread < 0.5]
    numbered = any(column.spread == 1 for column in columns)
    return len(categories) >= LEAST_COLUMNS and len(categories) == len(columns) and not numbered


def _is_roster(found: Guess, columns: list[Looks]) -> bool:
    """People by name, and beside it nothing that several of them share or that tells them apart."""
    known = (*found.lists["quasi"], *found.lists["sensitive"], *found.lists["keep"])
    others = [column for column in columns if column.name in found.lists["drop"]]
    telling = any(column.distinct > 1 and column.spread < 0.9 for column in others)
    return bool(found.lists["direct"]) and not known and not telling


def _names_people(column: Looks) -> bool:
    return column.named("person", "name", "email") or column.person > 0.6 or column.email > 0.3


def _lend_rosters(found: Drafted) -> None:
    """Files with names of people help to find them in texts; they are written nowhere."""
    for guess in found.guesses:
        if guess.kind == "posts" and found.rosters:
            file, names = max(found.rosters, key=lambda roster: len(roster[1]))
            roster = f"{{ file = {_quoted(file)}, columns = {_listed(names)} }}"
            guess.settings["roster"] = (roster, "names to look for in the texts")


def guess(file: str, columns: list[Looks], kind: str | None = None, student_column: str | None = None) -> Guess:
    """The kind of a file and a role for every column of it; a format may tell the kind and the students."""
    student = next((column for column in columns if column.name == student_column), None) or _student(columns)
    found = _claimed(file, columns, student, kind)
    if student is not None:
        found.give("student", student, _why_student(student))
        found.numbers_students = found.kind == "records" and student.spread == 1
    for column in columns:
        if not found.has(column):
            _place(found, column)
    return found


def _student(columns: list[Looks]) -> Looks | None:
    """The column whose name most says student and id, and whose cells are not texts or dates."""
    scores = {column.name: _student_score(column) for column in columns}
    best = max(columns, key=lambda column: scores[column.name])
    return best if scores[best.name] > 0 else None


def _student_score(column: Looks) -> float:
    if column.filled < 0.5 * column.rows or column.distinct < min(3, column.rows):
        return 0
    if column.named("text", "time", "outcome", "birth") and not column.named("id"):
        return 0
    if column.words > 5 or (column.number == 1 and column.spread > 0.9 and not column.named("id", "student")):
        return 0
    if column.named("name", "person", "email") or column.person > 0.6 or column.email > 0.5:
        return _person_score(column)
    if column.named("student"):
        return 2 + column.named("id") + (0 if column.named("peer") else 0.5) if column.words <= 3 else 0
    if column.parts == {"id"}:
        return 1 if column.spread == 1 else 0.9
    if column.parts & {"sisuserid", "studentnumber"}:
        return 0.8
    return 0.8 if column.numbers_only and not column.counts_rows else 0


def _person_score(column: Looks) -> float:
    """Names and addresses serve where there is no id: they are replaced by pseudonyms like any other."""
    if column.named("email") or column.email > 0.5:
        return 0.3
    if not column.named("student", "person"):
        return 0
    return 0.2 + 0.1 * column.named("student") - 0.05 * (column.parts & {"affected", "surname", "firstname"} != set())


def _why_student(column: Looks) -> str:
    each = column.filled / max(column.distinct, 1)
    where = f" in the first {SAMPLE:,} rows" if column.rows == SAMPLE else ""
    return f"the name says so; {column.distinct} different values, {each:.1f} rows each{where}"


def _claimed(file: str, columns: list[Looks], student: Looks | None, told: str | None) -> Guess:
    """The surest guess of all kinds; one of them, records, takes any table."""
    claims = [kind.claim(file, columns, student) for name in kinds.names() if (kind := kinds.load(name)).claim]
    made = [found for found in claims if found is not None]
    return max(made, key=lambda found: (found.kind == told, found.surety))


def _place(found: Guess, column: Looks) -> None:
    """The role of a column that the kind does not need: what identifies first, what is unknown last."""
    if not column.filled:
        found.give("drop", column, "empty")
        return
    for role, reason in (*_identifying(found, column), *_beside(column), *found.places(column)):
        found.give(role, column, reason)
        return
    if column.distinct == 1 and column.filled == column.rows:
        found.give("drop", column, "the same in every row: it tells nothing")
    elif _holds_marks(column):
        _ask_for_marks(found, column)
    else:
        found.give("drop", column, f"{NOBODY}not recognised ({column.distinct} different values)")


def _holds_marks(column: Looks) -> bool:
    return column.number > 0.9 and (column.fractions or column.named("outcome")) and not column.named("id")


def _ask_for_marks(found: Guess, column: Looks) -> None:
    """Marks that few students share may be known of a student; of a log they are kept or left out."""
    text = f"The column {column.name} holds marks: may recipients have it, with its risk measured?"
    telling = found.kind == "records" and column.spread > 0.2 and column.distinct > FEW_MARKS
    answers = ("quasi", "keep", "drop") if telling else ("keep", "drop")
    found.reasons[column.name] = "asked about"
    found.decide.append(Question(text=text, key="role", name=column.name, answers=answers))


def _identifying(found: Guess, column: Looks) -> Iterator[tuple[str, str]]:
    if column.named("email") or column.email > 0.3:
        yield "direct", "e-mail addresses"
    if column.named("phone") or column.phone > 0.5:
        yield "direct", "phone numbers"
    if column.named("birth"):
        yield "direct", "dates of birth; derive an age if you need one"
    if column.named("person") or _is_name(column):
        yield "direct", "names of people"
    if column.named("address") and column.distinct > FEW_CODES:
        yield "direct", "addresses"
    about = column.named("demographic", "sensitive", "outcome", "time", "item", "verb", "course", "text", "peer")
    if column.named("student") and column.distinct > FEW_CODES and not about:
        yield "direct", "another name or number of students"
    if column.named("id") and column.spread == 1 and column.words < 2 and found.numbers_students:
        yield "direct", "another number of each student"


def _beside(column: Looks) -> Iterator[tuple[str, str]]:
    if column.named("peer") and column.row_named is not None:
        yield "ids", f"names a row by its {column.row_named}"
    elif column.named("peer"):
        yield "peers", "other students"
    if column.cells and all(cell.startswith(("{", "[")) for cell in column.cells):
        yield "drop", "structures (JSON) may name people"
    if column.words >= 4 and column.number < 0.5:
        yield "drop", f"free text ({column.words:.0f} words per cell) may name people"


def _is_name(column: Looks) -> bool:
    """Called a name (not of a course or a file), or two capitalised words that hardly repeat."""
    about_things = column.named("item", "skill", "verb", "demographic", "time", "text")
    if column.named("name") and not about_things:
        return True
    return column.person > 0.6 and column.spread > 0.5 and not about_things


def _section(found: Guess, used: set[str]) -> str:
    stem = found.file.split(".")[0] + (" " + found.settings["table"][0] if "table" in found.settings else "")
    name = "_".join(words_of(stem)[:-1])[:50] or "file"
    while name in used:
        name += "_2"
    used.add(name)
    lines = [f"[{found.kind}.{name}]", f"# {found.kind}: {_comment(found.why)}"]
    lines += [f"# decide: {_comment(str(asked))}" for asked in found.decide]
    lines.append(f"file = {_quoted(found.file)}")
    lines += [f"{key} = {value}  # {_comment(why)}" for key, (value, why) in found.settings.items()]
    for role, column in sorted(found.roles.items(), key=lambda given: given[0] != "student"):
        lines.append(f"{role} = {_quoted(column)}  # {_comment(found.reasons[column])}")
    for role in LISTS:
        if found.lists[role]:
            lines += [f"{role} = [", *_items(found, role), "]"]
    return "\n".join(lines) + "\n"


def _items(found: Guess, role: str) -> list[str]:
    return [f"    {_quoted(name)},  # {_comment(found.reasons[name])}" for name in found.lists[role]]


def _quoted(text: str) -> str:
    """A TOML basic string; JSON's escapes are among TOML's, DEL must be escaped besides."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def _listed(texts: list[str]) -> str:
    return f"[{', '.join(map(_quoted, texts))}]"


def _comment(text: str) -> str:
    return "".join(letter if letter.isprintable() else " " for letter in text)
