"""Work that a second try need not do again: the answers of a file whose data, plan and key have not changed.

They lie in `private/work`, for their owner alone, one entry per file of the plan. The name of an entry is a keyed
digest of everything that its answers came from: every byte of every input of the plan, the whole section, the settings
of the release that reach a kind, the decisions of reviewers, the code, the versions of all libraries, and the key.
Whatever changes, the name changes, and the entry is not found. Each entry is sealed with the key, so that one which
somebody else wrote, or which was changed or cut off, is taken for none. Answers with failures are not kept.

Beside them lies what searches measured setting by setting, under a name in which the limits of the section do not
count: a measurement is the same whatever its limit is. What else it depends on, its own name says (`contract.Memory`).

The gate judges and the finished files are measured once more in every run, whether answers were kept or not.
"""

import hashlib
import hmac
import platform
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, cast

from ibis.expr.types import Table

from sharewell.contract import Answer, Memory, Protected, Risk, Utility
from sharewell.data import engine, versions
from sharewell.data.files import file_digest, to_json
from sharewell.data.keyed import Keyed
from sharewell.plan.document import Plan
from sharewell.plan.sections import Section
from sharewell.release import kept_answers, place
from sharewell.release.place import Place

FOLDER = "work"
RELEASED = ""  # what would be released, among the tables of an entry; the others are private lists of many students
MOST_REMEMBERED = 20_000  # measurements of one section
UNHEARD = (  # of [release]: no kind ever hears of these
    "name", "description", "license", "contact", "citation", "purpose", "date", "expires", "register", "sign",
    "approve", "approvers", "key", "stalled", "practice",
)  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class KeptAnswers:
    """What a kind said of one file: the four questions answered, without a failure."""

    before: tuple[Risk, ...]
    protected: Protected
    after: tuple[Risk, ...]
    utility: tuple[Utility, ...]


@dataclass(frozen=True, kw_only=True)
class KeptWork:
    """The answers of earlier tries at one place, for one state of the inputs and one key."""

    where: Place
    plan: Plan
    keyed: Keyed
    inputs: Mapping[str, str]  # digests
    writes: bool = True  # a rehearsal uses what is there and keeps nothing
    used: set[str] = field(default_factory=set)
    memories: dict[str, "SealedMemory"] = field(default_factory=dict)

    def memory(self, section: Section) -> "SealedMemory":
        """What searches measured for a section, whatever its limits were."""
        name = self.name(section, without=("limit",))
        self.used.add(name)
        if name not in self.memories:
            known = kept_answers.from_bytes(body) if (body := self._unsealed(name)) else {}
            self.memories[name] = SealedMemory(secret=self.keyed.secret("work: memory"), known=known)
        return self.memories[name]

    def remember(self, section: Section) -> None:
        """Keep what was measured; what found no use goes first when there is too much."""
        memory = self.memory(section)
        if self.writes and memory.grown:
            kept = dict(list(memory.known.items())[-MOST_REMEMBERED:])
            self._write(self.name(section, without=("limit",)), kept_answers.to_bytes(kept))

    def find(self, section: Section) -> KeptAnswers | None:
        """The answers of an earlier try, if everything is as it was then."""
        name = self.name(section)
        try:
            body = self._unsealed(name)
            found = kept_answers.from_bytes(body) if body else {}
            files = {part: self.where.private / FOLDER / _rows_of(name, part) for part in found["tables"]}
            if found["tables"] != {part: file_digest(path) for part, path in files.items()}:
                return None
        except (OSError, ValueError, KeyError, TypeError):
            return None
        self.used.add(name)
        rows = {part: _own_copy(path) for part, path in files.items()}
        private = {**found["protected"].pop("private"), **{part: rows[part] for part in rows if part != RELEASED}}
        protected = Protected(table=engine.there(rows[RELEASED]), private=private, **found["protected"])
        return KeptAnswers(protected=protected, **{part: tuple(found[part]) for part in ("before", "after", "utility")})

    def keep(self, section: Section, answers: KeptAnswers) -> None:
        """Keep the answers for the next try, unless a kind put objects of its own in."""
        if not self.writes:
            return
        name, protected = self.name(section), answers.protected
        long = {part: table for part, table in protected.private.items() if isinstance(table, Table)}
        files = {part: _parquet(table, part) for part, table in {RELEASED: protected.table, **long}.items()}
        short = {part: table for part, table in protected.private.items() if part not in long}
        entry = {
            "tables": {part: file_digest(path) for part, path in files.items()},
            "protected": {**{key: cell for key, cell in vars(protected).items() if key != "table"}, "private": short},
            **{part: list(getattr(answers, part)) for part in ("before", "after", "utility")},
        }
        try:
            body = kept_answers.to_bytes(entry)
        except kept_answers.Unwritable:
            return
        for part, path in files.items():
            place.copy_private(self.where, f"{FOLDER}/{_rows_of(name, part)}", path)
        self._write(name, body)
        self.used.add(name)

    def sweep(self) -> None:
        """Entries that this run had no use for are of plans or data that are no more."""
        folder = self.where.private / FOLDER
        if not self.writes:
            return
        for path in folder.iterdir() if folder.is_dir() else ():
            if path.name.partition(".")[0] not in self.used:
                place.remove(path)

    def _unsealed(self, name: str) -> bytes | None:
        """What an entry says, if it is there and was written with our key."""
        try:
            content = (self.where.private / FOLDER / name).read_bytes()
        except OSError:
            return None
        seal, _, body = content.partition(b"\n")
        return body if hmac.compare_digest(seal, self._seal(name, body)) else None

    def _write(self, name: str, body: bytes) -> None:
        place.write_private(self.where, f"{FOLDER}/{name}", self._seal(name, body) + b"\n" + body)

    def name(self, section: Section, *, without: tuple[str, ...] = ()) -> str:
        """A keyed digest of everything that the answers for a section come from."""
        said = {key: value for key, value in asdict(section).items() if key not in ("folder", *without)}
        header = {key: value for key, value in asdict(self.plan.header).items() if key not in UNHEARD}
        origin = {
            "label": section.label,
            "section": said,
            "header": header,
            "inputs": self.inputs,
            "used again": _used_again(section),
            **program(),
        }
        return hmac.digest(self.keyed.secret("work: name"), to_json(origin), hashlib.sha256).hex()

    def _seal(self, name: str, body: bytes) -> bytes:
        """Authenticate an entry with its name, so that no other entry can take its place."""
        return hmac.digest(self.keyed.secret("work: seal"), name.encode() + b"\n" + body, hashlib.sha256).hex().encode()


