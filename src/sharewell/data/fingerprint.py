"""Whether a file is still the one that was read: a source is looked at several times before its rows are kept.

Size, times and number of the file on its disk tell a file that was written to, or replaced by another; the time of
change cannot be set back by a program.
"""

import os
from dataclasses import dataclass
from pathlib import Path

from sharewell.errors import InputError

Mark = tuple[int, ...]


@dataclass(frozen=True, kw_only=True)
class Fingerprint:
    """What a file, or every file of a folder, looked like before it was read."""

    path: Path
    marks: tuple[tuple[str, Mark], ...]

    @classmethod
    def of(cls, path: Path) -> "Fingerprint":
        return cls(path=path, marks=_marks(path))

    def check(self) -> None:
        """Refuse a file that is no longer what it was."""
        if _marks(self.path) != self.marks:
            raise InputError(
                "was changed while it was read; wait until it is written, or release a copy of it", file=self.path
            )


def _marks(path: Path) -> tuple[tuple[str, Mark], ...]:
    files = sorted(path.rglob("*")) if path.is_dir() else [path]
    return tuple((str(file), _mark(file)) for file in files)


def _mark(file: Path) -> Mark:
    try:
        found = os.stat(file)  # noqa: PTH116 — a link is followed: what it leads to is read
    except OSError:
        return ()
    return (found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns)
