"""Re-checks a finished release from its files alone: hashes, who signed, what its papers state, and every risk that
needs no original.

A release comes from somewhere else: its papers are read as an attacker's (see `papers` and `opened`), and whatever a
re-check cannot cope with is a problem of the release, reported in one sentence. Nothing is taken from the place that is
being checked: limits come from the summary and are set against those of the audience, columns that are said to be
dropped are looked for, and what the summary says was measured is measured again.
"""

import os
import threading
import time
import traceback
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from ibis.expr.types import Table

from sharewell import kinds
from sharewell.contract import Risk
from sharewell.data import engine, formats
from sharewell.data.fingerprint import Fingerprint
from sharewell.data.formats import dated
from sharewell.errors import InputError, SharewellError, VerificationFailed
from sharewell.release import linkage, papers, practice_promise, rewritten, signature, stated
from sharewell.release.opened import FolderContents, OpenFolder, Unsafe, opened, printable
from sharewell.release.papers import Malformed
from sharewell.release.signature import Signature, Signer
from sharewell.release.write import UNLISTED

PAPERS = ("report.html", "summary.json", "README.md")
SEED = 1  # of the draws of a second measurement
SECONDS = 3600  # for a release that somebody else made; the largest of ours takes minutes
MOST_PROBLEMS = 50
NO_AUTHOR = "Hashes alone prove no author: a person who changes a file can write new hashes."


@dataclass(frozen=True, kw_only=True)
class Verification:
    """What a release says of itself, what was measured again, who signed, and everything that does not hold."""

    folder: Path
    manifest: Mapping[str, Any] = field(default_factory=dict)
    summary: Mapping[str, Any] = field(default_factory=dict)
    risks: tuple[tuple[str, Risk], ...] = ()
    problems: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    digest: str = ""
    signatures: tuple[Signature, ...] = ()


def verify(folder: Path, *, signer: Path | None = None, waiting: bool = False, pages: bool = True) -> Verification:
    """Check a release and return every problem at once.

    `signer` is a file of public keys, one of which must have signed. `waiting` is for a release whose approvals are
    still to come; without `pages` report and datasheet are not written again to be compared.
    """
    folder = Path(folder)
    if not folder.is_dir():
        raise InputError("there is no release here; name the folder that holds manifest.json", file=folder)
    known = signature.read_signers(signer) if signer is not None else None
    with opened(folder, until=time.monotonic() + SECONDS) as release:
        try:
            found = release.found()
        except Unsafe as error:
            return Verification(folder=folder, problems=(f"the folder {error}",))
        mark = Fingerprint.of(folder)
        read = _papers(folder, release, found, known, waiting=waiting)
    problems, risks = list(read.problems), []
    if not problems:
        risks = _measured(read, problems, pages=pages)
        with _reported("the release", problems):
            mark.check()
    return replace(read, risks=tuple(risks), problems=_few(problems))


def file_problems(folder: Path, listed: Mapping[str, str]) -> list[str]:
    """Compare the files of a folder with a list of their hashes."""
    with opened(folder) as release:
        return _hash_problems(release, release.found(), listed)


@contextmanager
def bounded(seconds: float = SECONDS) -> Iterator[None]:
    """End the process when a hostile release would keep it busy for ever."""
    timer = threading.Timer(seconds, _give_up, args=(seconds,))
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


def _give_up(seconds: float) -> None:
    sentence = f"the release could not be checked within {seconds / 60:.0f} minutes; it does not count as verified\n"
    os.write(2, sentence.encode())
    os._exit(VerificationFailed.exit_code)


def _papers(
    folder: Path, release: OpenFolder, found: FolderContents, known: list[Signer] | None, *, waiting: bool
) -> Verification:
    """Read manifest, hashes, signatures and summary; nothing is measured yet."""
    try:
        content = release.content("manifest.json", papers.MOST_BYTES)
        manifest = papers.parse(content)
        papers.check_manifest(manifest)
    except (Unsafe, Malformed) as error:
        return Verification(folder=folder, problems=(f"manifest.json: {error}",))
    digest = signature.digest_of_manifest(content)
    problems = [f"{name}: missing" for name in PAPERS if name not in manifest["files"]]
    problems += _hash_problems(release, found, manifest["files"])
    signed, notes = _signed(release, found, digest, known, problems)
    if (signature.PAGE in found.files) != bool(signed):
        problems.append(f"{signature.PAGE}: {'missing' if signed else 'nobody has signed what it says'}")
    if not waiting:
        problems += _approval_problems(signed, manifest["approvals"])
    summary: Mapping[str, Any] = {}
    if not problems:
        summary, notes = _summary(release, manifest, problems, notes)
        if signed and rewritten.same_version(summary, manifest):  # another version may word it otherwise
            problems += _page_problems(release, signed)
    return Verification(
        folder=folder,
        manifest=manifest,
        summary=summary,
        problems=tuple(problems),
        notes=tuple(notes),
        digest=digest,
        signatures=signed,
    )


