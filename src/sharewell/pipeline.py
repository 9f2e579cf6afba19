"""The whole flow: read → risk before → protect → risk after → utility → gate → write."""

import tempfile
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from sharewell import disclosure, examine, progress
from sharewell.data import engine, scratch, sources
from sharewell.data.fetched import fetched
from sharewell.data.fingerprint import Fingerprint
from sharewell.data.keyed import Keyed, new_key
from sharewell.data.sources import Sources
from sharewell.errors import NotYet, Refused, VerificationFailed
from sharewell.examine import Examined
from sharewell.findings import Failure, Findings, Verdict
from sharewell.plan.document import Plan, engines
from sharewell.plan.sections import Section
from sharewell.practice import copy as practice
from sharewell.release import (
    advice,
    gate,
    kept_work,
    linkage,
    membership_left,
    office,
    place,
    recorded,
    standing,
    verify,
    write,
)
from sharewell.release import withdraw as withdrawal
from sharewell.release.kept_work import KeptWork
from sharewell.release.office import Office
from sharewell.release.place import Place
from sharewell.release.withdraw import Withdrawal


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """What a run came to, and where the report is."""

    findings: Findings
    verdict: Verdict
    report: Path | None = None
    notes: tuple[str, ...] = ()
    release: str | None = None  # the name of what was made

    @property
    def disclosed(self) -> disclosure.Disclosed:
        """The findings as anybody may read them."""
        return disclosure.disclose(self.findings)


@dataclass(frozen=True, kw_only=True)
class Withdrawn:
    """Who leaves, and the version without them: none where no release holds any of them."""

    leaving: Withdrawal
    outcome: Outcome | None = None
    notices: tuple[Path, ...] = ()


def release(plan: Plan, *, root: Path | None = None, over: bool = False) -> Outcome:
    """Protect, check, write — or refuse; nothing appears before it is complete."""
    where, plan = Place(root or plan.folder), _fetched(plan)
    place.prepare(where, replace=over)
    with place.clear_sentences(where.root), place.only_one_at_a_time(where, replace=over):
        return _release(office.opened(plan, where, alone=True), over=over)


