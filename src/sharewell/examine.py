"""One file through its four questions: risk as it stands, protection, attacks on what would be released, usefulness.

A question that cannot be answered becomes a failure, which the gate refuses.
"""

import traceback
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from ibis.expr.types import Table

from sharewell import kinds, progress
from sharewell.contract import Job, Memory, NoMemory, Protected, Risk, Study
from sharewell.data import engine, formats, id_mapping, original_ids, pseudonyms, workers
from sharewell.data.keyed import Keyed
from sharewell.data.sources import Sources
from sharewell.errors import Gathering, Refused, SharewellError
from sharewell.findings import Failure, FileFindings
from sharewell.plan.document import Plan, engines
from sharewell.plan.sections import Section
from sharewell.release import linkage
from sharewell.release.kept_work import KeptAnswers, KeptWork
from sharewell.release.missing import missing
from sharewell.release.recorded import FileRecord

Result = TypeVar("Result")


@dataclass(frozen=True, kw_only=True)
class Examined:
    """One file after its four questions: what was found, the rows to write, and what stays private."""

    findings: FileFindings
    source: formats.Source
    table: Table | None = None
    linkable: linkage.File | None = None
    record: FileRecord | None = None
    absent: Risk | None = None  # who is seen to be missing from this file
    private: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class Opened:
    """A file ready for its questions, or what its kind had to say against that."""

    study: Study | None
    failures: tuple[Failure, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Answered:
    """What a file answered: its risk as it stands and, where all four questions were asked and answered, the rest."""

    before: tuple[Risk, ...]
    answers: KeptAnswers | None = None
    failures: tuple[Failure, ...] = ()


Questions = Callable[[Section, Opened], Answered]


def each(
    plan: Plan, data: Sources, keyed: Keyed, questions: Questions, *, kept: KeptWork | None = None
) -> list[Examined]:
    """Ask the same questions of every file; name a bad row by its place in the file."""
    opened, gathered = {}, Gathering()
    with progress.run([section.label for section in plan.sections]):
        for section in plan.sections:
            with gathered.part(), data.rows_as_in_file(section.label), engine.one_of(engines(section)):
                memory = kept.memory(section) if kept is not None else None
                opened[section.label] = open_study(section, plan, data, keyed, memory)
        gathered.report()  # before any long work starts
        asked = {}
        for section in plan.sections:
            if kept is not None and not opened[section.label].failures and (answers := kept.find(section)) is not None:
                asked[section.label] = Answered(before=answers.before, answers=answers)
        ahead = opened.keys() - asked
        if len(ahead) > 1 and workers.number() > 1 and engine.chosen() == engine.DUCKDB.name:
            asked |= _side_by_side(plan, data, keyed, questions, ahead, kept)
        examined = []
        for section in plan.sections:
            with data.rows_as_in_file(section.label), engine.one_of(engines(section)):
                one, said = opened.pop(section.label), asked.get(section.label)
                examined.append(_examined(section, plan, data, keyed, said or questions(section, one), kept))
    return examined


def anew(section: Section, plan: Plan, data: Sources, keyed: Keyed, kept: KeptWork) -> Examined:
    """All four questions to one file alone, whatever it answered earlier."""
    with engine.one_of(engines(section)):
        opened = open_study(section, plan, data, keyed, kept.memory(section))
        return _examined(section, plan, data, keyed, four_questions(section, opened), None)


def _side_by_side(
    plan: Plan, data: Sources, keyed: Keyed, questions: Questions, labels: Collection[str], kept: KeptWork | None
) -> dict[str, Answered]:
    """The answers of several files at a time, each by a worker that opens it once more; the largest begin."""
    jobs = [
        job_of(section, plan, data, keyed, kept.memory(section) if kept is not None else None)
        for section in plan.sections
        if section.label in labels
    ]
    jobs.sort(key=lambda job: -int(engine.value(job.source.count())))
    asked = {}
    with progress.step("several files at a time"):
        answered = workers.each(partial(_by_worker, questions), jobs, processes=workers.number())
        for job, (said, memory) in zip(jobs, answered, strict=True):
            asked[job.section.label] = said
            if kept is not None:
                kept.memory(job.section).take_over(memory)
    return asked


def _by_worker(questions: Questions, job: Job) -> tuple[Answered, Memory]:
    return questions(job.section, _opened(job)), job.memory


def open_study(section: Section, plan: Plan, data: Sources, keyed: Keyed, memory: Memory | None = None) -> Opened:
    """The file prepared once for all four questions."""
    return _opened(job_of(section, plan, data, keyed, memory))


def _opened(job: Job) -> Opened:
    failures: list[Failure] = []
    with progress.step(f"{job.section.label}: reading"):
        study = _attempt("reading", failures, lambda: kinds.load(job.section.kind).open(job))
    return Opened(study=study, failures=tuple(failures))


def job_of(section: Section, plan: Plan, data: Sources, keyed: Keyed, memory: Memory | None = None) -> Job:
    return Job(
        section=section,
        source=data.files[section.label].table,
        seed=plan.header.seed,
        keyed=keyed.within(section.label),
        extras=data.extras[section.label],
        review=data.review[section.label],
        people=data.people,
        memory=memory or NoMemory(),
    )


def as_it_stands(section: Section, opened: Opened) -> Answered:
    """The first question alone: the risk of the data as they are."""
    failures = list(opened.failures)
    return Answered(before=_before(section, opened.study, failures), failures=tuple(failures))


def four_questions(section: Section, opened: Opened) -> Answered:
    """Ask all four questions; only the risk as it stands where nothing is protected."""
    study, failures = opened.study, list(opened.failures)
    before, answers = _before(section, study, failures), None
    protected = _protected(section, study, failures)
    if study is not None and protected is not None:
        with progress.step(f"{section.label}: attacking what would be released"):
            after = measured("risk after", failures, lambda: study.attack(protected))
        with progress.step(f"{section.label}: usefulness"):
            utility = measured("usefulness", failures, lambda: study.utility(protected))
        answers = KeptAnswers(before=before, protected=protected, after=after, utility=utility)
    return Answered(before=before, answers=answers, failures=tuple(failures))


def _before(section: Section, study: Study | None, failures: list[Failure]) -> tuple[Risk, ...]:
    if study is None:
        return ()
    with progress.step(f"{section.label}: risk as it stands"):
        return measured("risk before", failures, study.before)


def _protected(section: Section, study: Study | None, failures: list[Failure]) -> Protected | None:
    """What would be released, computed once and kept on disk for every later question."""
    if study is None:
        return None
    with progress.step(f"{section.label}: protecting"):
        protected = _attempt("protection", failures, study.protect)
    return protected and replace(protected, table=engine.there(engine.materialise(protected.table)))


def _examined(
    section: Section, plan: Plan, data: Sources, keyed: Keyed, asked: Answered, kept: KeptWork | None
) -> Examined:
    """What the house makes of the answers of a file; the next try finds them again."""
    answers, failures = asked.answers, list(asked.failures)
    if kept is not None:
        kept.remember(section)
    if answers is None:
        findings = _file(section, plan, data, before=asked.before, failures=asked.failures)
        return Examined(findings=findings, source=data.files[section.label])
    if kept is not None and not failures:
        kept.keep(section, answers)
    with progress.step(f"{section.label}: pseudonyms"):
        return _answered(section, plan, data, keyed, answers, failures)


def _answered(
    section: Section, plan: Plan, data: Sources, keyed: Keyed, answers: KeptAnswers, failures: list[Failure]
) -> Examined:
    """Findings, rows to write and what the register wants to know, from the answers."""
    protected = answers.protected
    linkable, named = None, None
    of_students = not (protected.synthetic or protected.aggregate)
    if of_students:
        linkable = _linkable(section, protected)
        named = pseudonyms.of_students(protected.table, section, keyed, joined=plan.header.join)
    table = pseudonyms.pseudonymise(protected, section, keyed, students=named)
    _attempt("ids", failures, lambda: _no_original_id(section, data, table))
    absent = None
    if of_students:
        there = int(engine.value(protected.table[section.student].nunique()))
        given = int(engine.value(data.files[section.label].table[section.student].nunique()))
        absent = missing(data.left[section.label], given, there, plan.header.audience)
    findings = _file(
        section,
        plan,
        data,
        before=answers.before,
        after=answers.after,
        utility=answers.utility,
        rows_after=int(engine.value(protected.table.count())),
        changes=(*pseudonyms.changes(section, named=of_students), *protected.changes),
        curve=protected.curve,
        methods=protected.methods,
        facts=protected.facts,
        synthetic=protected.synthetic,
        made_with=protected.made_with,
        linkable=linkable.described() if linkable else None,
        failures=tuple(failures),
    )
    return Examined(
        findings=findings,
        source=data.files[section.label],
        table=table,
        linkable=linkable,
        record=FileRecord(
            label=section.label,
            students=engine.materialise(engine.here(students(section, data))),
            pseudonyms=None if named is None else engine.here(named),
            linkable=linkable,
        ),
        absent=absent,
        private=protected.private,
    )


def _no_original_id(section: Section, data: Sources, table: Table) -> None:
    """No id of the original leaves, whatever the kind and whatever the plan calls its column."""
    if columns := original_ids.columns_that_tell(data.files[section.label].table, table, section):
        raise Refused(original_ids.sentence(section, columns))


def _linkable(section: Section, protected: Protected) -> linkage.File:
    """What somebody may know of the rows of a file, and what can be compared with another file."""
    written = protected.table.drop(*(name for name in protected.helpers if name in protected.table.columns))
    written = engine.here(written)  # what is compared with other files and kept for the register is small enough
    columns: dict[str, list[str]] = {}
    for role, name in section.roles():
        if name in written.columns:
            columns.setdefault(role, []).append(name)
    return linkage.File(
        label=section.label,
        table=written,
        student=section.student,
        known=(
            *columns.get("quasi", []),
            *columns.get("time", []),
            *protected.facts.get("known columns", ()),
            *(name for name in getattr(section, "unknowable", ()) if name in written.columns),  # known in every file
        ),
        times=tuple(columns.get("time", [])),
        ids=tuple(columns.get("ids", [])),
        peers=tuple(columns.get("peers", [])),
        text=tuple(columns.get("text", [])),
    )


def students(section: Section, data: Sources) -> Table:
    return id_mapping.values(data.files[section.label].table, [section.student])


def _file(section: Section, plan: Plan, data: Sources, **found: Any) -> FileFindings:
    source = data.files[section.label]
    return FileFindings(
        kind=section.kind,
        name=section.name,
        file=_output_name(section, plan),
        format=formats.left_as(source.format),
        limits=section.limits(),
        rows_before=int(engine.value(source.table.count())),
        students=_number_of_students(section, source.table),
        engine=engine.of(source.table).name,
        dates={column: how.told() for column, how in source.dates.items()},
        **found,
    )


def _number_of_students(section: Section, table: Table) -> int:
    """Whom the file speaks of; rows where no column names them."""
    named = section.student in table.columns
    return int(engine.value(table[section.student].nunique() if named else table.count()))


def _output_name(section: Section, plan: Plan) -> str:
    """The name the file came with; two files of one name are named by their sections."""
    name = formats.left_name(section.path.name, section.format)
    same = [other for other in plan.sections if other.path.name == section.path.name]
    return name if len(same) == 1 else f"{section.kind}-{section.name}-{name}"


def measured(stage: str, failures: list[Failure], measure: Callable[[], Iterable[Result]]) -> tuple[Result, ...]:
    return tuple(_attempt(stage, failures, measure) or ())


def _attempt(stage: str, failures: list[Failure], action: Callable[[], Result]) -> Result | None:
    """An error inside a measure becomes a failure that the gate refuses; a user's mistake stays one."""
    try:
        with engine.clear_sentences():
            return action()
    except Refused as error:
        failures.append(Failure(stage=stage, reason=str(error)))
    except SharewellError:
        raise
    except Exception as error:  # its message may carry values of students: only kind and place are shown
        failures.append(Failure(stage=stage, reason=f"{type(error).__name__} at {_where(error)}"))
    return None


def _where(error: BaseException) -> str:
    frame = traceback.extract_tb(error.__traceback__)[-1]
    return f"{Path(frame.filename).name}:{frame.lineno}"
