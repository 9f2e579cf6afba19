"""Where a release goes: written beside, checked, then renamed into place. A crash leaves no half release.

root/release/      what recipients get; appears complete or not at all
root/private/      key, review lists, full findings; 0700, files 0600, never inside the release

Others who may write to the folder can put links and files of their own into it. So no link is followed on the way to
what is private, and a private folder that belongs to somebody else is not used.
"""

import errno
import io
import os
import shutil
import stat
import tempfile
import uuid
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from sharewell.data import system
from sharewell.errors import DiskError, Locked

PARTIAL = ".release-partial-"
REPLACED = ".release-replaced"
UNFINISHED = ".writing-"  # private files on their way; a killed run may leave one
LOCK = ".lock"
PAPERS = ("manifest.json", "summary.json")


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
    """Turn an `OSError` into a `DiskError` of one sentence, with the cure if known."""
    reasons = {
        errno.ENOSPC: "the disk is full; free some space and run again",
        errno.EDQUOT: "the disk quota is used up; free some space and run again",
        errno.EFBIG: "the disk takes no file of this size; free some space or write elsewhere",
        errno.EACCES: "the folder may not be written to; check its permissions or choose another with --out",
        errno.EPERM: "the folder may not be written to; check its permissions or choose another with --out",
        errno.EROFS: "the disk is read-only; choose another folder with --out",
        errno.ENOTDIR: "a file stands where a folder is needed; choose another folder with --out",
        errno.ELOOP: "a link stands where a file or folder of one's own is needed; remove it or choose another folder",
        errno.ENAMETOOLONG: "the name is too long for this disk; choose a shorter one",
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
        _refuse_inside_a_release(place)
        place.root.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=place.root):
            pass
        _own_private(place)
        with only_one_at_a_time(place, replace=replace):
            pass


def _refuse_inside_a_release(place: Place) -> None:
    """The key and the findings would be handed out with it."""
    root = place.root.resolve()
    for folder in (root, *root.parents):
        finished = all((folder / paper).exists() for paper in PAPERS)
        beside_private = folder.name == place.release.name and (folder.parent / place.private.name / LOCK).exists()
        if finished or beside_private or folder.name.startswith(PARTIAL):
            raise DiskError(f"{place.root}: lies inside a release, and what is private must not; choose another folder")


def _own_private(place: Place) -> None:
    """The private folder, made or found: a folder and no link, of this user's, closed to everybody else."""
    with suppress(FileExistsError):
        place.private.mkdir(mode=0o700)
    found = place.private.lstat()
    if not stat.S_ISDIR(found.st_mode):
        raise DiskError(f"{place.private}: a link or a file stands where the private folder goes; remove it")
    if not system.is_own(found):
        raise DiskError(f"{place.private}: belongs to somebody else, who could read the key; choose another folder")
    place.private.chmod(0o700)


def _recover(place: Place) -> None:
    """A run that was killed between the two renames left the old release aside: put it back."""
    if _exists(place.replaced):
        if _exists(place.release):
            remove(place.replaced)
        else:
            place.replaced.rename(place.release)


def remove(path: Path) -> None:
    """A folder with all that is in it, a file, or a link without what it leads to."""
    if stat.S_ISDIR(path.lstat().st_mode):
        shutil.rmtree(path)
    else:
        path.unlink()


def _exists(path: Path) -> bool:
    """Whether something stands there, a link to nowhere included."""
    return os.path.lexists(path)


@contextmanager
def only_one_at_a_time(place: Place, *, replace: bool = True) -> Iterator[None]:
    """Lock a folder for one run, and put right what a killed run left."""
    handle = os.open(place.private / LOCK, os.O_RDWR | os.O_CREAT | system.NOFOLLOW | system.NONBLOCK, 0o600)
    try:
        if not stat.S_ISREG(os.fstat(handle).st_mode):
            raise DiskError(f"{place.private / LOCK}: is no file; remove it")
        system.close_to_others(handle)
        try:
            system.lock(handle, wait=False)
        except BlockingIOError:
            raise Locked(f"{place.root}: another release is being written here; wait for it to end") from None
        _recover(place)
        for leftover in (*place.root.glob(f"{PARTIAL}*"), *place.private.glob(f"{UNFINISHED}*")):
            remove(leftover)
        if _exists(place.release) and not replace:
            raise DiskError(f"{place.release}: there is a release already; use --replace to write a new one over it")
        yield
    finally:
        os.close(handle)


@contextmanager
def staging(place: Place) -> Iterator[Path]:
    """Make a folder on the same disk to build in; remove it unless published."""
    folder = Path(tempfile.mkdtemp(prefix=PARTIAL, dir=place.root))
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def publish(built: Path, place: Place) -> None:
    """Make everything durable, then rename over an older release."""
    built.chmod(0o755)
    for path in sorted(built.rglob("*")):
        path.chmod(0o755 if path.is_dir() else 0o644)
        system.sync(path)
    system.sync(built)
    if _exists(place.release):
        place.release.rename(place.replaced)
    built.rename(place.release)
    system.sync(place.root)
    if _exists(place.replaced):
        with suppress(OSError):  # the new release is there; the next run sweeps what is left of the old one
            remove(place.replaced)


def write_private(place: Place, name: str, content: bytes) -> Path:
    """Write a file for its owner alone, complete before it has its name."""
    return _privately(place, name, io.BytesIO(content))


def copy_private(place: Place, name: str, source: Path) -> Path:
    """The same with what another file holds, which may be more than fits into memory."""
    with source.open("rb") as content:
        return _privately(place, name, content)


def _privately(place: Place, name: str, content: BinaryIO) -> Path:
    folder = _own_folder(place, Path(name).parent)
    path, unfinished = folder / Path(name).name, place.private / f"{UNFINISHED}{uuid.uuid4().hex}"
    if os.path.lexists(path) and not stat.S_ISREG(path.lstat().st_mode):
        raise DiskError(f"{path}: a link or a folder stands where a private file goes; remove it")
    try:
        handle = os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_EXCL | system.NOFOLLOW | system.BINARY, 0o600)
        with os.fdopen(handle, "wb") as file:
            shutil.copyfileobj(content, file)
            file.flush()
            os.fsync(handle)
        unfinished.rename(path)
    finally:
        with suppress(FileNotFoundError):
            unfinished.unlink()
    system.sync(folder)
    return path


def _own_folder(place: Place, inside: Path) -> Path:
    """A folder under the private one, every step of the way a folder and no link."""
    folder = place.private
    for part in inside.parts:
        folder = folder / part
        with suppress(FileExistsError):
            folder.mkdir(mode=0o700)
        if not stat.S_ISDIR(folder.lstat().st_mode):
            raise DiskError(f"{folder}: a link or a file stands where a private folder goes; remove it")
    return folder
