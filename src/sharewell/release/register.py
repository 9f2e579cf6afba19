"""The register of releases: what left this office, when, for whom, under which pseudonyms, and what was measured.

A folder of its own (`private/register/`, or one for a whole office that plans name as `register = "…"`):

    register.sqlite   the entries; append-only, each chained to the one before by its hash
    secret            a key of the register: students stand in it as keyed tokens, never by their ids
    copies/ID/        what each release holds, a Parquet file per section with the token of the student beside each row

SQLite and not Parquet: an entry is there completely or not at all, whatever kills the process or fills the disk, and
two releases at once wait for each other. That is what a small office needs and what a Parquet file that is written
anew would have to build by hand. The copies are Parquet: written once, never changed, and named by their hash in an
entry that is made only when they are on disk.
"""

import hashlib
import hmac
import json
import os
import secrets
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal

from sharewell.data import ids, system
from sharewell.data.files import file_digest
from sharewell.data.keyed import KEY_BYTES
from sharewell.errors import DiskError, InputError

Kind = Literal["release", "published", "abandoned", "superseded", "withdrawal", "approval"]
START = "0" * 64  # what the first entry is chained to
WAIT_SECONDS = 60  # for another process that writes an entry
TOKEN_LETTERS = 32

STATEMENTS = (
    """CREATE TABLE IF NOT EXISTS entries (
        number INTEGER PRIMARY KEY, at TEXT NOT NULL, kind TEXT NOT NULL, release TEXT NOT NULL, body TEXT NOT NULL,
        previous TEXT NOT NULL, digest TEXT NOT NULL UNIQUE
    ) STRICT""",
    "CREATE TRIGGER IF NOT EXISTS no_change BEFORE UPDATE ON entries BEGIN SELECT RAISE(ABORT, 'append-only'); END",
    "CREATE TRIGGER IF NOT EXISTS no_removal BEFORE DELETE ON entries BEGIN SELECT RAISE(ABORT, 'append-only'); END",
)


@dataclass(frozen=True, kw_only=True)
class Entry:
    """One line of the register."""

    number: int
    at: str
    kind: str
    release: str
    body: Mapping[str, Any]
    previous: str
    digest: str


@dataclass(frozen=True, kw_only=True)
class Earlier:
    """A release as the register knows it: what was written down, and what became of it."""

    id: str
    at: str
    body: Mapping[str, Any]
    published: bool
    superseded_by: str | None = None
    withdrawn: tuple[str, ...] = ()  # tokens of students who opted out later, and of those who left with them
    approvals: tuple[Mapping[str, Any], ...] = field(default=())

    @property
    def audience(self) -> str:
        return str(self.body["audience"])


