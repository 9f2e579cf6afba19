"""The students who said no: a list with or without a header line, matched with every file by the normal form of ids.

An id on the list that occurs in no file may be mistyped, and a student whose id is merely similar to one on the list
may be meant by it. Either stops the run: nobody who said no is released because of a spelling. The plan can accept
them.
"""

import csv
import io
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import ibis
import pyarrow as pa
from ibis.expr.types import Table

from sharewell.data import engine, formats, ids
from sharewell.data.fingerprint import Fingerprint
from sharewell.data.formats import delimited
from sharewell.data.formats.batches import batches
from sharewell.data.formats.rows import first_row
from sharewell.data.formats.text import as_utf8, chunks
from sharewell.errors import InputError
from sharewell.plan.document import Exclude
from sharewell.plan.sizes import Sizes

SIZES = Sizes(gigabytes=0.5)
ALL_FILES = ""
HEADERS = frozenset(
    [
        "id",
        "ids",
        "student",
        "students",
        "student_id",
        "student_ids",
        "studentid",
        "student_no",
        "student_number",
        "student_nr",
        "user",
        "users",
        "user_id",
        "userid",
        "username",
        "user_name",
        "login",
        "email",
        "e-mail",
        "mail",
        "matriculation",
        "matriculation_number",
        "matrikel",
        "matrikelnummer",
        "number",
        "name",
        "pseudonym",
        "participant",
        "participant_id",
        "subject",
        "subject_id",
        "learner",
        "learner_id",
        "optout",
        "optouts",
        "opt-out",
        "opt-outs",
        "opted_out",
        "excluded",
        "exclude",
        "withdrawn",
        "nr",
        "no",
        "uid",
        "person",
        "person_id",
        "pid",
        "anon_id",
        "account",
        "candidate",
        "candidate_id",
    ]
)


@dataclass(frozen=True, kw_only=True)
class Optouts:
    """Who is to be left out, and what a steward is told about the list."""

    students: Table  # student: ids in their normal form, distinct
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Known:
    """The ids in one file: the table as read, the column of the students, and every spelling with its normal form."""

    file: str
    table: Table
    column: str
    spellings: Table


def later(path: Path) -> dict[str, frozenset[str]]:
    """Who was taken out after a release, in normal form, by the label of the file that they left."""
    mark = Fingerprint.of(path)
    found: dict[str, set[str]] = {}
    with path.open(newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            found.setdefault(row.get("file") or ALL_FILES, set()).add(ids.normal(row["student"]))
    mark.check()
    return {label: frozenset(students) for label, students in found.items()}


def with_later(named: Optouts | None, students: frozenset[str]) -> Optouts | None:
    """Those whom the plan leaves out, and these."""
    if not students:
        return named
    table = engine.listed(pa.table({"student": pa.array(sorted(students), pa.string())}))
    if named is None:
        return Optouts(students=engine.materialise(table))
    return replace(named, students=engine.materialise(ibis.union(named.students, table, distinct=True)))


def read(exclude: Exclude, folder: Path, files: Sequence[Known], others: Iterable[Table] = ()) -> Optouts:
    """The list, matched with the ids of the files and with `others`: students whom other columns name."""
    listed = _listed(exclude, folder / exclude.file, [known.column for known in files])
    found = _found(listed, [known.spellings for known in files] + list(others))
    wanted = {form: entry for form, entry in listed.entries.items() if form != listed.header or entry or form in found}
    if not wanted:
        raise InputError("names nobody; if nobody said no, take exclude out of the plan", file=exclude.file)
    unknown = sorted(entry for form, entry in wanted.items() if form not in found)
    if unknown and exclude.unknown == "refuse":
        raise _unknown(exclude, unknown, listed)
    near = _near(exclude, wanted, files)
    if near is not None and exclude.similar == "refuse":
        raise near
    students = engine.listed(pa.table({"student": pa.array(sorted(wanted), pa.string())}))
    return Optouts(students=students, notes=tuple(_notes(exclude, len(unknown), near)))


@dataclass(frozen=True, kw_only=True)
class Listed:
    """Ids in their normal form with the entry of the list that they stand in; `header` is the id form of the header."""

    entries: Mapping[str, int]
    header: str | None = None


def _listed(exclude: Exclude, path: Path, columns: Sequence[str]) -> Listed:
    formats.check_readable(path)
    name, compression = formats.resolve(path, None)
    if name not in ("csv", "tsv"):
        return _from_records(exclude, path, columns)
    rows = _rows(path, formats.ReadOptions(format=name, compression=compression, sizes=SIZES))
    first = [cell.strip() for cell in rows[0]]
    has_header = _is_header(exclude, first, columns)
    place = _chosen(exclude, first, columns, has_header=has_header)
    header = rows.pop(0)[place] if has_header else None
    entries = _entries(row[place] for row in rows)
    if header is not None:
        entries.setdefault(ids.normal(header), 0)
    return Listed(entries=entries, header=None if header is None else ids.normal(header))


def _from_records(exclude: Exclude, path: Path, columns: Sequence[str]) -> Listed:
    """A list in a format whose columns have names."""
    names = formats.read(path).table.columns
    table = formats.read(path, texts=tuple(names)).table  # ids are text from the first byte
    column = names[_chosen(exclude, names, columns, has_header=True)]
    cells = engine.arrow(table.select(cell=ids.as_text(table, column, file=path)))["cell"].to_pylist()
    return Listed(entries=_entries(cell or "" for cell in cells))


def _rows(path: Path, options: formats.ReadOptions) -> list[list[str]]:
    """Every line as a row; whether the first is a header is decided after."""
    delimiter = delimited.find_delimiter(path, options)
    plain, compression = as_utf8(path, options)
    text = b"".join(chunks(plain, compression, options.sizes)).decode("utf-8")
    lines = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, skipinitialspace=True, strict=True)
    rows: list[list[str]] = []
    try:
        for row in lines:
            if not any(cell.strip() for cell in row):
                continue
            if rows and len(row) != len(rows[0]):
                problem = f"line {lines.line_num} has {len(row)} cells and the first line has {len(rows[0])}"
                raise InputError(f"{problem}; write one student per line", file=path)
            rows.append(row)
    except csv.Error:
        raise InputError(f"line {lines.line_num} is not written as CSV; look for an open quote", file=path) from None
    if not rows:
        raise InputError("is empty; expected one id per line", file=path)
    return rows