def _summary(
    release: OpenFolder, manifest: Mapping[str, Any], problems: list[str], notes: list[str]
) -> tuple[Mapping[str, Any], list[str]]:
    """The summary, checked for its shape; what should be known of it beside."""
    try:
        summary = papers.parse(release.content("summary.json", papers.MOST_BYTES))
        papers.check_summary(summary, manifest["files"])
    except (Unsafe, Malformed) as error:
        problems.append(f"summary.json: {error}")
        return {}, notes
    return summary, [*notes, *stated.looser_limits(summary), *rewritten.note(summary, manifest)]


def _hash_problems(release: OpenFolder, found: FolderContents, listed: Mapping[str, str]) -> list[str]:
    """What differs between the files of a release and its manifest, one sentence each."""
    files = found.files - UNLISTED
    used = {"/".join(parts[:depth]) for parts in (name.split("/") for name in listed) for depth in range(1, len(parts))}
    problems = [f"{printable(name)}: {what}; a release holds files only" for name, what in sorted(found.others)]
    problems += [f"{printable(name)}: listed in the manifest but missing" for name in sorted(listed.keys() - files)]
    problems += [f"{printable(name)}: not listed in the manifest" for name in sorted(files - listed.keys())]
    problems += [
        f"{printable(name)}: a folder that the manifest does not list" for name in sorted(found.folders - used)
    ]
    return problems + [
        problem for name in sorted(listed.keys() & files) for problem in _changed(release, name, listed[name])
    ]


def _changed(release: OpenFolder, name: str, listed: str) -> Iterator[str]:
    try:
        if release.digest(name) != listed:
            yield f"{printable(name)}: its content is not what the manifest says"
    except Unsafe as error:
        yield f"{printable(name)}: {error}"


def _signed(
    release: OpenFolder, found: FolderContents, digest: str, known: list[Signer] | None, problems: list[str]
) -> tuple[tuple[Signature, ...], list[str]]:
    """The signatures that hold, and what a reader should know of them; each that does not hold is a problem."""
    signatures: list[Signature] = []
    if signature.FILE in found.files:
        try:
            signatures = signature.parsed(papers.parse(release.content(signature.FILE, papers.MOST_BYTES)))
        except (Unsafe, Malformed) as error:
            problems.append(f"{signature.FILE}: {error}")
    good = []
    for one in signatures:
        if one.over != digest:
            problems.append(f"{signature.FILE}: {printable(one.name)} signed other content than this")
        elif not signature.is_genuine(one):
            problems.append(f"{signature.FILE}: the signature of {printable(one.name)} is forged or damaged")
        else:
            good.append(one)
    problems += _signer_problems(good, known)
    return tuple(good), list(_notes(good, digest, known))


def _page_problems(release: OpenFolder, signed: tuple[Signature, ...]) -> Iterator[str]:
    """The page of those who decided must say what their signatures say."""
    try:
        said = release.content(signature.PAGE, papers.MOST_BYTES)
    except Unsafe as error:
        yield f"{signature.PAGE}: {error}"
    else:
        if said != signature.page(signed).encode():
            yield f"{signature.PAGE}: says something else than the signatures"


def _signer_problems(good: list[Signature], known: list[Signer] | None) -> Iterator[str]:
    """Where a signer is named, somebody of that key must have signed the release."""
    if known is None:
        return
    keys = {signer.public for signer in known}
    if not any(one.public in keys and one.purpose == "release" for one in good):
        yield f"{signature.FILE}: not signed by {' or '.join(signer.name for signer in known)}"


def _approval_problems(good: Iterable[Signature], asked: int) -> Iterator[str]:
    """Where the plan asked for approvals, so many different people must have signed."""
    approvals = [one for one in good if one.purpose == "approval"]
    people = min(len({one.public for one in approvals}), len({one.name.casefold() for one in approvals}))
    if people < asked:
        yield f"{signature.FILE}: {asked} approvals were asked for, {people} hold"