class Register:
    """One register in its folder; made when it is first used."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    @property
    def path(self) -> Path:
        return self.folder / "register.sqlite"

    def exists(self) -> bool:
        return self.path.exists()

    def append(self, kind: Kind, release: str, body: Mapping[str, Any]) -> Entry:
        """One more entry, on disk before this returns; nobody else writes in between."""
        text = json.dumps(body, sort_keys=True, ensure_ascii=False, allow_nan=False)
        with self._writing() as connection:
            last = connection.execute("SELECT number, digest FROM entries ORDER BY number DESC LIMIT 1").fetchone()
            number, previous = (last[0] + 1, last[1]) if last else (1, START)
            at = datetime.now(UTC).isoformat(timespec="seconds")
            digest = _digest(number, at, kind, release, text, previous)
            row = (number, at, kind, release, text, previous, digest)
            connection.execute("INSERT INTO entries VALUES (?, ?, ?, ?, ?, ?, ?)", row)
        return _entry(row)

    def entries(self) -> list[Entry]:
        if not self.exists():
            return []
        with self._open() as connection:
            made = connection.execute("SELECT count(*) FROM sqlite_master WHERE name = 'entries'").fetchone()[0]
            rows = connection.execute("SELECT * FROM entries ORDER BY number").fetchall() if made else []
        return [_entry(row) for row in rows]

    def head(self) -> str:
        """Return the hash of the last entry, to be noted elsewhere."""
        entries = self.entries()
        return entries[-1].digest if entries else START

    def problems(self) -> list[str]:
        """Find entries that were changed, removed or put in, and damaged copies."""
        found, previous = [], START
        for place, entry in enumerate(self.entries(), start=1):
            text = json.dumps(entry.body, sort_keys=True, ensure_ascii=False, allow_nan=False)
            digest = _digest(entry.number, entry.at, entry.kind, entry.release, text, entry.previous)
            if entry.number != place or entry.previous != previous:
                found.append(f"entry {entry.number}: does not follow the one before it; one was removed or put in")
            if digest != entry.digest:
                found.append(f"entry {entry.number}: its content was changed after it was written")
            previous = entry.digest
            found += self._copy_problems(entry)
        return found

    def _copy_problems(self, entry: Entry) -> Iterator[str]:
        if entry.kind != "release":
            return
        for label, file in entry.body["files"].items():
            path = self.folder / file["copy"]
            if not path.is_file():
                yield f"entry {entry.number}: the copy of {label} is missing: later releases cannot be checked"
            elif file_digest(path) != file["copy_digest"]:
                yield f"entry {entry.number}: the copy of {label} was changed"

    def releases(self) -> list[Earlier]:
        """Every release that may be in somebody's hands, oldest first. One that was begun counts until it is clear
        that it was abandoned."""
        found: dict[str, dict[str, Any]] = {}
        for entry in self.entries():
            if entry.kind == "release":
                found[entry.release] = {"at": entry.at, "body": entry.body, "published": False, "approvals": []}
            elif entry.release in found:
                _add(found, entry)
        return [
            Earlier(
                id=release,
                at=state["at"],
                body=state["body"],
                published=state["published"],
                superseded_by=state.get("superseded"),
                withdrawn=tuple(state.get("withdrawn", ())),
                approvals=tuple(state["approvals"]),
            )
            for release, state in found.items()
            if not state.get("abandoned")
        ]

    def settle(self, place: str, *, published: str | None, waiting: str | None) -> None:
        """Write down what became of a run that was killed before publishing.

        `published` and `waiting` are the release and the candidate that stand at the place.
        """
        for release in self.releases():
            if release.published or release.body["place"] != place or release.id == waiting:
                continue
            became: Kind = "published" if release.id == published else "abandoned"
            self.append(became, release.id, {"settled": True})

    def token(self) -> Callable[[str], str]:
        """Return a keyed token of a student, the same in every release."""
        key = self._key()
        return lambda who: hmac.digest(key, ids.normal(who).encode(), hashlib.sha256).hex()[:TOKEN_LETTERS]

    def tokens(self, students: Iterable[str]) -> dict[str, str]:
        token = self.token()
        return {who: token(who) for who in students}

    def _key(self) -> bytes:
        path = self.folder / "secret"
        if not path.exists():
            self._prepare()
            try:
                handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | system.BINARY, 0o600)
            except FileExistsError:  # another release made it at the same moment
                return self._key()
            with os.fdopen(handle, "w") as file:
                file.write(secrets.token_hex(KEY_BYTES) + "\n")
                file.flush()
                os.fsync(file.fileno())
        try:
            key = bytes.fromhex(path.read_text(encoding="utf-8").strip())
        except ValueError:
            key = b""
        if len(key) != KEY_BYTES:
            raise InputError("the key of the register is damaged: restore it from a backup", file=path)
        return key

    def _prepare(self) -> None:
        self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)

    @contextmanager
    def _open(self) -> Iterator[sqlite3.Connection]:
        self._prepare()
        try:
            connection = sqlite3.connect(self.path, timeout=WAIT_SECONDS, isolation_level=None)
            self.path.chmod(0o600)
            try:
                connection.execute("PRAGMA synchronous = FULL")
                yield connection
            finally:
                connection.close()
        except sqlite3.DatabaseError as error:
            raise DiskError(f"{self.path}: {_sentence(error)}") from None

    @contextmanager
    def _writing(self) -> Iterator[sqlite3.Connection]:
        """One transaction: all of it or nothing; others wait for its end."""
        with self._open() as connection:
            connection.execute("BEGIN IMMEDIATE")
            try:
                for statement in STATEMENTS:
                    connection.execute(statement)
                yield connection
            except BaseException:
                if connection.in_transaction:
                    connection.execute("ROLLBACK")
                raise
            connection.execute("COMMIT")


def _add(found: dict[str, dict[str, Any]], entry: Entry) -> None:
    state = found[entry.release]
    if entry.kind == "published":
        state |= {"published": True, "abandoned": False}
    elif entry.kind == "abandoned":
        state["abandoned"] = True
    elif entry.kind == "superseded":
        state["superseded"] = entry.body["by"]
    elif entry.kind == "withdrawal":
        state["withdrawn"] = [*state.get("withdrawn", ()), *entry.body["tokens"]]
    elif entry.kind == "approval":
        state["approvals"].append(entry.body)


def _entry(row: tuple[Any, ...]) -> Entry:
    number, at, kind, release, body, previous, digest = row
    return Entry(
        number=number, at=at, kind=kind, release=release, body=json.loads(body), previous=previous, digest=digest
    )


def _digest(number: int, at: str, kind: str, release: str, body: str, previous: str) -> str:
    """Over everything that the entry says; lengths are part of it, so that no two entries read alike."""
    parts = [str(number), at, kind, release, body, previous]
    joined = "".join(f"{len(part.encode())}:{part}" for part in parts)
    return hashlib.sha256(joined.encode()).hexdigest()


def _sentence(error: sqlite3.DatabaseError) -> str:
    text = str(error).lower()
    if "full" in text or "disk i/o" in text:
        return "the disk is full or cannot be written; the register stays as it was"
    if "locked" in text:
        return "another release is writing to the register and does not end; try again later"
    if "readonly" in text or "unable to open" in text:
        return "the register may not be written; check the permissions of its folder"
    return "the register is damaged: restore it from a backup before the next release"
