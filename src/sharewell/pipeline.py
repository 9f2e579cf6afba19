"""The whole flow: read → risk before → protect → risk after → utility → gate → write."""

import tempfile
import time
import traceback
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from ibis.expr.types import Table

from sharewell import disclosure, kinds, progress
from sharewell.contract import Job, Memory, NoMemory, Protected, Risk, Study
from sharewell.data import engine, formats, lookup, original_ids, pseudonyms, scratch, sources
from sharewell.data.formats.parts import is_in_parts
from sharewell.data.keyed import Keyed, new_key
from sharewell.data.postgres import fetched
from sharewell.data.sources import Sources
from sharewell.errors import Gathering, InputError, PlanError, Refused, SharewellError, VerificationFailed
from sharewell.findings import Failure, FileFindings, Findings, Verdict
from sharewell.plan.document import Plan
from sharewell.plan.sections import Section
from sharewell.release import advice, gate, kept_work, linkage, office, place, recorded, verify, write
from sharewell.release import withdraw as withdrawal
from sharewell.release.kept_work import Answers, KeptWork
from sharewell.release.office import Office
from sharewell.release.place import Place
from sharewell.release.recorded import Held
from sharewell.release.withdraw import Withdrawal
from sharewell.release.write import Made

Result = TypeVar("Result")
Work = Callable[[Section, Plan, Sources, Keyed, "Opened"], "Examined"]


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """What a run came to, and where the report is."""

    findings: Findings
    verdict: Verdict
    report: Path | None = None
    notes: tuple[str, ...] = ()
    release: str | None = None  # the name of what was made

    @property
    def told(self) -> disclosure.Told:
        """The findings as anybody may read them."""
        return disclosure.told(self.findings)


