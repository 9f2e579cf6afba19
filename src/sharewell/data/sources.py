"""The data of a plan: every file read once, every column accounted for, excluded students gone before anything else.

Ids leave here in one normal form (see `ids`): what was spelled in two ways in two files is one student from here on.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from itertools import combinations
from pathlib import Path

import duckdb
from ibis.expr.operations import DatabaseTable
from ibis.expr.types import Table

from sharewell.data import engine, formats, identifying, ids, optouts
from sharewell.data.fingerprint import Fingerprint
from sharewell.data.formats import dated
from sharewell.data.formats.columns import one_row_each
from sharewell.data.formats.dated import Dates
from sharewell.data.formats.formulas import as_they_were
from sharewell.data.formats.names import shown
from sharewell.data.optouts import Known, Optouts
from sharewell.errors import Gathering, InputError, PlanError, Problems
from sharewell.plan import document as plan
from sharewell.plan.document import Exclude, Plan
from sharewell.plan.sections import Section


@dataclass(frozen=True, kw_only=True)
class Sources:
    """What the sections of a plan work on, by section label."""

    files: Mapping[str, formats.Source]
    extras: Mapping[str, Mapping[str, Table]]
    review: Mapping[str, Mapping[str, Table]] = field(default_factory=dict)
    rows: Mapping[str, Table] = field(default_factory=dict)  # where the kept rows stand in their file
    people: tuple[str, ...] = ()  # who is on the course, from every roster of the plan
    left: Mapping[str, int] = field(default_factory=dict)  # students who said no and were in the file: private
    notes: tuple[str, ...] = ()

    @contextmanager
    def rows_as_in_file(self, label: str) -> Iterator[None]:
        """Whoever works on the kept rows counts from the first of them; a person counts from the top of the file."""
        try:
            yield
        except InputError as error:
            if error.row is None:
                raise
            found = engine.arrow(self.rows[label].order_by("row").limit(1, offset=error.row - 1))["row"].to_pylist()
            raise (error.at_row(found[0] + 1) if found else error) from None


@dataclass(frozen=True, kw_only=True)
class Read:
    """One file as it was read: its rows on disk with their places, and every spelling of an id in it."""

    section: Section
    source: formats.Source
    rows: Table  # with their places in the file
    place: str  # the column of the places
    students: Table
    peers: Mapping[str, Table]

    @property
    def known(self) -> Known:
        section = self.section
        return Known(file=section.file, table=self.rows, column=section.student, spellings=self.students)


def read(plan_: Plan, *, review: Path | None = None, withdrawn: Path | None = None) -> Sources:
    """All files of a plan as tables without the excluded students and those who opted out after a release."""
    files = _checked_columns(plan_)
    reads = _read_all(plan_, files)
    excluded = _excluded(plan_, reads, withdrawn)
    kept = {one.section.label: _kept(one, excluded[one.section.label]) for one in reads}
    if plan_.header.join:
        _check_join(reads)
    extras = {section.label: _extras(section, plan_) for section in plan_.sections}
    return Sources(
        files={one.section.label: _cleaned(one, kept[one.section.label]) for one in reads},
        extras=extras,
        review={section.label: _reviewed(section, review) for section in plan_.sections},
        rows={one.section.label: kept[one.section.label].select(row=one.place) for one in reads},
        people=tuple(_people(plan_, extras)),
        left={one.section.label: _left(one, excluded[one.section.label]) for one in reads},
        notes=next((one.notes for one in excluded.values() if one is not None), ()),
    )


def _checked_columns(plan_: Plan) -> dict[str, tuple[formats.Source, Fingerprint]]:
    """Open all files, check columns against the plan, report all faults at once."""
    files, problems, gathered = {}, [], Gathering()
    for section in plan_.sections:
        with gathered.part():
            mark = Fingerprint.of(section.path)
            source = _source(section, plan_)
            files[section.label] = (source, mark)
            problems += _column_problems(section, source.table)
    if problems:
        gathered.found.append(PlanError(problems, file=plan_.path))
    gathered.report()
    return files


def _read_all(plan_: Plan, files: Mapping[str, tuple[formats.Source, Fingerprint]]) -> list[Read]:
    """Every file with its ids and dates; what is wrong with any of them is told at once."""
    reads, gathered = [], Gathering()
    for section in plan_.sections:
        with gathered.part():
            reads.append(_read(section, files[section.label]))
    gathered.report()
    return reads


def _source(section: Section, plan_: Plan) -> formats.Source:
    source = formats.read(
        section.path,
        format=section.format,
        encoding=section.encoding,
        delimiter=section.delimiter,
        missing=section.missing,
        table=section.table,
        texts=(section.student, *section.peers, *section.ids),
        sizes=plan_.header.sizes,
    )
    return _numbered(source, section, plan_) if section.numbers_rows else source


def _numbered(source: formats.Source, section: Section, plan_: Plan) -> formats.Source:
    """Rows that are students without a name get numbers; whoever said no could not be found among them."""
    if section.student in source.table.columns:
        raise InputError(
            "is a column of the file; with rows = 'numbered' name a new one", file=section.file, column=section.student
        )
    if plan_.header.exclude is not None:
        raise InputError(
            "has no ids, so the students who said no cannot be left out; take the file out of the plan, or add ids",
            file=section.file,
        )
    numbered = engine.numbered(source.table, section.student)
    number = (numbered[section.student] + 1).cast("string")
    return replace(source, table=numbered.mutate(**{section.student: number}))


def _column_problems(section: Section, table: Table) -> list[str]:
    """A column whose name may be a value is told by its position; looked into only where there is a problem."""
    problems = plan.column_problems(section, table.columns)
    if not problems:
        return []
    planned = {name for _, name in (*section.roles(), *section.mentioned())}
    return plan.column_problems(section, table.columns, called=shown(table, planned=planned))


def _read(section: Section, opened: tuple[formats.Source, Fingerprint]) -> Read:
    """The rows on disk from here on: the file is not read again, and must be what it was when it was checked."""
    source, mark = opened
    place = engine.fresh(source.table.columns, "place")
    rows = on_disk(engine.numbered(source.table, place), section.path)
    mark.check()
    rows, written, problems = dated.read(rows, _dates(section))
    if problems:
        raise Problems(problems)
    source = replace(source, dates=written)
    students = ids.spellings(rows, section.student, file=section.file)
    may_miss = section.rows_without_student == "drop"
    ids.check(rows, section.student, students, file=section.file, may_miss=may_miss)
    identifying.check(rows, section)
    if section.one_row_per_student:
        one_row_each(rows, section.student, file=section.file)
    peers = {name: ids.spellings(rows, name, file=section.file) for name in section.peers}
    return Read(section=section, source=source, rows=rows, place=place, students=students, peers=peers)


def _dates(section: Section) -> Dates:
    """What the plan says of the dates of a file, and what its columns are for."""
    roles = {name: role for role, name in section.roles()}
    return Dates(
        layouts=section.dates,
        year=section.year,
        first_month=section.first_month,
        times=frozenset(name for name, role in roles.items() if role == "time"),
        coarsened=frozenset(name for name, role in roles.items() if role == "quasi"),
        may_fail=getattr(section, "rows_without_time", "refuse") == "drop",
        file=section.file,
    )


def _excluded(plan_: Plan, reads: Sequence[Read], withdrawn: Path | None) -> dict[str, Optouts | None]:
    """By file: those whom the plan leaves out, and those whom `sharewell withdraw` took out after a release."""
    exclude = plan_.header.exclude
    named = None if exclude is None else _optouts(exclude, plan_.folder, reads)
    later = {} if withdrawn is None else optouts.later(withdrawn)
    everywhere = later.get(optouts.ALL_FILES, frozenset())
    return {
        one.section.label: optouts.with_later(named, everywhere | later.get(one.section.label, frozenset()))
        for one in reads
    }


def _optouts(exclude: Exclude, folder: Path, reads: Sequence[Read]) -> Optouts:
    mark = Fingerprint.of(folder / exclude.file)
    others = [peers for one in reads for peers in one.peers.values()]
    found = optouts.read(exclude, folder, [one.known for one in reads], others)
    mark.check()
    return found


def _kept(one: Read, excluded: Optouts | None) -> Table:
    """The rows of students who take part, with ids in their normal form and peers who said no no longer named."""
    section, table = one.section, one.rows
    if section.rows_without_student == "drop":
        table = table.filter(~ids.is_missing(table, section.student, one.students))
    if not ids.are_normal(table, section.student, one.students):
        table = ids.in_normal_form(table, section.student, one.students)
    for name, known in one.peers.items():
        if excluded is not None or not ids.are_normal(table, name, known):
            table = ids.in_normal_form(table, name, known if excluded is None else _named(known, excluded))
    if excluded is not None:
        table = table.anti_join(excluded.students, table[section.student] == excluded.students.student)
    if table is not one.rows or not isinstance(table.op(), DatabaseTable):  # as it stands on disk it will do
        table = engine.materialise(table if table is one.rows else table.order_by(one.place))  # joins leave no order
    if engine.value(table.count()) == 0:
        raise InputError("no row is left after leaving out the excluded students", file=section.file)
    return table


def _named(peers: Table, excluded: Optouts) -> Table:
    """The spellings of peers; those who said no are nobody's."""
    return engine.materialise(peers.anti_join(excluded.students, "student"))


