"""Where a release goes: written beside, checked, then renamed into place. A crash leaves no half release.

root/release/      what recipients get; appears complete or not at all
root/private/      key, review lists, full findings; 0700, files 0600, never inside the release
"""

import errno
import fcntl
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from sharewell.errors import DiskError

PARTIAL = ".release-partial-"
REPLACED = ".release-replaced"


@dataclass(frozen=True)
class Place:
    """The folder that holds `release/` and `private/`."""

    root: Path

    @property
    def release(self) -> Path:
        return self.root / "release"

    @property
    def private(self) -> Path:
        return self.root / "private"

    @property
    def replaced(self) -> Path:
        return self.root / REPLACED


@contextmanager
def clear_sentences(what: Path) -> Iterator[None]:
    """Turns what a disk has to say into one sentence."""
    reasons = {
        errno.ENOSPC: "the disk is full; free some space and run again",
        errno.EDQUOT: "the disk quota is used up; free some space and run again",
        errno.EFBIG: "the disk takes no file of this size; free some space or write elsewhere",
        errno.EACCES: "the folder may not be written to; check its permissions or choose another with --out",
        errno.EPERM: "the folder may not be written to; check its permissions or choose another with --out",
        errno.EROFS: "the disk is read-only; choose another folder with --out",
        errno.ENOTDIR: "a file stands where a folder is needed; choose another folder with --out",
        errno.EEXIST: "a file stands where a folder is needed; choose another folder with --out",
    }
    try:
        yield
    except OSError as error:
        reason = reasons.get(error.errno or 0, f"could not be written ({os.strerror(error.errno or errno.EIO)})")
        raise DiskError(f"{what}: {reason}") from None


def prepare(place: Place, *, replace: bool) -> None:
    """Check before the long work starts: is there room for a release here?"""
    with clear_sentences(place.root):
        place.root.mkdir(parents=True, exist_ok=True)
        _recover(place)
        if place.release.exists() and not replace:
            raise DiskError(f"{place.release}: there is a release already; use --replace to write a new one over it")
        with tempfile.TemporaryFile(dir=place.root):
            pass
        place.private.mkdir(mode=0o700, exist_ok=True)
        place.private.chmod(0o700)


def _recover(place: Place) -> None:
    """A run that was killed between the two renames left the old release aside: put it back."""
    if place.replaced.exists():
        if place.release.exists():
            shutil.rmtree(place.replaced)
        else:
            place.replaced.rename(place.release)


@contextmanager
def only_one_at_a_time(place: Place) -> Iterator[None]:
    """Two runs into one folder would tread on each other."""
    with (place.private / ".lock").open("w") as lock:
        os.fchmod(lock.fileno(), 0o600)
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise DiskError(f"{place.root}: another release is being written here; wait for it to end") from None
        for leftover in place.root.glob(f"{PARTIAL}*"):
            shutil.rmtree(leftover)
        yield


@contextmanager
def staging(place: Place) -> Iterator[Path]:
    """A folder on the same disk to build the release in; gone again unless it was published."""
    folder = Path(tempfile.mkdtemp(prefix=PARTIAL, dir=place.root))
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def publish(built: Path, place: Place) -> None:
    """Make everything durable, then rename. An older release steps aside only for a complete one."""
    built.chmod(0o755)
    for path in sorted(built.rglob("*")):
        path.chmod(0o755 if path.is_dir() else 0o644)
        _sync(path)
    _sync(built)
    if place.release.exists():
        place.release.rename(place.replaced)
    built.rename(place.release)
    _sync(place.root)
    shutil.rmtree(place.replaced, ignore_errors=True)


def write_private(place: Place, name: str, content: bytes) -> Path:
    """A file that only its owner can read, on disk before the function returns."""
    path = place.private / name
    for folder in reversed(path.relative_to(place.private).parents[:-1]):
        (place.private / folder).mkdir(mode=0o700, exist_ok=True)
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(handle, "wb") as file:
        os.fchmod(handle, 0o600)
        file.write(content)
        file.flush()
        os.fsync(handle)
    return path


def _sync(path: Path) -> None:
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