def _entries(cells: Iterable[str]) -> dict[str, int]:
    """Ids with the entry that they stand in first; a cell with nothing to see names nobody."""
    entries: dict[str, int] = {}
    for number, cell in enumerate(cells, start=1):
        if form := ids.normal(cell):
            entries.setdefault(form, number)
    return entries


def _is_header(exclude: Exclude, first: Sequence[str], columns: Sequence[str]) -> bool:
    """The first line names the column that the plan names, a student column of the plan, or what such lists are called.

    Anything else is taken for a student: a header that is none is told as an unknown id, a student taken for a header
    would be released.
    """
    if exclude.column is not None:
        return True
    known = HEADERS | {name.casefold() for name in columns}
    return any("_".join(cell.casefold().split()) in known or cell.casefold() in known for cell in first)


def _chosen(exclude: Exclude, names: Sequence[str], columns: Sequence[str], *, has_header: bool) -> int:
    """The place of the column that holds the ids."""
    wanted = [exclude.column] if exclude.column else list(columns)
    for name in wanted:
        if has_header and name in names:
            return list(names).index(name)
    if exclude.column is None and len(names) == 1:
        return 0
    raise InputError(
        "cannot tell which column holds the ids of excluded students; name the columns in the first line and say in "
        f'the plan: exclude = {{ file = "{exclude.file}", column = "…" }}',
        file=exclude.file,
    )


def _found(listed: Listed, everybody: Iterable[Table]) -> set[str]:
    """The listed ids that occur in a file."""
    forms = engine.listed(pa.table({"student": pa.array(list(listed.entries), pa.string())}))
    parts = [forms.semi_join(known, "student") for known in everybody]
    return {form for part in parts for form in engine.arrow(part)["student"].to_pylist()}


def _unknown(exclude: Exclude, entries: Sequence[int], listed: Listed) -> InputError:
    which = ", ".join(map(str, entries[:3])) + (" and others" if len(entries) > 3 else "")
    noun = "entry" if len(entries) == 1 else "entries"
    first = (
        "; a first line that is a header must name the column as the plan does"
        if entries[0] == 1 and listed.header is None
        else ""
    )
    return InputError(
        f"{noun} {which}: no student in the files has this id{first}; check the spelling, or accept such ids in the "
        f'plan: exclude = {{ file = "{exclude.file}", unknown = "accept" }}',
        file=exclude.file,
    )


def _near(exclude: Exclude, wanted: Mapping[str, int], files: Sequence[Known]) -> InputError | None:
    """The first student of a file whose id is not on the list and similar to one that is."""
    keys: dict[str, list[str]] = {}
    for form in wanted:
        for key in ids.keys_of_similar(form):
            keys.setdefault(key, []).append(form)
    for known in files:
        hits = list(_twins(known, wanted, keys))
        if hits:
            return _similar(exclude, known, *min(hits))
    return None


def _twins(known: Known, wanted: Mapping[str, int], keys: Mapping[str, Sequence[str]]) -> Iterator[tuple[str, int]]:
    """Spellings in a file whose ids are similar to an entry of the list, with the entry."""
    for batch in batches(known.spellings):
        for spelling, form in zip(*(batch.column(name).to_pylist() for name in ("spelling", "student")), strict=True):
            twin = _twin(form, wanted, keys)
            if twin is not None:
                yield spelling, wanted[twin]


def _twin(form: str | None, wanted: Mapping[str, int], keys: Mapping[str, Sequence[str]]) -> str | None:
    if form is None or form in wanted:
        return None
    candidates = {listed for key in ids.keys_of_similar(form) for listed in keys.get(key, ())}
    return min((listed for listed in candidates if ids.are_similar(form, listed)), default=None)


def _similar(exclude: Exclude, known: Known, spelling: str, entry: int) -> InputError:
    row = first_row(known.table, ids.as_text(known.table, known.column) == spelling)
    return InputError(
        f"its id is similar to entry {entry} of {exclude.file} and not the same: if it is the same student, write both "
        f'alike; if not, accept it in the plan: exclude = {{ file = "{exclude.file}", similar = "accept" }}',
        file=known.file,
        column=known.column,
        row=row,
    )


def _notes(exclude: Exclude, unknown: int, near: InputError | None) -> Iterator[str]:
    """What the plan accepts is told all the same."""
    if unknown:
        yield f"{unknown:,} ids in {exclude.file} occur in no file of the plan, which the plan accepts"
    if near is not None:
        yield f"students with ids similar to some in {exclude.file} are released, which the plan accepts"
