"""Work that a second try need not do again: the answers of a file whose data, plan and key have not changed.

They lie in `private/work`, for their owner alone, one entry per file of the plan. The name of an entry is a keyed
digest of everything that its answers came from: every byte of every input of the plan, the whole section, the settings
of the release that reach a kind, the decisions of reviewers, the code, the versions of all libraries, and the key.
Whatever changes, the name changes, and the entry is not found. Each entry is sealed with the key, so that one which
somebody else wrote, or which was changed or cut off, is taken for none. Answers with failures are not kept.

The gate judges and the finished files are measured once more in every run, whether answers were kept or not.
"""

import hashlib
import hmac
import platform
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from functools import cache
from pathlib import Path

from ibis.expr.types import Table

from sharewell.contract import Protected, Risk, Utility
from sharewell.data import engine, versions
from sharewell.data.files import file_digest, to_json
from sharewell.data.keyed import Keyed
from sharewell.plan.document import Plan
from sharewell.plan.sections import Section
from sharewell.release import kept_answers, place
from sharewell.release.place import Place

FOLDER = "work"
UNHEARD = (  # of [release]: no kind ever hears of these
    "name", "description", "license", "contact", "citation", "purpose", "date", "expires", "register", "sign",
    "approve", "approvers", "key",
)  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class Answers:
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

    def find(self, section: Section) -> Answers | None:
        """The answers of an earlier try, if everything is as it was then."""
        name = self._name(section)
        try:
            content = (self.where.private / FOLDER / name).read_bytes()
            table = self.where.private / FOLDER / f"{name}.parquet"
            seal, _, body = content.partition(b"\n")
            if not hmac.compare_digest(seal, self._seal(body)):
                return None
            told = kept_answers.from_bytes(body)
            if told["table"] != file_digest(table):
                return None
        except (OSError, ValueError, KeyError, TypeError):
            return None
        self.used.add(name)
        protected = Protected(table=_own_copy(table), **told["protected"])
        return Answers(protected=protected, **{part: tuple(told[part]) for part in ("before", "after", "utility")})

    def keep(self, section: Section, answers: Answers) -> None:
        """The answers for the next try; a kind whose answers hold something of its own is asked again."""
        if not self.writes:
            return
        name = self._name(section)
        content = _parquet(answers.protected.table)
        told = {
            "table": hashlib.sha256(content).hexdigest(),
            "protected": {key: value for key, value in vars(answers.protected).items() if key != "table"},
            **{part: list(getattr(answers, part)) for part in ("before", "after", "utility")},
        }
        try:
            body = kept_answers.to_bytes(told)
        except kept_answers.Unwritable:
            return
        place.write_private(self.where, f"{FOLDER}/{name}.parquet", content)
        place.write_private(self.where, f"{FOLDER}/{name}", self._seal(body) + b"\n" + body)
        self.used.add(name)

    def sweep(self) -> None:
        """Entries that this run had no use for are of plans or data that are no more."""
        folder = self.where.private / FOLDER
        if not self.writes:
            return
        for path in folder.iterdir() if folder.is_dir() else ():
            if path.name.removesuffix(".parquet") not in self.used:
                place.remove(path)

    def _name(self, section: Section) -> str:
        said = {key: value for key, value in asdict(section).items() if key != "folder"}
        header = {key: value for key, value in asdict(self.plan.header).items() if key not in UNHEARD}
        told = {
            "label": section.label,
            "section": said,
            "header": header,
            "inputs": self.inputs,
            "code": _code(),
            "versions": {"python": platform.python_version(), **versions.installed()},
        }
        return hmac.digest(self.keyed.secret("work: name"), to_json(told), hashlib.sha256).hex()

    def _seal(self, body: bytes) -> bytes:
        return hmac.digest(self.keyed.secret("work: seal"), body, hashlib.sha256).hex().encode()


def digests(plan: Plan, others: Iterable[Path]) -> dict[str, str]:
    """Every file that a run reads, by its bytes: to be taken before they are read, and compared after."""
    paths = [section.path for section in plan.sections]
    paths += [path for section in plan.sections for path in section.files().values()]
    if plan.header.exclude is not None:
        paths.append(plan.folder / plan.header.exclude.file)
    found = {}
    for path in (*paths, *others):
        for file in sorted(path.rglob("*")) if path.is_dir() else [path]:
            if file.is_file():
                found[str(file)] = file_digest(file)
    return found


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


def _parquet(table: Table) -> bytes:
    """The rows as a file; read back whole, since a private file is written whole."""
    from sharewell.data.scratch import scratch

    path = scratch() / "kept-work.parquet"
    engine.copy(table, path, format="parquet")
    return path.read_bytes()


def _own_copy(path: Path) -> Table:
    """The rows in this run's own folder: what lies in the private one may be swept while it is read."""
    return engine.materialise(engine.connection().read_parquet(str(path)))