def release_each(plans: Sequence[Plan], *, root: Path | None = None, over: bool = False) -> dict[str, Outcome]:
    """Release one plan for several audiences, the widest first.

    All of them use one key: a recipient of two of them could link fresh pseudonyms by what students do. What two
    disclose together is measured by the register that they share; a file whose groups could be intersected with those
    of a wider audience gets the groups of that one.
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
        made[header.audience] = outcome = _beside_wider(replace(plan, header=header), folder, over=over)
        if key is None and outcome.release is not None:
            key = folder / "private" / f"key-{outcome.release.partition('-')[0]}"
    return made


def _beside_wider(plan: Plan, root: Path, *, over: bool) -> Outcome:
    """A release with groups of its own where two releases allow that; else with those of the release before."""
    outcome = release(plan, root=root, over=over)
    if outcome.verdict.passed:
        return outcome
    reach = office.opened(plan, Place(root)).within_reach()
    again = advice.as_in_earlier(plan, outcome.findings, reach)
    if again is None:
        return outcome
    outcome = release(again, root=root, over=over)
    note = (
        f"the {plan.header.audience} release uses what a wider one was made with: groups of its own would have left "
        "students too little company in both; it shows no more than the wider one"
    )
    return replace(outcome, notes=(*outcome.notes, note)) if outcome.verdict.passed else outcome


def _fetched(plan: Plan) -> Plan:
    """The plan with its files on this machine, once the engine that is chosen has started, where a kind needs it."""
    if any(engine.chosen() in engines(section) for section in plan.sections):
        engine.prepare()
    return fetched(plan)


def _release(home: Office, *, over: bool) -> Outcome:
    """The flow itself, at a place that nobody else writes to."""
    where, began = home.where, time.monotonic()
    secret, used_again = home.key(over=over)
    keyed = Keyed(write.key(where, secret), "release")
    home = home.as_before() if over else home
    name = recorded.release_id(home.register, write.identifier(keyed))
    stands = home.there is not None and not home.rehearses
    waits = stands and home.plan.header.stalled != "refuse"
    inputs, marks = _inputs(home)
    origin = standing.made_from(home.plan, inputs, keyed)
    if stands and standing.is_made_from(where, home.there, origin) and not home.register.problems():
        return _standing(home, "nothing has changed since")
    data, work = _read_for(home, keyed, inputs, marks)
    try:
        home, less = _with_what_is_left(home, data, work)
    except Refused as error:
        if not waits:
            raise
        return _stalled(home, str(error))
    plan = home.plan
    asked = {section.label: work.name(section) for section in plan.sections}
    files = examine.each(plan, data, keyed, examine.four_questions, kept=work)
    alone = _together(_findings(plan, files), files)
    findings = _with_earlier(alone, files, home, keyed)
    verdict, disclosed = gate.judge(findings), disclosure.disclose(findings)
    if waits and not verdict.passed and gate.judge(alone).passed:
        standing.keep(where, str(home.there), origin)  # the next night need not try the same again
        return _stalled(home, " ".join(verdict.reasons))
    notes = (*data.notes, *filter(None, [used_again]), *less)
    work.sweep()
    kept = write.private_findings(where, name, findings, left_out=data.left)
    write.private_tables(where, name, {file.findings.label: file.private for file in files})
    if not verdict.passed:
        tried = _tried(home, data, files, findings, work, seconds=time.monotonic() - began)
        verdict = replace(verdict, tried=tried)
        report = write.refusal(where, name, plan, disclosed, verdict)
        return Outcome(findings=findings, verdict=verdict, report=report, notes=notes)
    invented = practice.copy(plan, data, keyed.within("practice")) if plan.header.practice else None
    with place.staging(where) as built:
        binds = home.binds(keyed.secret("binds"), kept.read_bytes())
        with progress.step("writing"):
            write.data(built, ((file.findings.file, file.source, file.table) for file in files))
            if invented is not None:
                invented.write(built / practice.FOLDER)
        write.papers(built, plan, disclosed, verdict, identifier=name, binds=binds)
        home.sign(built)
        _check(built)
        records = [file.record for file in files if file.record is not None]
        home.write_down(name, built, records, disclosed, key=write.identifier(keyed), asked=asked)
        target = home.publish(name, built, over=over)
    if not home.rehearses:
        standing.keep(where, name, origin)
    notes = (*notes, *filter(None, [home.waits_for(target)]))
    return Outcome(findings=findings, verdict=verdict, report=target / "report.html", notes=notes, release=name)


def _stalled(home: Office, why: str) -> Outcome:
    """A next version that earlier releases stand in the way of: the plan says what then."""
    if home.plan.header.stalled == "wait":
        raise NotYet(f"release {home.there} stands, and no next version is made yet. {why}")
    return _standing(home, f"no next version is made ({why}), so it stands")


def _standing(home: Office, why: str) -> Outcome:
    """The release that is there, as its own papers say."""
    release = home.where.release
    found, verdict = standing.findings(release, seed=home.plan.header.seed)
    note = f"release {home.there}: {why}; nothing was written"
    return Outcome(findings=found, verdict=verdict, report=release / "report.html", notes=(note,), release=home.there)


def _inputs(home: Office) -> tuple[dict[str, str], list[Fingerprint]]:
    """Hash every file that a run reads, once; fingerprints say whether it is still the same after it was read."""
    others = (home.where.private / "review", home.withdrawn)
    paths = kept_work.inputs(home.plan, [path for path in others if path is not None])
    marks = [Fingerprint.of(path) for path in paths]
    return kept_work.digests(paths), marks


def _read_for(
    home: Office, keyed: Keyed, inputs: dict[str, str], marks: Sequence[Fingerprint]
) -> tuple[Sources, KeptWork]:
    """The data of a plan, and what an earlier try found out from the very same inputs."""
    plan, review = home.plan, home.where.private / "review"
    with progress.step("reading the files"):
        data = sources.read(plan, review=review, withdrawn=home.withdrawn)
    for mark in marks:
        mark.check()
    return data, KeptWork(where=home.home, plan=plan, keyed=keyed, inputs=inputs, writes=not home.rehearses)


def _with_what_is_left(home: Office, data: Sources, work: KeptWork) -> tuple[Office, list[str]]:
    """Hold invented students to what earlier releases of the same students left of the limits."""
    sections, notes = list(home.plan.sections), []
    for number, section in enumerate(sections):
        limits = section.limits()
        if not home.earlier or membership_left.GATES.keys().isdisjoint(limits):
            continue
        left = home.left_of(section, _ids(section, data), work.name)
        sections[number] = section.held_to(**left)
        notes += [_said_of_what_is_left(section, gate, found) for gate, found in left.items() if found < limits[gate]]
    return replace(home, plan=replace(home.plan, sections=tuple(sections))), notes


def _said_of_what_is_left(section: Section, gate: str, left: float) -> str:
    limit = section.limits()[gate]
    used = f"{section.label}: earlier releases already used part of the membership budget"
    if left < membership_left.GATES[gate].least:
        raise Refused(
            f"{used}, and no other file learnt from the same students can be added within the limit on {gate}, "
            f"{limit:g}. Leave [{section.label}] out of this release: recipients keep the file that they have"
        )
    return f"{used}; of the limit on {gate}, {limit:g}, they leave {left:.3f}"


def _ids(section: Section, data: Sources) -> list[str]:
    found: list[str] = engine.arrow(examine.students(section, data))["value"].to_pylist()
    return found


def _tried(
    home: Office, data: Sources, files: Sequence[Examined], findings: Findings, work: KeptWork, *, seconds: float
) -> tuple[str, ...]:
    """Changes of the plan that might help, each carried through all attacks before it is suggested."""
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
    made = examine.anew(section, plan, data, keyed, kept)
    kept.remember(section)
    return made


def _named_key(plan: Plan) -> Keyed:
    assert plan.header.key is not None
    return Keyed(write.read_key(plan.folder / plan.header.key), "release")


def rehearse(plan: Plan, *, root: Path | None = None, look: Callable[[Outcome], None] | None = None) -> Outcome:
    """Make a release in a temporary folder; keep nothing but what `look` saw."""
    real, plan = Place(root or plan.folder), _fetched(plan)
    with tempfile.TemporaryDirectory(prefix="dry-run-", dir=scratch.scratch()) as folder:  # it holds a key
        trial = Place(Path(folder))
        place.prepare(trial, replace=False)
        write.copy_review(real, trial)
        outcome = _release(office.rehearsed(office.opened(plan, real), trial), over=real.release.exists())
        if look is not None:
            look(outcome)
    return Outcome(findings=outcome.findings, verdict=outcome.verdict, notes=outcome.notes)


def withdraw(plan: Plan, students: Sequence[str], *, root: Path | None = None) -> Withdrawn:
    """Make a next version without late opt-outs and those who leave with them."""
    where, plan = Place(root or plan.folder), _fetched(plan)
    place.prepare(where, replace=True)
    with place.only_one_at_a_time(where), place.clear_sentences(where.root):
        home = office.opened(plan, where, alone=True)
        data = sources.read(plan, withdrawn=home.withdrawn)
        everyone = {who for section in plan.sections for who in _ids(section, data)}
        leaving = withdrawal.prepared(home, students, sorted(everyone))
        if not leaving.students:
            return Withdrawn(leaving=leaving)
        withdrawal.keep_out(where, leaving)
        outcome = _release(home, over=True)
        again = None if outcome.verdict.passed else advice.as_in_earlier(plan, outcome.findings, home.within_reach())
        if again is not None:  # groups formed anew would leave some too little company in both versions
            outcome = _release(replace(home, plan=again), over=True)
        notices = withdrawal.written_down(home, leaving, outcome.release)
    return Withdrawn(leaving=leaving, outcome=outcome, notices=tuple(notices))


def assess(plan: Plan) -> Findings:
    """The risk of the data as it stands."""
    plan = _fetched(plan)
    data = sources.read(plan)
    keyed = Keyed(new_key(), "release")
    return _findings(plan, examine.each(plan, data, keyed, examine.as_it_stands))


def explore(plan: Plan, *, root: Path | None = None) -> Findings:
    """Draw the trade-off curve of every file; write nothing under release/.

    With `root` the work is kept there in private/, with the key that the next release will use.
    """
    plan = _fetched(plan)
    if root is None:
        files = examine.each(plan, sources.read(plan), Keyed(new_key(), "release"), examine.four_questions)
        return _together(_findings(plan, files), files)
    home = office.opened(plan, Place(root))
    secret, _ = home.key(over=home.where.release.exists())
    keyed = Keyed(write.key(home.where, secret), "release")
    data, work = _read_for(home, keyed, *_inputs(home))
    home, _ = _with_what_is_left(home, data, work)
    files = examine.each(home.plan, data, keyed, examine.four_questions, kept=work)
    return _together(_findings(home.plan, files), files)


def _findings(plan: Plan, files: Sequence[Examined]) -> Findings:
    """The findings of all files; who is seen to be missing is said once, of the file that shows most."""
    header = plan.header
    absent = max((file.absent for file in files if file.absent), key=lambda risk: risk.value, default=None)
    return Findings(
        release=header.name,
        audience=header.audience,
        join=header.join,
        seed=header.seed,
        files=tuple(
            replace(file.findings, after=(*file.findings.after, absent))
            if absent is not None and file.absent is absent
            else file.findings
            for file in files
        ),
    )


def _together(findings: Findings, files: Iterable[Examined]) -> Findings:
    """The release as a whole: what two files disclose together. Invented students cannot be joined to real ones."""
    linkable = [file.linkable for file in files if file.linkable is not None]
    failures: list[Failure] = []
    with progress.step("attacking the files together"):
        risks = examine.measured(
            "linkage",
            failures,
            lambda: linkage.attack(linkable, joined=findings.join, audience=findings.audience, seed=findings.seed),
        )
    return replace(findings, linkage=risks, failures=tuple(failures))


def _with_earlier(findings: Findings, files: Iterable[Examined], home: Office, keyed: Keyed) -> Findings:
    """What the release discloses together with every earlier one of the same students."""
    records = [file.record for file in files if file.record is not None]
    failures: list[Failure] = []
    with progress.step("attacking it together with earlier releases"):
        risks = examine.measured(
            "earlier releases",
            failures,
            lambda: home.risks(records, key=write.identifier(keyed), seed=findings.seed),
        )
    return replace(findings, linkage=(*findings.linkage, *risks), failures=(*findings.failures, *failures))


def _check(built: Path) -> None:
    """The finished files are read back and measured once more, each kind by its `recheck`."""
    with progress.step("measuring again what was written"):
        problems = verify.verify(built, waiting=True, pages=False).problems  # written from the summary just now
    if problems:
        raise VerificationFailed("the finished files do not hold what was measured: " + "; ".join(problems))
