"""A release that waits for people: nothing leaves before as many have signed as the plan asks for.

    root/candidate/              the finished release, 0700; becomes root/release/ with the last signature
    private/candidate.json       how many must sign, whose signatures count, and what they bind

A signature is made over the hash of the manifest. The manifest holds the hash of every file of the release, among them
the findings (summary.json), and keyed digests of the plan, of every input and of the private findings: a change
of one of them after a signature voids it.
"""

import hashlib
import hmac
import json
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sharewell.data.files import file_digest
from sharewell.errors import InputError, VerificationFailed
from sharewell.release import place, signature
from sharewell.release.place import Place
from sharewell.release.signature import Signature, Signer
from sharewell.release.verify import file_problems

STATE = "candidate.json"


@dataclass(frozen=True, kw_only=True)
class CandidateStanding:
    """Where a candidate stands: who has signed, how many are still asked for."""

    id: str
    approvals: tuple[Signature, ...]
    asked: int
    published: bool

    @property
    def waiting(self) -> int:
        return max(0, self.asked - len(self.approvals))


def bound(key: bytes, *, plan: bytes, inputs: Mapping[str, Path], findings: bytes) -> dict[str, Any]:
    """Hash all that a signature binds, with a key against guesses."""
    digests = {label: file_digest(path) for label, path in inputs.items()}
    return {
        "plan": _keyed(key, "plan", plan),
        "inputs": {label: _keyed(key, f"input {label}", digest.encode()) for label, digest in digests.items()},
        "findings": _keyed(key, "findings", findings),
    }


def _keyed(key: bytes, what: str, content: bytes) -> str:
    return hmac.digest(key, what.encode() + b"\0" + content, hashlib.sha256).hex()


def keep(built: Path, where: Place, *, state: Mapping[str, Any]) -> Path:
    """Keep the finished release as a candidate in place of an older one."""
    target = where.root / "candidate"
    if target.exists():
        shutil.rmtree(target)
    place.write_private(where, STATE, json.dumps(state, indent=1, sort_keys=True).encode() + b"\n")
    built.chmod(0o700)
    built.rename(target)
    return target


def approve(folder: Path, *, name: str, key: Path, binds: Mapping[str, Any]) -> CandidateStanding:
    """Add a signature if nothing changed; publish with the last one.

    `binds` are the keyed digests of plan, inputs and findings as they are now.
    """
    where = Place(folder.resolve().parent)
    with place.only_one_at_a_time(where), place.clear_sentences(where.root):
        state = read_state(folder)
        _check_unchanged(folder, binds)
        signer = signature.signer_of(key)
        _check_signer(signer, name, state, signature.read(folder))
        made = signature.sign(key, signature.digest_of(folder), purpose="approval", name=signer.name)
        signatures = [*signature.read(folder), made]
        signature.write(folder, signatures)
        approvals = tuple(one for one in signatures if one.purpose == "approval")
        done = len(approvals) >= int(state["asked"])
        if done:
            _publish(folder, where, state)
    return CandidateStanding(id=str(state["id"]), approvals=approvals, asked=int(state["asked"]), published=done)


def _publish(folder: Path, where: Place, state: Mapping[str, Any]) -> None:
    if where.release.exists() and not state["replace"]:
        raise InputError("there is a release already; make the candidate with --replace to put it over", file=folder)
    place.publish(folder, where)
    (where.private / STATE).unlink()


def remove(folder: Path) -> None:
    """A candidate that was sent back; its signatures go with it."""
    where = Place(folder.resolve().parent)
    shutil.rmtree(folder)
    (where.private / STATE).unlink()


def read_state(folder: Path) -> dict[str, Any]:
    """Read what a candidate waits for, from the private folder."""
    path = folder.resolve().parent / "private" / STATE
    try:
        state: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    except (FileNotFoundError, json.JSONDecodeError):
        raise InputError("there is no candidate that waits for approval here", file=folder) from None
    if not (folder / "manifest.json").is_file():
        raise InputError("there is no candidate here; name the folder that `sharewell release` made", file=folder)
    return state


def _check_unchanged(folder: Path, binds: Mapping[str, Any]) -> None:
    """Files against the manifest; plan, inputs and findings against what the manifest binds."""
    listed = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
    problems = file_problems(folder, listed["files"])
    made = listed.get("binds", {})
    for what in ("plan", "findings"):
        if made.get(what) != binds[what]:
            problems.append(f"the {what} changed since the candidate was made")
    for label in sorted({*made.get("inputs", {}), *binds["inputs"]}):
        if made.get("inputs", {}).get(label) != binds["inputs"].get(label):
            problems.append(f"the input of {label} changed since the candidate was made")
    digest = signature.digest_of(folder)
    problems += [f"{one.name} signed other content" for one in signature.read(folder) if one.over != digest]
    if problems:
        raise VerificationFailed(f"{folder}: not what was signed or checked: " + "; ".join(problems))


def _check_signer(signer: Signer, name: str, state: Mapping[str, Any], made: list[Signature]) -> None:
    if name != signer.name:
        raise InputError(f"the key belongs to {signer.name}, not to {name}")
    if signer.public not in state["approvers"]:
        raise InputError(f"{name} is not among those who may approve this release")
    others = [one for one in made if one.purpose == "approval"]
    if any(one.public == signer.public or one.name.casefold() == name.casefold() for one in others):
        raise InputError(f"{name} has approved this candidate already; another person must")
