"""What differs between systems: flags, locks, owners. Where a system lacks a thing, what stands here does without it.

Linux and macOS have all of it. Windows has no O_NOFOLLOW, no user numbers and no folders opened by a handle; who may
write to a private folder there is settled by its access list, which the home folder's own keeps to its user.
"""

import ctypes
import os
import stat
import sys
from functools import cache
from pathlib import Path

NOFOLLOW: int = getattr(os, "O_NOFOLLOW", 0)
NONBLOCK: int = getattr(os, "O_NONBLOCK", 0)
DIRECTORY: int = getattr(os, "O_DIRECTORY", 0)
CLOEXEC: int = getattr(os, "O_CLOEXEC", 0)
BINARY: int = getattr(os, "O_BINARY", 0)
OPENS_FOLDERS = os.open in os.supports_dir_fd

if sys.platform != "win32":
    import fcntl

    def lock(handle: int, *, wait: bool) -> None:
        """Held until the handle is closed or the process ends; BlockingIOError where another has it."""
        fcntl.flock(handle, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))

else:
    import msvcrt

    def lock(handle: int, *, wait: bool) -> None:
        """Held until the handle is closed or the process ends; BlockingIOError where another has it."""
        os.lseek(handle, 0, os.SEEK_SET)
        try:
            msvcrt.locking(handle, msvcrt.LK_LOCK if wait else msvcrt.LK_NBLCK, 1)
        except OSError:
            raise BlockingIOError from None


def is_own(found: os.stat_result) -> bool:
    """Whether a file is this user's; where users have no numbers the system's own access lists decide."""
    return not hasattr(os, "geteuid") or found.st_uid == os.geteuid()


def close_to_others(handle: int) -> None:
    """Readable by its owner alone."""
    if hasattr(os, "fchmod"):
        os.fchmod(handle, 0o600)


def sync(path: Path) -> None:
    """On disk for good. A system that cannot open folders writes their entries down by itself."""
    if not OPENS_FOLDERS and stat.S_ISDIR(path.lstat().st_mode):
        return
    handle = os.open(path, os.O_RDONLY | NOFOLLOW | BINARY if OPENS_FOLDERS else os.O_RDWR | BINARY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def free_memory() -> int | None:
    """Bytes that can be had without swapping; None where the system does not say."""
    try:
        lines = Path("/proc/meminfo").read_text(encoding="ascii").splitlines()
    except OSError:
        return None
    return next((int(line.split()[1]) * 1024 for line in lines if line.startswith("MemAvailable")), None)


def give_memory_back() -> None:
    """What was freed goes to the system: the C library keeps it for the thread that had it, and Arrow for itself."""
    if (trim := _trim()) is not None:
        trim(0)
    if (arrow := sys.modules.get("pyarrow")) is not None:  # whoever has not loaded it need not for this
        arrow.default_memory_pool().release_unused()


@cache
def _trim() -> "ctypes._NamedFuncPointer | None":
    """Of the GNU C library; others have none."""
    return getattr(ctypes.CDLL(None), "malloc_trim", None) if sys.platform == "linux" else None
