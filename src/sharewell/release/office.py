"""What an office keeps of its releases, at one place: the register, the keys, the signatures and who still has to sign.

The flow asks it four things: which key to use, what earlier releases disclose together with this one, to write down
what leaves, and to sign it.
"""

import csv
import hashlib
import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from sharewell.contract import Risk
from sharewell.data.fetched import fetched
from sharewell.data.keyed import Keyed, new_key
from sharewell.disclosure import Disclosed
from sharewell.errors import InputError, Refused
from sharewell.plan.document import Plan, load_each
from sharewell.plan.sections import Section
from sharewell.release import advice, candidate, membership_left, place, recorded, signature, write
from sharewell.release.composition import Now
from sharewell.release.place import Place
from sharewell.release.recorded import FileRecord
from sharewell.release.register import Earlier, Register
from sharewell.release.signature import Signature

WITHDRAWN = "withdrawn.csv"
ASKED, YES, FILE = "asked", "yes", "file"


@dataclass(frozen=True, kw_only=True)
class Office:
    """The register of a plan and the place of its releases. `earlier` is what may be in somebody's hands by now.

    A rehearsal writes to another place (`where`) than the one it rehearses for (`home`), and nothing to the register.
    """

    plan: Plan
    where: Place
    home: Place
    register: Register
    earlier: tuple[Earlier, ...] = field(default=())

    @property
    def rehearses(self) -> bool:
        return self.where != self.home

    @property
    def there(self) -> str | None:
        """The release that stands at this place."""
        return _id(self.home.release)

    @property
    def withdrawn(self) -> Path | None:
        """The students who opted out later, and those who left with them."""
        path = self.home.private / WITHDRAWN
        return path if path.is_file() else None

    def key(self, *, over: bool) -> tuple[bytes, str | None]:
        """Return the plan's key, that of the replaced release, or a new one."""
        if self.plan.header.key is not None:
            return write.read_key(self.plan.folder / self.plan.header.key), None
        replaced = next((one for one in self.earlier if one.id == self.there), None)
        if over and replaced is not None:
            path = self.home.private / f"key-{replaced.body['key']}"
            if path.is_file():
                return write.read_key(path), (
                    f"the key of release {replaced.id} is used again: under a fresh one the students of both could be "
                    "linked by what they do"
                )
        return self._key_of_the_last_try() or new_key(), None

    def _key_of_the_last_try(self) -> bytes | None:
        """A try that was refused left the house with nothing: the next one goes on with its key, and draws no other."""
        path = self.home.private / write.LAST_TRY
        published = {str(one.body["key"]) for one in self.register.releases()} if self.register.exists() else set()
        try:
            name = path.read_text(encoding="ascii").strip()
            if name in published or not name.isalnum():
                return None
            return write.read_key(self.home.private / f"key-{name}")
        except (OSError, ValueError, InputError):
            return None

    def within_reach(self) -> advice.Within:
        """Keys and recodings of earlier releases on this disk, the latest first."""
        keys: list[str] = []
        recodings: dict[str, str] = {}
        for one in reversed(self.earlier):
            private = Path(one.body["place"]) / "private"
            keys += self._named(private / f"key-{one.body['key']}")
            for section in self.plan.sections:
                for path in self._named(_used_again(private, one, section)):
                    recodings.setdefault(section.label, path)
        return advice.Within(keys=tuple(dict.fromkeys(keys))[:2], recodings=recodings)

    def as_before(self) -> "Office":
        """Return the office with a plan that uses the standing release's recodings.

        A next version would otherwise form all groups anew, and the two could be intersected.
        """
        audience = self.plan.header.audience
        there = next((one for one in self.earlier if one.id == self.there and one.audience == audience), None)
        if there is None:
            return self
        sections = tuple(self._section_as_in(there, section) for section in self.plan.sections)
        return replace(self, plan=replace(self.plan, sections=sections))

    def _section_as_in(self, there: Earlier, section: Section) -> Section:
        table = _used_again(self.home.private, there, section)
        if table is None or not section.uses_again or not table.is_file():
            return section
        return section.as_before(str(table.resolve()))

    def _named(self, path: Path | None) -> list[str]:
        """As a plan would name it; nothing where there is no such file."""
        return [os.path.relpath(path, self.plan.folder.resolve())] if path is not None and path.is_file() else []

    def risks(self, records: Sequence[FileRecord], *, key: str, seed: int) -> list[Risk]:
        """Measure what this release discloses together with every earlier one."""
        if not self.earlier:
            return []
        if problems := self.register.problems():
            raise Refused("the register does not hold, so nothing can be measured against it: " + "; ".join(problems))
        header = self.plan.header
        company = [who for who, asked in out(self.home).items() if not asked]
        tokens = frozenset(self.register.tokens(company).values())
        now = Now(audience=header.audience, key=key, join=header.join, files=(), seed=seed, company=tokens)
        return recorded.measured(self.register, records, now=now)

    def left_of(self, section: Section, students: Iterable[str], named: Callable[[Section], str]) -> dict[str, float]:
        """What earlier releases of the same students leave of the limits on membership."""
        spent = membership_left.spent_on(self.register, students, self.earlier)
        return membership_left.left_for(section, self.plan.header.audience, spent, named)

    def write_down(
        self,
        release: str,
        built: Path,
        records: Sequence[FileRecord],
        disclosed: Disclosed,
        *,
        key: str,
        asked: Mapping[str, str],
    ) -> None:
        """Write the entry and its copies into the register before publishing."""
        if self.rehearses:
            return
        header = self.plan.header
        body = {
            "name": header.name,
            "audience": header.audience,
            "join": header.join,
            "key": key,
            "place": str(self.where.root.resolve()),
            "plan": hashlib.sha256(self.plan.source).hexdigest(),
            "inputs": {section.label: _digest(section.path) for section in self.plan.sections},
            "settings": {file.label: dict(file.limits) for file in disclosed.files},
            "measured": [_measured(label, risk) for label, risk in disclosed.gated()],
            "manifest": signature.digest_of(built),
            "signed": [one.to_dict() for one in signature.read(built)],
            "files": recorded.copies(self.register, release, records),
            "asked": dict(asked),
        }
        self.register.append("release", release, body)

    def sign(self, built: Path) -> None:
        """The office's own signature, where the plan names a key."""
        if self.plan.header.sign is None:
            return
        made = signature.sign(self.plan.folder / self.plan.header.sign, signature.digest_of(built), purpose="release")
        signature.write(built, [made])

    def binds(self, key: bytes, findings: bytes) -> dict[str, Any]:
        """Return what a signature binds: plan, inputs and private findings."""
        inputs = {section.label: section.path for section in self.plan.sections}
        for section in self.plan.sections:
            further = {**section.files(), **section.reads()}
            inputs |= {f"{section.label}, {what}": path for what, path in further.items()}
        return candidate.bound(key, plan=self.plan.source, inputs=inputs, findings=findings)

    def publish(self, release: str, built: Path, *, over: bool) -> Path:
        """Into its place, or beside it where people have to sign first."""
        header = self.plan.header
        if self.rehearses:
            place.publish(built, self.where)
            return self.where.release
        if header.approve:
            assert header.approvers is not None
            signers = signature.read_signers(self.plan.folder / header.approvers)
            state = {
                "id": release,
                "asked": header.approve,
                "approvers": [signer.public for signer in signers],
                "replace": over,
                "plan": str(self.plan.path.resolve()),
                "audience": header.audience,
                "register": str(self.register.folder.resolve()),
                "replaces": self.there,
            }
            return candidate.keep(built, self.where, state=state)
        older = self.there
        place.publish(built, self.where)
        self.published(release, older)
        return self.where.release

    def waits_for(self, target: Path) -> str | None:
        """The next command, where people have to sign before anything leaves."""
        asked = self.plan.header.approve
        if not asked or self.rehearses:
            return None
        people = "one person" if asked == 1 else f"{asked} different people"
        return f"nothing has left yet: {people} must run sharewell approve {target} --as NAME --key FILE"

    def published(self, release: str, older: str | None, approvals: Sequence[Signature] = ()) -> None:
        """Write down a publication; a killed run is settled by the next one."""
        for one in approvals:
            self.register.append("approval", release, one.to_dict())
        self.register.append("published", release, {})
        if older is not None and older != release and any(one.id == older for one in self.register.releases()):
            self.register.append("superseded", older, {"by": release})