def _cleaned(one: Read, kept: Table) -> formats.Source:
    with engine.one_of(plan.engines(one.section)):
        return replace(one.source, table=engine.there(kept.drop(one.place)))


def _left(one: Read, excluded: Optouts | None) -> int:
    """How many students of a file said no."""
    if excluded is None:
        return 0
    return int(engine.value(one.students.semi_join(excluded.students, "student").count()))


def _check_join(reads: Sequence[Read]) -> None:
    """Files that share no student cannot be joined: one pseudonym would stand for nobody, and no attack be measured."""
    groups = [{one.section.label} for one in reads]
    for one, other in combinations(reads, 2):
        if _share_a_student(one, other):
            groups = _merged(groups, {one.section.label, other.section.label})
    if len(groups) > 1:
        alone = min(groups, key=lambda group: (len(group), sorted(group)))
        rest = sorted({one.section.label for one in reads} - alone)
        raise InputError(
            f"join = true, and no student of {', '.join(sorted(alone))} occurs in {', '.join(rest)}: "
            "write the ids alike in all files, or take join = true out of the plan"
        )


def _share_a_student(one: Read, other: Read) -> bool:
    shared = one.students.semi_join(other.students, "student")
    return bool(engine.value(shared.limit(1).count()))


def _merged(groups: Iterable[set[str]], pair: set[str]) -> list[set[str]]:
    apart = [group for group in groups if not group & pair]
    return [*apart, set().union(*(group for group in groups if group & pair))]