def _notes(good: list[Signature], digest: str, known: list[Signer] | None) -> Iterator[str]:
    names = {signer.public: signer.name for signer in known or []}
    for one in good:
        deed = "Approved" if one.purpose == "approval" else "Signed"
        if one.public in names:
            yield f"{deed} by {printable(names[one.public])} on {printable(one.at)}."
        else:
            fingerprint = Signer(name=one.name, public=one.public).fingerprint
            named = f"a key that calls itself {printable(one.name)}, fingerprint {fingerprint}"
            yield f"{deed} on {printable(one.at)} with {named}: ask them."
    if not any(one.purpose == "release" for one in good):
        yield f"Not signed. {NO_AUTHOR} Compare this digest by telephone: {signature.spoken(digest)}"


def _measured(read: Verification, problems: list[str], *, pages: bool) -> list[tuple[str, Risk]]:
    """Every risk that needs no original, file by file and together; and what the papers state set against it."""
    tables: dict[str, Table] = {}
    risks: list[tuple[str, Risk]] = []
    for file in read.summary["files"]:
        risks += [(_label(file), risk) for risk in _recheck(read.folder, file, tables, problems)]
    risks += [("together", risk) for risk in _recheck_together(read.summary, tables, problems)]
    with _reported("summary.json", problems):
        problems += stated.problems(read.summary, tables, risks)
        problems += rewritten.problems(read.folder, read.summary, read.manifest) if pages else []
        problems += practice_promise.problems(read.folder, read.summary["audience"])
    return risks


def _label(file: Mapping[str, Any]) -> str:
    return printable(f"{file['kind']}.{file['name']}")


def _recheck(folder: Path, file: Mapping[str, Any], tables: dict[str, Table], problems: list[str]) -> list[Risk]:
    label = _label(file)
    with _reported(label, problems):
        released = dated.reread(formats.read_released(folder, file["data"], file["format"]), file.get("dates", {}))
        measured = list(kinds.load(file["kind"]).recheck(released, file["facts"]))
        rows = int(engine.value(released.count()))
        if rows != file["rows"]:
            problems.append(f"{label}: {rows:,} rows, the summary says {file['rows']:,}")
        problems += stated.limit_problems(label, measured, file["limits"])
        risks = [stated.with_limit(risk, file["limits"]) for risk in measured]
        problems += _missed(label, risks)
        tables[label] = released
        return risks
    return []


@contextmanager
def _reported(label: str, problems: list[str]) -> Iterator[None]:
    """Report an error over what a release says of itself by its place: its message may carry values."""
    try:
        yield
    except SharewellError as error:
        problems.append(f"{label}: cannot be re-checked: {printable(str(error), 400)}")
    except Exception as error:
        frame = traceback.extract_tb(error.__traceback__)[-1]
        where = f"{type(error).__name__} at {Path(frame.filename).name}:{frame.lineno}"
        problems.append(f"{label}: cannot be re-checked from what the release says of itself ({where})")


def _recheck_together(summary: Mapping[str, Any], tables: Mapping[str, Table], problems: list[str]) -> list[Risk]:
    """Several files, where they share pseudonyms; without the key nobody can say which rows belong together."""
    if not summary["join"]:
        return []
    with _reported("together", problems):
        files = [file for file in summary["files"] if file["linkable"] and _label(file) in tables]
        linked = [linkage.described(_label(file), tables[_label(file)], file["linkable"]) for file in files]
        measured = linkage.attack(linked, joined=True, audience=summary["audience"], seed=SEED)
        risks = [replace(risk, bound="low") if risk.gate else risk for risk in measured]
        problems += _missed("together", risks)
        return risks
    return []


def _missed(label: str, risks: Iterable[Risk]) -> Iterator[str]:
    for risk in risks:
        if risk.holds is False:
            attacker = printable(risk.attacker)
            yield f"{label}: {risk.name} ({attacker}) is {risk.value:.4g}, the limit is {risk.limit:.4g}"


def _few(problems: list[str]) -> tuple[str, ...]:
    """As many as a person reads."""
    if len(problems) <= MOST_PROBLEMS:
        return tuple(problems)
    return (*problems[:MOST_PROBLEMS], f"and {len(problems) - MOST_PROBLEMS:,} more")