@dataclass(frozen=True, kw_only=True)
class Withdrawn:
    """Who leaves, and the version without them: none where no release holds any of them."""

    leaving: Withdrawal
    outcome: Outcome | None = None
    notices: tuple[Path, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Examined:
    """One file after its four questions: what was found, the rows to write, and what stays private."""

    findings: FileFindings
    source: formats.Source
    table: Table | None = None
    linkable: linkage.File | None = None
    held: Held | None = None
    private: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class Opened:
    """A file ready for its questions, or what its kind had to say against that."""

    study: Study | None
    failures: tuple[Failure, ...] = ()


def release(plan: Plan, *, root: Path | None = None, over: bool = False) -> Outcome:
    """Protect, check, write — or refuse. Nothing appears under release/ before all of it is there and checked."""
    where, plan = Place(root or plan.folder), _fetched(plan)
    place.prepare(where, replace=over)
    with place.clear_sentences(where.root), place.only_one_at_a_time(where, replace=over):
        return _release(office.opened(plan, where, alone=True), over=over)


def release_each(plans: Sequence[Plan], *, root: Path | None = None, over: bool = False) -> dict[str, Outcome]:
    """One plan for several audiences, the widest first: each in a folder of its own, measured with those before it.

    All of them use one key: who may hold two of them could link fresh pseudonyms by what students do. What two of them
    tell together is measured by the register that they share.
    """
    made: dict[str, Outcome] = {}
    key: Path | None = None
    for plan in plans:
        base = (root or plan.folder).resolve()
        folder, header = base / plan.header.audience, plan.header
        if header.register is None:
            header = replace(header, register=str(base / "private" / "register"))
        if header.key is None and key is not None:
            header = replace(header, key=str(key))
        made[header.audience] = outcome = release(replace(plan, header=header), root=folder, over=over)
        if key is None and outcome.release is not None:
            key = folder / "private" / f"key-{outcome.release.partition('-')[0]}"
    return made


def _fetched(plan: Plan) -> Plan:
    """The plan with its files on this machine, once the engine is seen to know all of its kinds."""
    name = engine.chosen()
    others = [section.label for section in plan.sections if name not in kinds.load(section.kind).engines]
    if others:
        problem = f"is computed on DuckDB alone so far; leave out --engine {name}, or the section"
        raise PlanError([f"[{label}] {problem}" for label in others], file=plan.path)
    engine.prepare()
    return fetched(plan)


def _release(home: Office, *, over: bool) -> Outcome:
    """The flow itself, at a place that nobody else writes to."""
    plan, where, began = home.plan, home.where, time.monotonic()
    secret, used_again = home.key(over=over)
    keyed = Keyed(write.key(where, secret), "release")
    name = recorded.release_id(home.register, write.identifier(keyed))
    data, work = _read_for(home, keyed)
    files = _each(plan, data, keyed, partial(_examine, kept=work), kept=work)
    findings = _with_earlier(_together(_findings(plan, files), files), files, home, keyed)
    verdict, told = gate.judge(findings), disclosure.told(findings)
    notes = (*data.notes, *filter(None, [used_again]))
    work.sweep()
    kept = write.private_findings(where, name, findings, left_out=data.left)
    write.private_tables(where, name, {file.findings.label: file.private for file in files})
    if not verdict.passed:
        tried = _tried(home, data, files, findings, work, seconds=time.monotonic() - began)
        verdict = replace(verdict, tried=tried)
        report = write.refusal(where, name, plan, told, verdict)
        return Outcome(findings=findings, verdict=verdict, report=report, notes=notes)
    with place.staging(where) as built:
        binds = home.binds(keyed.secret("binds"), kept.read_bytes())
        write.data(built, ((file.findings.file, file.source, file.table) for file in files))
        write.papers(built, plan, told, verdict, Made(release=name, binds=binds, approvals=plan.header.approve))
        home.sign(built)
        _check(built)
        held = [file.held for file in files if file.held is not None]
        home.write_down(name, built, held, told, key=write.identifier(keyed))
        target = home.publish(name, built, over=over)
    notes = (*notes, *filter(None, [home.waits_for(target)]))
    return Outcome(findings=findings, verdict=verdict, report=target / "report.html", notes=notes, release=name)


def _read_for(home: Office, keyed: Keyed) -> tuple[Sources, KeptWork]:
    """The inputs of a plan, and what an earlier try found out from the very same ones."""
    plan, review = home.plan, home.where.private / "review"
    others = [path for path in (review, home.withdrawn) if path is not None]
    inputs = kept_work.digests(plan, others)
    data = sources.read(plan, review=review, withdrawn=home.withdrawn)
    if kept_work.digests(plan, others) != inputs:
        raise InputError("an input was changed while it was read; wait until it is written, and run again")
    return data, KeptWork(where=home.home, plan=plan, keyed=keyed, inputs=inputs, writes=not home.rehearses)


def _tried(
    home: Office, data: Sources, files: Sequence[Examined], findings: Findings, work: KeptWork, *, seconds: float
) -> tuple[str, ...]:
    """Changes of the plan that might help, each carried through all attacks before it is told."""
    done = {file.findings.label: file for file in files}

    def again(proposal: advice.Proposal) -> Findings:
        other = proposal.plan
        key = work.keyed if other.header.key == home.plan.header.key else _named_key(other)
        kept = replace(work, plan=other, keyed=key, memories={})
        made = [
            _tried_anew(section, other, data, key, kept) if section.label in proposal.changed else done[section.label]
            for section in other.sections
        ]
        return _with_earlier(_together(_findings(other, made), made), made, replace(home, plan=other), key)

    linkable = [file.linkable for file in files if file.linkable is not None]
    with progress.step("trying what would help"):
        proposals = advice.proposals(home.plan, findings, linkable, home.within_reach())
        return advice.tried(proposals, again, seconds=seconds)


def _tried_anew(section: Section, plan: Plan, data: Sources, keyed: Keyed, kept: KeptWork) -> Examined:
    made = _examine(section, plan, data, keyed, open_study(section, plan, data, keyed, kept.memory(section)))
    kept.remember(section)
    return made


def _named_key(plan: Plan) -> Keyed:
    assert plan.header.key is not None
    return Keyed(write.read_key(plan.folder / plan.header.key), "release")


def rehearse(plan: Plan, *, root: Path | None = None) -> Outcome:
    """A release into a folder that is thrown away: all the work and every check, nothing kept."""
    real, plan = Place(root or plan.folder), _fetched(plan)
    with tempfile.TemporaryDirectory(prefix="dry-run-", dir=scratch.scratch()) as folder:  # it holds a key
        trial = Place(Path(folder))
        place.prepare(trial, replace=False)
        write.copy_review(real, trial)
        outcome = _release(office.rehearsed(office.opened(plan, real), trial), over=real.release.exists())
    return Outcome(findings=outcome.findings, verdict=outcome.verdict, notes=outcome.notes)


def withdraw(plan: Plan, students: Sequence[str], *, root: Path | None = None) -> Withdrawn:
    """A next version without students who opted out after a release, and without those who leave with them."""
    where, plan = Place(root or plan.folder), _fetched(plan)
    place.prepare(where, replace=True)
    with place.only_one_at_a_time(where), place.clear_sentences(where.root):
        home = office.opened(plan, where, alone=True)
        data = sources.read(plan, withdrawn=home.withdrawn)
        everyone = {who for one in plan.sections for who in engine.arrow(_students(one, data))["value"].to_pylist()}
        leaving = withdrawal.prepared(home, students, sorted(everyone))
        if not leaving.students:
            return Withdrawn(leaving=leaving)
        withdrawal.keep_out(where, leaving.everyone)
        outcome = _release(home, over=True)
        notices = withdrawal.written_down(home, leaving, outcome.release)
    return Withdrawn(leaving=leaving, outcome=outcome, notices=tuple(notices))


def assess(plan: Plan) -> Findings:
    """The risk of the data as it stands."""
    plan = _fetched(plan)
    data = sources.read(plan)
    keyed = Keyed(new_key(), "release")
    return _findings(plan, _each(plan, data, keyed, _assess))


def explore(plan: Plan, *, root: Path | None = None) -> Findings:
    """The trade-off curve of every file, with the choice the limits would make. Writes nothing under release/.

    With `root` the work is kept there in private/, with the key that the next release will use.
    """
    plan = _fetched(plan)
    if root is None:
        files = _each(plan, sources.read(plan), Keyed(new_key(), "release"), _examine)
        return _together(_findings(plan, files), files)
    home = office.opened(plan, Place(root))
    secret, _ = home.key(over=home.where.release.exists())
    keyed = Keyed(write.key(home.where, secret), "release")
    data, work = _read_for(home, keyed)
    files = _each(plan, data, keyed, partial(_examine, kept=work), kept=work)
    return _together(_findings(plan, files), files)


def _each(plan: Plan, data: Sources, keyed: Keyed, work: Work, *, kept: KeptWork | None = None) -> list["Examined"]:
    """The same work on every file; what is wrong with a row is told by its place in the file."""
    opened, examined, gathered = {}, [], Gathering()
    with progress.run([section.label for section in plan.sections]):
        for section in plan.sections:
            with gathered.part(), data.rows_as_in_file(section.label):
                memory = kept.memory(section) if kept is not None else None
                opened[section.label] = open_study(section, plan, data, keyed, memory)
        gathered.tell()  # before any long work starts
        for section in plan.sections:
            with data.rows_as_in_file(section.label):
                examined.append(work(section, plan, data, keyed, opened.pop(section.label)))
    return examined


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


def _assess(section: Section, plan: Plan, data: Sources, keyed: Keyed, opened: Opened) -> Examined:
    study, failures = opened.study, list(opened.failures)
    before = _before(section, study, failures)
    findings = _file(section, plan, data, before=before, failures=tuple(failures))
    return Examined(findings=findings, source=data.files[section.label])


def _examine(
    section: Section, plan: Plan, data: Sources, keyed: Keyed, opened: Opened, *, kept: KeptWork | None = None
) -> Examined:
    """The four questions for one file, or the answers of an earlier try from the same data, section and key."""
    failures = list(opened.failures)
    found = kept.find(section) if kept is not None and not failures else None
    answers = found or _asked(section, opened.study, failures)
    if kept is not None and found is None:
        kept.remember(section)
    if not isinstance(answers, Answers):
        findings = _file(section, plan, data, before=answers, failures=tuple(failures))
        return Examined(findings=findings, source=data.files[section.label])
    if kept is not None and found is None and not failures:
        kept.keep(section, answers)
    return _answered(section, plan, data, keyed, answers, failures)


def _asked(section: Section, study: Study | None, failures: list[Failure]) -> Answers | tuple[Risk, ...]:
    """What the kind answers; where nothing could be protected, only the risk as it stands."""
    before = _before(section, study, failures)
    protected = _protected(section, study, failures)
    if study is None or protected is None:
        return before
    with progress.step(f"{section.label}: attacking what would be released"):
        after = _measured("risk after", failures, lambda: study.attack(protected))
    with progress.step(f"{section.label}: usefulness"):
        utility = _measured("usefulness", failures, lambda: study.utility(protected))
    return Answers(before=before, protected=protected, after=after, utility=utility)


def _answered(
    section: Section, plan: Plan, data: Sources, keyed: Keyed, answers: Answers, failures: list[Failure]
) -> Examined:
    """Findings, rows to write and what the register wants to know, from the answers."""
    protected = answers.protected
    linkable, named = None, None
    if not protected.synthetic:
        linkable = _linkable(section, protected)
        named = pseudonyms.of_students(protected.table, section, keyed, joined=plan.header.join)
    table = pseudonyms.pseudonymise(protected, section, keyed, students=named)
    _attempt("ids", failures, lambda: _no_original_id(section, data, table))
    findings = _file(
        section,
        plan,
        data,
        before=answers.before,
        after=answers.after,
        utility=answers.utility,
        rows_after=int(engine.value(protected.table.count())),
        changes=(*pseudonyms.changes(section, synthetic=protected.synthetic), *protected.changes),
        curve=protected.curve,
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
        held=Held(
            label=section.label,
            students=engine.materialise(engine.here(_students(section, data))),
            pseudonyms=None if named is None else engine.here(named),
            linkable=linkable,
        ),
        private=protected.private,
    )


def _no_original_id(section: Section, data: Sources, table: Table) -> None:
    """No id of the original leaves, whatever the kind and whatever the plan calls its column."""
    if columns := original_ids.columns_that_tell(data.files[section.label].table, table, section):
        raise Refused(original_ids.sentence(section, columns))


def open_study(section: Section, plan: Plan, data: Sources, keyed: Keyed, memory: Memory | None = None) -> Opened:
    """The file prepared once for all four questions."""
    failures: list[Failure] = []
    with progress.step(f"{section.label}: reading"):
        kind, job = kinds.load(section.kind), job_of(section, plan, data, keyed, memory)
        study = _attempt("reading", failures, lambda: kind.open(job))
    return Opened(study=study, failures=tuple(failures))


def _before(section: Section, study: Study | None, failures: list[Failure]) -> tuple[Risk, ...]:
    if study is None:
        return ()
    with progress.step(f"{section.label}: risk as it stands"):
        return _measured("risk before", failures, study.before)


def _protected(section: Section, study: Study | None, failures: list[Failure]) -> Protected | None:
    """What would be released, computed once and kept on disk for every later question."""
    if study is None:
        return None
    with progress.step(f"{section.label}: protecting"):
        protected = _attempt("protection", failures, study.protect)
    return protected and replace(protected, table=engine.there(engine.materialise(protected.table)))


def _file(section: Section, plan: Plan, data: Sources, **found: Any) -> FileFindings:
    source = data.files[section.label]
    return FileFindings(
        kind=section.kind,
        name=section.name,
        file=_output_name(section, plan),
        format=source.format,
        limits=section.limits(),
        rows_before=int(engine.value(source.table.count())),
        students=_number_of_students(section, source.table),
        dates={column: how.told() for column, how in source.dates.items()},
        **found,
    )


def _number_of_students(section: Section, table: Table) -> int:
    """Whom the file speaks of; rows where no column tells them apart."""
    named = section.student in table.columns
    return int(engine.value(table[section.student].nunique() if named else table.count()))


def _output_name(section: Section, plan: Plan) -> str:
    """The name the file came with; two files of one name are told apart by their sections."""
    name = _own_name(section)
    same = [other for other in plan.sections if _own_name(other) == name]
    return name if len(same) == 1 else f"{section.kind}-{section.name}-{name}"


def _own_name(section: Section) -> str:
    """A table in parts leaves as one file."""
    name = section.path.name
    return f"{name}.parquet" if is_in_parts(section.path) and not section.path.suffix else name


def _findings(plan: Plan, files: Iterable[Examined]) -> Findings:
    header = plan.header
    return Findings(
        release=header.name,
        audience=header.audience,
        join=header.join,
        seed=header.seed,
        files=tuple(file.findings for file in files),
    )


def _together(findings: Findings, files: Iterable[Examined]) -> Findings:
    """The release as a whole: what two files tell together. Invented students cannot be joined to real ones."""
    linkable = [file.linkable for file in files if file.linkable is not None]
    failures: list[Failure] = []
    with progress.step("attacking the files together"):
        risks = _measured(
            "linkage",
            failures,
            lambda: linkage.attack(linkable, joined=findings.join, audience=findings.audience, seed=findings.seed),
        )
    return replace(findings, linkage=risks, failures=tuple(failures))


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
        known=(*columns.get("quasi", []), *columns.get("time", [])),
        times=tuple(columns.get("time", [])),
        ids=tuple(columns.get("ids", [])),
        peers=tuple(columns.get("peers", [])),
        text=tuple(columns.get("text", [])),
    )