def _extras(section: Section, plan_: Plan) -> dict[str, Table]:
    """Further tables. A roster keeps excluded students: their names are to be found and removed as well."""
    return {what: _extra(section, what, path, plan_) for what, path in section.files().items()}


def _extra(section: Section, what: str, path: Path, plan_: Plan) -> Table:
    mark = Fingerprint.of(path)
    table = formats.read(path, sizes=plan_.header.sizes).table
    absent = [name for name in section.people().get(what, ()) if name not in table.columns]
    if absent:
        raise InputError(
            f"[{section.label}] {what}: the plan names column '{absent[0]}', which the first line does not have",
            file=path,
        )
    table = on_disk(table, path)
    mark.check()
    return table


def on_disk(table: Table, path: Path) -> Table:
    """The rows of a file computed once. What the engine says of a cell quotes it, so only the file is told."""
    try:
        return engine.materialise(table)
    except duckdb.Error:
        raise InputError(
            "holds a cell that cannot be read as what its column says; export it again", file=path
        ) from None


def _reviewed(section: Section, folder: Path | None) -> dict[str, Table]:
    """What people decided earlier: the files in the review folder of this section."""
    if folder is None or not (folder / section.label).is_dir():
        return {}
    files = sorted((folder / section.label).glob("*.csv"))
    return {path.stem: as_they_were(formats.read(path).table) for path in files}


def _people(plan_: Plan, extras: Mapping[str, Mapping[str, Table]]) -> Iterator[str]:
    """The cells of every roster of the plan: names and addresses of whoever is on the course."""
    for section in plan_.sections:
        for what, columns in section.people().items():
            listed = engine.arrow(extras[section.label][what].select(*columns))
            yield from (str(cell) for name in columns for cell in listed[name].to_pylist() if cell)