def approve(folder: Path, *, name: str, key: Path) -> candidate.CandidateStanding:
    """Sign a candidate; with the last signature, publish and register it."""
    state = candidate.read_state(folder)
    home = opened(_plan_of(state), Place(folder.resolve().parent))
    entry = next((one for one in home.earlier if one.id == state["id"]), None)
    if entry is None:
        raise InputError("the register does not know this candidate; make it again", file=folder)
    secret = Keyed(write.read_key(home.home.private / f"key-{entry.body['key']}"), "release").secret("binds")
    findings = (home.home.private / str(state["id"]) / "findings.json").read_bytes()
    standing = candidate.approve(folder, name=name, key=key, binds=home.binds(secret, findings))
    if standing.published:
        home.published(standing.id, state["replaces"], standing.approvals)
    return standing


def send_back(folder: Path, *, name: str, comment: str) -> str:
    """Remove a candidate, and write down who sent it back and why."""
    if not comment.strip():
        raise InputError("say what must change before this can be approved")
    where = Place(folder.resolve().parent)
    with place.only_one_at_a_time(where), place.clear_sentences(where.root):
        state = candidate.read_state(folder)
        register = Register(Path(state["register"]))
        register.append("abandoned", str(state["id"]), {"sent_back_by": name, "comment": comment.strip()})
        candidate.remove(folder)
    return str(state["id"])