@dataclass(kw_only=True)
class SealedMemory:
    """Answers of single measurements, by a keyed digest of what they were about; the most recently used stand last."""

    secret: bytes
    known: dict[str, Any]
    grown: bool = False

    def recall(self, what: str, setting: Mapping[str, Any], work: Callable[[], Answer]) -> Answer:
        """Return what `work` gave earlier, or gives now; keep what can be written."""
        name = hmac.digest(self.secret, to_json({"what": what, "setting": setting}), hashlib.sha256).hex()
        if name not in self.known:
            answer = work()
            try:
                written = kept_answers.to_bytes({"answer": answer})
            except kept_answers.Unwritable:
                return answer
            self.known[name], self.grown = kept_answers.from_bytes(written)["answer"], True
        self.known[name] = found = self.known.pop(name)
        return cast(Answer, found)

    def take_over(self, other: Memory) -> None:
        """What a worker found in this one's stead."""
        assert isinstance(other, SealedMemory)
        self.known, self.grown = other.known, other.grown


def _used_again(section: Section) -> str | None:
    """The table of an earlier release that a section names, by its bytes: no other section depends on it."""
    table: str | None = getattr(section, "recoding", None)
    path = section.folder / table if table else None
    return file_digest(path) if path is not None and path.is_file() else None


def inputs(plan: Plan, others: Iterable[Path]) -> list[Path]:
    """List every file and folder that a run reads."""
    paths = [section.path for section in plan.sections]
    paths += [path for section in plan.sections for path in {**section.files(), **section.reads()}.values()]
    if plan.header.exclude is not None:
        paths.append(plan.folder / plan.header.exclude.file)
    return [*paths, *others]


def digests(paths: Iterable[Path]) -> dict[str, str]:
    """Hash every file of the inputs."""
    found = {}
    for path in paths:
        for file in sorted(path.rglob("*")) if path.is_dir() else [path]:
            if file.is_file():
                found[str(file)] = file_digest(file)
    return found


def program() -> dict[str, Any]:
    """What computes: this program itself, and the versions of all libraries."""
    return {"code": _code(), "versions": {"python": platform.python_version(), **versions.installed()}}


@cache
def _code() -> str:
    """The program itself: answers of another version of it are not ours."""
    root = Path(__file__).parents[1]
    sum_ = hashlib.sha256()
    for path in sorted(
        path for path in root.rglob("*") if path.is_file() and path.suffix not in (".pyc", ".nbi", ".nbc")
    ):
        sum_.update(str(path.relative_to(root)).encode() + b"\0" + file_digest(path).encode())
    return sum_.hexdigest()


def _rows_of(name: str, part: str) -> str:
    """The file in which a table of an entry lies."""
    return f"{name}.{part}.parquet" if part else f"{name}.parquet"


def _parquet(table: Table, part: str) -> Path:
    """The rows as a file in this run's own folder, in the place of the last one."""
    from sharewell.data.scratch import scratch

    path = scratch() / _rows_of("kept-work", part)
    engine.copy(engine.here(table), path, format="parquet")
    return path


def _own_copy(path: Path) -> Table:
    """The rows in this run's own folder: what lies in the private one may be swept while it is read."""
    return engine.materialise(engine.read(path))
