"""A release as it lies on somebody's disk, opened as if an attacker had made it.

Only regular files inside the folder are read: no link is followed, no pipe or device is waited for, and nothing is read
that is larger than it has to be.
"""

import hashlib
import os
import stat
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from sharewell.data import system

MOST_ENTRIES = 200_000
DEEPEST = 8
CHUNK = 1 << 20
LONGEST_NAME = 120
FLAGS = os.O_RDONLY | system.NOFOLLOW | system.NONBLOCK | system.CLOEXEC | system.BINARY


class Unsafe(Exception):
    """One sentence about a file that is not read; the name of it is put in front by the code that catches this."""


@dataclass(frozen=True, kw_only=True)
class FolderContents:
    """What is in a folder: regular files and folders by their path, and the rest with what they are."""

    files: frozenset[str]
    folders: frozenset[str]
    others: tuple[tuple[str, str], ...]


@dataclass(frozen=True, kw_only=True)
class OpenFolder:
    """A folder by its handle: what is read is what was found, even if the folder is renamed meanwhile."""

    handle: int
    folder: Path | None = None  # where a system opens no folders, files are found by their path
    until: float | None = None  # time.monotonic() after which no more is read

    def found(self) -> FolderContents:
        files: set[str] = set()
        folders: set[str] = set()
        others: list[tuple[str, str]] = []
        for name, mode in self._walk(self.handle, "", 0) if self.folder is None else _by_path(self.folder, "", 0):
            if stat.S_ISREG(mode):
                files.add(name)
            elif stat.S_ISDIR(mode):
                folders.add(name)
            else:
                others.append((name, "is a link" if stat.S_ISLNK(mode) else "is a pipe or a device"))
            if len(files) + len(folders) + len(others) > MOST_ENTRIES:
                raise Unsafe(f"holds more than {MOST_ENTRIES:,} files")
        return FolderContents(files=frozenset(files), folders=frozenset(folders), others=tuple(others))

    def digest(self, name: str) -> str:
        """Compute the SHA-256 of a file in pieces, as long as there is time."""
        sum_ = hashlib.sha256()
        with self._file(name) as handle:
            while piece := os.read(handle, CHUNK):
                sum_.update(piece)
                if self.until is not None and time.monotonic() > self.until:
                    raise Unsafe("is too large to be checked in the time there is")
        return sum_.hexdigest()

    def content(self, name: str, most: int) -> bytes:
        """The bytes of a file that has no reason to be large."""
        with self._file(name) as handle:
            size = os.fstat(handle).st_size
            if size > most:
                raise Unsafe(f"is larger than {most // 1_000_000} MB")
            pieces, left = [], most
            while left > 0 and (piece := os.read(handle, min(CHUNK, left))):
                pieces.append(piece)
                left -= len(piece)
            return b"".join(pieces)

    def _walk(self, handle: int, above: str, depth: int) -> Iterator[tuple[str, int]]:
        if depth > DEEPEST:
            raise Unsafe(f"holds folders more than {DEEPEST} deep")
        with os.scandir(handle) as entries:
            listed = [(entry.name, entry.stat(follow_symlinks=False).st_mode) for entry in entries]
        for name, mode in listed:
            yield f"{above}{name}", mode
            if stat.S_ISDIR(mode):
                inner = os.open(name, FLAGS | system.DIRECTORY, dir_fd=handle)
                try:
                    yield from self._walk(inner, f"{above}{name}/", depth + 1)
                finally:
                    os.close(inner)

    @contextmanager
    def _file(self, name: str) -> Iterator[int]:
        """The handle of a regular file, every step on the way to it a folder and no link."""
        parts = PurePosixPath(name).parts
        if not parts or name.startswith("/") or ".." in parts or "\0" in name:
            raise Unsafe("is no path inside the release")
        inside = self.handle
        opened: list[int] = []
        try:
            if self.folder is not None:
                opened.append(_opened_by_path(self.folder, parts))
                yield opened[0]
                return
            for part in parts[:-1]:
                inside = os.open(part, FLAGS | system.DIRECTORY, dir_fd=inside)
                opened.append(inside)
            handle = os.open(parts[-1], FLAGS, dir_fd=inside)
            opened.append(handle)
            if not stat.S_ISREG(os.fstat(handle).st_mode):
                raise Unsafe("is not a regular file")
            yield handle
        except OSError as error:
            raise Unsafe(f"cannot be opened ({os.strerror(error.errno or 0)})") from None
        finally:
            for one in opened:
                os.close(one)


def _by_path(folder: Path, above: str, depth: int) -> Iterator[tuple[str, int]]:
    """What is in a folder, where folders cannot be opened themselves."""
    if depth > DEEPEST:
        raise Unsafe(f"holds folders more than {DEEPEST} deep")
    for path in sorted(folder.iterdir()):
        mode = path.lstat().st_mode
        yield f"{above}{path.name}", mode
        if stat.S_ISDIR(mode):
            yield from _by_path(path, f"{above}{path.name}/", depth + 1)


def _opened_by_path(folder: Path, parts: tuple[str, ...]) -> int:
    """A regular file with no link on the way to it."""
    path = folder
    for part in parts:
        path = path / part
        if path.is_symlink():
            raise Unsafe("is reached by a link")
    if not path.is_file():
        raise Unsafe("is not a regular file")
    return os.open(path, FLAGS)


@contextmanager
def opened(folder: Path, *, until: float | None = None) -> Iterator[OpenFolder]:
    if not system.OPENS_FOLDERS:
        yield OpenFolder(handle=-1, folder=folder, until=until)
        return
    handle = os.open(folder, os.O_RDONLY | system.DIRECTORY | system.CLOEXEC)
    try:
        yield OpenFolder(handle=handle, until=until)
    finally:
        os.close(handle)


def printable(text: str, most: int = LONGEST_NAME) -> str:
    """Make an attacker's text printable and bounded in length."""
    plain = "".join(letter if letter.isprintable() else "?" for letter in text[: most + 1])
    return plain if len(plain) <= most else f"{plain[:most]}…"