def _students(section: Section, data: Sources) -> Table:
    return lookup.values(data.files[section.label].table, [section.student])


def _with_earlier(findings: Findings, files: Iterable[Examined], home: Office, keyed: Keyed) -> Findings:
    """What the release tells together with every earlier one of the same students."""
    held = [file.held for file in files if file.held is not None]
    failures: list[Failure] = []
    with progress.step("attacking it together with earlier releases"):
        risks = _measured(
            "earlier releases",
            failures,
            lambda: home.risks(held, key=write.identifier(keyed), seed=findings.seed),
        )
    return replace(findings, linkage=(*findings.linkage, *risks), failures=(*findings.failures, *failures))


def _measured(stage: str, failures: list[Failure], measure: Callable[[], Iterable[Result]]) -> tuple[Result, ...]:
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
    except Exception as error:  # its message may carry values of students: only kind and place are told
        failures.append(Failure(stage=stage, reason=f"{type(error).__name__} at {_where(error)}"))
    return None


def _where(error: BaseException) -> str:
    frame = traceback.extract_tb(error.__traceback__)[-1]
    return f"{Path(frame.filename).name}:{frame.lineno}"


def _check(built: Path) -> None:
    """The finished files are read back and measured once more, each kind by its `recheck`."""
    problems = verify.verify(built, waiting=True).problems
    if problems:
        raise VerificationFailed("the finished files do not hold what was measured: " + "; ".join(problems))