def _plan_of(state: Mapping[str, Any]) -> Plan:
    """The plan of a candidate as it is now, for the audience and with the register that it was made with."""
    found = [plan for plan in load_each(state["plan"]) if plan.header.audience == state["audience"]]
    if not found:
        raise InputError("the plan no longer names the audience of this candidate", file=state["plan"])
    plan = fetched(found[0])
    return replace(plan, header=replace(plan.header, register=state["register"]))


def opened(plan: Plan, where: Place, *, alone: bool = False) -> Office:
    """Open the office of a plan; alone, settle what an interrupted run left."""
    register = _register_of(plan, where)
    if alone and plan.header.register is None and not register.exists():
        _refuse_a_second_register(plan.folder)
    if alone and register.exists():
        waiting = _id(where.root / "candidate")
        register.settle(str(where.root.resolve()), published=_id(where.release), waiting=waiting)
    return Office(plan=plan, where=where, home=where, register=register, earlier=tuple(register.releases()))


def _register_of(plan: Plan, where: Place) -> Register:
    """The register that the plan names, else that of its folder where there is one, else that of the place."""
    if plan.header.register:
        return Register(plan.folder / plan.header.register)
    own = Register(plan.folder / "private" / "register")
    return own if own.exists() else Register(where.private / "register")


def _refuse_a_second_register(folder: Path) -> None:
    """Releases of one folder in two registers are never measured together."""
    other = next(iter(sorted(folder.glob("*/private/register/register.sqlite"))), None)
    if other is not None:
        named = other.parent.relative_to(folder).as_posix()
        raise Refused(
            f"releases of this folder are written down in {named} already, and a second register would not know them: "
            f'write register = "{named}" under [release]'
        )


def rehearsed(office: Office, scratch: Place) -> Office:
    """The same office for a run that keeps nothing."""
    return replace(office, where=scratch)


@dataclass(frozen=True, kw_only=True)
class Out:
    """A student who is kept out of later releases: of all files, or of one; and whether they asked to be."""

    student: str
    asked: bool
    file: str


def listed(where: Place) -> list[Out]:
    """Read the list of a place; what names no file holds for all of them."""
    path = where.private / WITHDRAWN
    if not path.is_file():
        return []
    with path.open(newline="", encoding="utf-8") as file:
        return [
            Out(student=row["student"], asked=row.get(ASKED, YES) == YES, file=row.get(FILE) or "")
            for row in csv.DictReader(file)
        ]


def out(where: Place) -> dict[str, bool]:
    """Return who is kept out of later releases, and whether they asked to be."""
    found: dict[str, bool] = {}
    for one in listed(where):
        found[one.student] = one.asked or found.get(one.student, False)
    return found


def _used_again(private: Path, earlier: Earlier, section: Section) -> Path | None:
    """The private table of an earlier release that a next version can use again, where the kind has one."""
    return None if section.used_again is None else private / earlier.id / section.label / section.used_again


def _id(folder: Path) -> str | None:
    try:
        found = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))["id"]
    except (OSError, ValueError, KeyError, TypeError):
        return None
    return str(found)


def _digest(path: Path) -> str:
    """A file, or every file of a folder, by one hash."""
    if path.is_file():
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    parts = [f"{inside.relative_to(path)} {_digest(inside)}" for inside in _files(path)]
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()


def _files(folder: Path) -> Iterator[Path]:
    return (path for path in sorted(folder.rglob("*")) if path.is_file())


def _measured(label: str, risk: Risk) -> Mapping[str, Any]:
    seen = risk.seen
    return {
        "file": label,
        "risk": risk.name,
        "attacker": risk.attacker,
        "seen": risk.withheld or (None if seen is None or seen != seen else round(float(seen), 6)),
        "limit": risk.limit,
        "holds": risk.holds,
    }
