"""Re-checks a finished release from its files alone: hashes, who signed, what its papers state, and every risk that
needs no original.

Nothing is taken from the place that is being checked: limits come from the summary and are set against those of the
audience, columns that are said to be dropped are looked for, and what the summary says was measured is measured again.
"""

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from ibis.expr.types import Table

from sharewell import kinds
from sharewell.contract import Risk
from sharewell.data import formats
from sharewell.errors import InputError, SharewellError
from sharewell.release import linkage, manifest, papers, signature, stated
from sharewell.release.signature import Signature, Signer

PAPERS = ("report.html", "summary.json", "README.md")
SEED = 1  # of the draws of a second measurement
NO_AUTHOR = "Hashes alone prove no author: whoever changes a file can write new hashes."


@dataclass(frozen=True, kw_only=True)
class Verification:
    """What was re-measured, who signed, and everything that does not hold."""

    folder: Path
    risks: tuple[tuple[str, Risk], ...]
    problems: tuple[str, ...]
    notes: tuple[str, ...] = ()
    digest: str = ""
    signatures: tuple[Signature, ...] = field(default=())


def verify(folder: Path, *, signer: Path | None = None, waiting: bool = False) -> Verification:
    """Every problem at once; a release that is not there or cannot be read is a problem as well.

    `signer` is a file of public keys, one of which must have signed. `waiting` is for a release whose approvals are
    still to come.
    """
    folder = Path(folder)
    if not folder.is_dir():
        raise InputError("there is no release here; name the folder that holds manifest.json", file=folder)
    known = signature.read_signers(signer) if signer is not None else None
    listed, summary = _json(folder / "manifest.json"), _json(folder / "summary.json")
    problems = [*_hash_problems(folder, listed), *stated.shape_problems(summary)]
    digest = signature.digest_of(folder) if (folder / "manifest.json").is_file() else ""
    signed, notes = _signed(folder, digest, known, problems)
    if not waiting:
        problems += _approval_problems(signed, listed)
    if problems:
        return Verification(
            folder=folder, risks=(), problems=tuple(problems), digest=digest, signatures=signed, notes=tuple(notes)
        )
    tables: dict[str, Table] = {}
    risks: list[tuple[str, Risk]] = []
    for file in summary["files"]:
        risks += [(_label(file), risk) for risk in _recheck(folder, file, listed, tables, problems)]
    risks += [("together", risk) for risk in _recheck_together(summary, tables, problems)]
    problems += stated.problems(summary, tables, risks)
    problems += papers.problems(folder, summary, listed)
    notes += [*stated.looser_limits(summary), *papers.note(listed)]
    return Verification(
        folder=folder,
        risks=tuple(risks),
        problems=tuple(problems),
        notes=tuple(notes),
        digest=digest,
        signatures=signed,
    )


def _hash_problems(folder: Path, listed: Any) -> Iterator[str]:
    """The papers must be there, and every file must be what the manifest says."""
    if not isinstance(listed, Mapping) or not isinstance(listed.get("files"), dict):
        yield "manifest.json: missing or not readable"
        return
    yield from (f"{name}: missing" for name in PAPERS if name not in listed["files"])
    yield from manifest.hash_problems(folder, listed["files"])


def _signed(
    folder: Path, digest: str, known: list[Signer] | None, problems: list[str]
) -> tuple[tuple[Signature, ...], list[str]]:
    """The signatures that hold, and what a reader should know of them; each that does not hold is a problem."""
    try:
        found = signature.read(folder)
    except InputError as error:
        problems.append(str(error))
        found = []
    good = []
    for one in found:
        if one.over != digest:
            problems.append(f"{signature.FILE}: {one.name} signed other content than this")
        elif not signature.is_genuine(one):
            problems.append(f"{signature.FILE}: the signature of {one.name} is forged or damaged")
        else:
            good.append(one)
    problems += _signer_problems(good, known)
    return tuple(good), list(_notes(good, digest, known))


