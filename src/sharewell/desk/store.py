"""What people decide at the desk, on disk before they get an answer: marks, notes and sendings-back, append-only.

SQLite in the private folder. A mark is never changed: a later one of the same person about the same word stands instead
of it, and undoing is one more row. So nothing is lost by a reload, a second tab, or a machine that is switched off.
"""

import sqlite3
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from sharewell.errors import DiskError

WAIT_SECONDS = 30
STATEMENTS = (
    """CREATE TABLE IF NOT EXISTS marks (
        number INTEGER PRIMARY KEY, at TEXT NOT NULL, file TEXT NOT NULL, about TEXT NOT NULL, rater TEXT NOT NULL,
        mark TEXT NOT NULL, undoes INTEGER
    ) STRICT""",
    """CREATE TABLE IF NOT EXISTS notes (
        number INTEGER PRIMARY KEY, at TEXT NOT NULL, file TEXT NOT NULL, about TEXT NOT NULL, rater TEXT NOT NULL,
        text TEXT NOT NULL
    ) STRICT""",
    "CREATE TABLE IF NOT EXISTS kept (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT",
)


@dataclass(frozen=True, kw_only=True)
class Mark:
    """One decision about a word (`word:…`) or a place (`place:…`); an empty mark takes an earlier one back."""

    number: int
    at: str
    file: str
    about: str
    rater: str
    mark: str
    undoes: int | None = None


@dataclass(frozen=True, kw_only=True)
class Note:
    """What somebody wrote beside a word."""

    at: str
    about: str
    rater: str
    text: str


class Store:
    """One database; several threads of the desk write one after the other."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._lock = threading.Lock()
        try:
            path.touch(mode=0o600)
            path.chmod(0o600)
            self._connection = sqlite3.connect(
                path, timeout=WAIT_SECONDS, isolation_level=None, check_same_thread=False
            )
            self._connection.execute("PRAGMA journal_mode = WAL")
            self._connection.execute("PRAGMA synchronous = FULL")
            for statement in STATEMENTS:
                self._connection.execute(statement)
        except (OSError, sqlite3.DatabaseError):
            raise DiskError(f"{path}: cannot be written; check the folder and the space on the disk") from None

    def mark(self, file: str, about: str, rater: str, mark: str, *, undoes: int | None = None) -> Mark:
        """On disk when this returns."""
        at = _now()
        with self._writing() as connection:
            made = connection.execute(
                "INSERT INTO marks (at, file, about, rater, mark, undoes) VALUES (?, ?, ?, ?, ?, ?)",
                (at, file, about, rater, mark, undoes),
            )
            number = made.lastrowid
        assert number is not None
        return Mark(number=number, at=at, file=file, about=about, rater=rater, mark=mark, undoes=undoes)

    def marks(self, file: str) -> list[Mark]:
        rows = self._rows("SELECT * FROM marks WHERE file = ? ORDER BY number", (file,))
        return [
            Mark(number=row[0], at=row[1], file=row[2], about=row[3], rater=row[4], mark=row[5], undoes=row[6])
            for row in rows
        ]

    def note(self, file: str, about: str, rater: str, text: str) -> None:
        with self._writing() as connection:
            connection.execute(
                "INSERT INTO notes (at, file, about, rater, text) VALUES (?, ?, ?, ?, ?)",
                (_now(), file, about, rater, text),
            )

    def notes(self, file: str) -> list[Note]:
        rows = self._rows("SELECT at, about, rater, text FROM notes WHERE file = ? ORDER BY number", (file,))
        return [Note(at=row[0], about=row[1], rater=row[2], text=row[3]) for row in rows]

    def keep(self, name: str, value: str) -> None:
        with self._writing() as connection:
            connection.execute("INSERT OR REPLACE INTO kept VALUES (?, ?)", (name, value))

    def kept(self, name: str) -> str | None:
        rows = self._rows("SELECT value FROM kept WHERE name = ?", (name,))
        return str(rows[0][0]) if rows else None

    def close(self) -> None:
        with self._lock:
            self._connection.close()

    def _rows(self, query: str, values: tuple[Any, ...]) -> list[tuple[Any, ...]]:
        with self._lock:
            return self._connection.execute(query, values).fetchall()

    @contextmanager
    def _writing(self) -> Iterator[sqlite3.Connection]:
        with self._lock:
            try:
                yield self._connection
            except sqlite3.DatabaseError:
                raise DiskError(f"{self.path}: the disk is full or cannot be written; nothing was changed") from None


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
