"""The data of a plan: every file read, every column accounted for, excluded students gone before anything else."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

import ibis
from ibis.expr.types import StringColumn, Table

from sharewell.data import engine, formats
from sharewell.data.formats.columns import one_row_each, student_ids
from sharewell.errors import InputError, PlanError
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


def read(plan_: Plan, *, review: Path | None = None) -> Sources:
    """All files of a plan as tables without the excluded students."""
    files = {section.label: _read(section) for section in plan_.sections}
    _check_columns(plan_, files)
    excluded = _excluded(plan_)
    kept = {section.label: _kept(section, files[section.label].table, excluded) for section in plan_.sections}
    extras = {section.label: _extras(section) for section in plan_.sections}
    return Sources(
        files={section.label: _cleaned(section, files, kept[section.label], excluded) for section in plan_.sections},
        extras=extras,
        review={section.label: _reviewed(section, review) for section in plan_.sections},
        rows={label: _row_numbers(rows) for label, rows in kept.items()},
        people=tuple(_people(plan_, extras)),
        notes=tuple(_notes(plan_, files, excluded)),
    )


def _read(section: Section) -> formats.Source:
    return formats.read(
        section.path,
        format=section.format,
        encoding=section.encoding,
        delimiter=section.delimiter,
        missing=section.missing,
    )


def _check_columns(plan_: Plan, files: Mapping[str, formats.Source]) -> None:
    problems = [
        problem
        for section in plan_.sections
        for problem in plan.column_problems(section, files[section.label].table.columns)
    ]
    if problems:
        raise PlanError(problems, file=plan_.path)


@dataclass(frozen=True, kw_only=True)
class _Kept:
    """The rows of students who take part; the helper column `place` says where they stand in the file."""

    table: Table
    place: str


def _kept(section: Section, table: Table, excluded: Table | None) -> _Kept:
    place = engine.fresh(table.columns, "place")
    table = table.mutate(**{place: ibis.row_number()})
    if section.rows_without_student == "drop":
        table = table.filter(table[section.student].notnull())
    if excluded is not None:
        table = table.anti_join(excluded, folded(table[section.student]) == excluded.student)
    return _Kept(table=table, place=place)


def _row_numbers(kept: _Kept) -> Table:
    return kept.table.select(row=kept.table[kept.place])


def _cleaned(
    section: Section, files: Mapping[str, formats.Source], kept: _Kept, excluded: Table | None
) -> formats.Source:
    """Checked ids, and peers who said no no longer named."""
    source = files[section.label]
    whole = source.table
    if section.rows_without_student == "drop":
        whole = whole.filter(whole[section.student].notnull())
    student_ids(whole, section.student, file=section.file)
    if section.one_row_per_student:
        one_row_each(whole, section.student, file=section.file)
    table = kept.table
    if excluded is not None:
        for name in section.peers:
            table = _unnamed(table, name, excluded)
    table = engine.materialise(table.order_by(kept.place).drop(kept.place))
    if table.count().execute() == 0:
        raise InputError("no row is left after leaving out the excluded students", file=section.file)
    return replace(source, table=table)


def _unnamed(table: Table, name: str, excluded: Table) -> Table:
    student, flag = engine.fresh(table.columns, "student"), engine.fresh(table.columns, "gone")
    gone = excluded.select(**{student: excluded.student, flag: ibis.literal(True)})
    joined = table.left_join(gone, folded(table[name]) == gone[student])
    return joined.mutate(**{name: joined[flag].ifelse(ibis.null(), joined[name])}).select(*table.columns)


def folded(column: ibis.Column) -> StringColumn:
    """An id as a person would compare it: blanks and case do not make another student."""
    return column.cast("string").strip().lower()


def _excluded(plan_: Plan) -> Table | None:
    """The ids of the students who said no, folded and distinct."""
    exclude = plan_.header.exclude
    if exclude is None:
        return None
    table = formats.read(plan_.folder / exclude.file).table
    name = _exclude_column(exclude, table, plan_)
    ids = table.select(student=folded(table[name])).distinct()
    return engine.materialise(ids.filter(ids.student.notnull()))


def _exclude_column(exclude: Exclude, table: Table, plan_: Plan) -> str:
    known = [exclude.column] if exclude.column else [section.student for section in plan_.sections]
    for name in known:
        if name in table.columns:
            return name
    if exclude.column is None and len(table.columns) == 1:
        return table.columns[0]
    raise InputError(
        "cannot tell which column holds the ids of excluded students; say it in the plan: "
        f'exclude = {{ file = "{exclude.file}", column = "…" }}',
        file=exclude.file,
    )


def _extras(section: Section) -> dict[str, Table]:
    """Further tables. A roster keeps excluded students: their names are to be found and removed as well."""
    return {what: formats.read(path).table for what, path in section.files().items() if path.is_file()}


def _people(plan_: Plan, extras: Mapping[str, Mapping[str, Table]]) -> Iterator[str]:
    """The cells of every roster of the plan: names and addresses of whoever is on the course."""
    for section in plan_.sections:
        for what, columns in section.people().items():
            listed = engine.arrow(extras[section.label][what].select(*columns))
            yield from (str(cell) for name in columns for cell in listed[name].to_pylist() if cell)


def _reviewed(section: Section, folder: Path | None) -> dict[str, Table]:
    """What people decided earlier: the files in the review folder of this section."""
    if folder is None or not (folder / section.label).is_dir():
        return {}
    return {path.stem: formats.read(path).table for path in sorted((folder / section.label).glob("*.csv"))}


def _notes(plan_: Plan, files: Mapping[str, formats.Source], excluded: Table | None) -> Iterator[str]:
    """What a steward should know although it does not stop the run: an id that excludes nobody may be mistyped."""
    if excluded is None:
        return
    assert plan_.header.exclude is not None
    for section in plan_.sections:
        table = files[section.label].table
        excluded = excluded.anti_join(table, excluded.student == folded(table[section.student]))
    unknown = excluded.count().execute()
    if unknown:
        yield f"{unknown:,} ids in {plan_.header.exclude.file} occur in no file of the plan: are they spelled right?"