def _signer_problems(good: list[Signature], known: list[Signer] | None) -> Iterator[str]:
    """Where a signer is named, somebody of that key must have signed the release."""
    if known is None:
        return
    keys = {signer.public for signer in known}
    if not any(one.public in keys and one.purpose == "release" for one in good):
        yield f"{signature.FILE}: not signed by {' or '.join(signer.name for signer in known)}"


def _approval_problems(good: Iterable[Signature], listed: Any) -> Iterator[str]:
    """Where the plan asked for approvals, so many different people must have signed."""
    asked = listed.get("approvals", 0) if isinstance(listed, Mapping) else 0
    keys = {one.public for one in good if one.purpose == "approval"}
    names = {one.name.casefold() for one in good if one.purpose == "approval"}
    if isinstance(asked, int) and min(len(keys), len(names)) < asked:
        yield f"{signature.FILE}: {asked} approvals were asked for, {min(len(keys), len(names))} hold"


def _notes(good: list[Signature], digest: str, known: list[Signer] | None) -> Iterator[str]:
    names = {signer.public: signer.name for signer in known or []}
    for one in good:
        deed = "Approved" if one.purpose == "approval" else "Signed"
        if one.public in names:
            yield f"{deed} by {names[one.public]} on {one.at}."
        else:
            fingerprint = Signer(name=one.name, public=one.public).fingerprint
            yield f"{deed} on {one.at} with a key that calls itself {one.name}, fingerprint {fingerprint}: ask them."
    if not any(one.purpose == "release" for one in good):
        yield f"Not signed. {NO_AUTHOR} Compare this digest by telephone: {signature.spoken(digest)}"


def _label(file: Mapping[str, Any]) -> str:
    return f"{file['kind']}.{file['name']}"


def _recheck(
    folder: Path, file: Mapping[str, Any], listed: Mapping[str, Any], tables: dict[str, Table], problems: list[str]
) -> list[Risk]:
    label = _label(file)
    if file["data"] not in listed["files"]:
        problems.append(f"{label}: its data is not among the files of the release")
        return []
    try:
        released = formats.read(folder / file["data"], format=file.get("format")).table
        measured = list(kinds.load(file["kind"]).recheck(released, file["facts"]))
    except SharewellError as error:
        problems.append(f"{label}: cannot be re-checked: {error}")
        return []
    except (KeyError, TypeError, ValueError, ArithmeticError) as error:  # facts that are not what the kind wrote
        problems.append(f"{label}: its facts do not fit its data ({type(error).__name__})")
        return []
    rows = int(released.count().execute())
    if rows != file["rows"]:
        problems.append(f"{label}: {rows:,} rows, the summary says {file['rows']:,}")
    problems += stated.limit_problems(label, measured, file["limits"])
    risks = [stated.held_to(risk, file["limits"]) for risk in measured]
    problems += _missed(label, risks)
    tables[label] = released
    return risks


def _recheck_together(summary: Mapping[str, Any], tables: Mapping[str, Table], problems: list[str]) -> list[Risk]:
    """Several files, where they share pseudonyms; without the key nobody can say which rows belong together."""
    if not summary["join"]:
        return []
    told = [file for file in summary["files"] if file["linkable"] and _label(file) in tables]
    files = [linkage.described(_label(file), tables[_label(file)], file["linkable"]) for file in told]
    measured = linkage.attack(files, joined=True, audience=summary["audience"], seed=SEED)
    risks = [replace(risk, bound="low") if risk.gate else risk for risk in measured]
    problems += _missed("together", risks)
    return risks


def _missed(label: str, risks: Iterable[Risk]) -> Iterator[str]:
    for risk in risks:
        if risk.holds is False:
            yield f"{label}: {risk.name} ({risk.attacker}) is {risk.value:.4g}, the limit is {risk.limit:.4g}"


def _json(path: Path) -> Any:
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, json.JSONDecodeError, RecursionError):
        return None
