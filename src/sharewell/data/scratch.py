"""The folder for what a run keeps on disk while it works: spills, copies in UTF-8, rows between two steps.

It holds student data in plain text, so it is for its owner only (0700) and goes when the process ends: at exit, on
every signal that can be caught, and, after a kill, by the next run. Whether an owner still lives is told by a lock that
the kernel releases when the process ends, whatever its number and in whatever container it runs; a process number says
nothing across containers that share a temporary folder.
"""

import atexit
import os
import shutil
import signal
import stat
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path

from sharewell.data import system
from sharewell.errors import DiskError

PREFIX = "sharewell-spill-"
YOUNG = "sharewell-begun-"  # a folder that is not locked yet; nothing is written to it before it is
LOCK = ".lock"
WORKER = "SHAREWELL_WORKER_FOLDER"  # names the folder of a worker, inside that of the run, which removes it
ABANDONED_AFTER = 3600  # seconds
SIGNALS = tuple(getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name))


@cache
def scratch() -> Path:
    """A folder for this process alone, gone when it ends."""
    if WORKER in os.environ:
        return Path(os.environ[WORKER])
    try:
        sweep(Path(tempfile.gettempdir()))
        young = Path(tempfile.mkdtemp(prefix=YOUNG))
        _hold(young / LOCK)
        folder = young.rename(young.with_name(PREFIX + young.name.removeprefix(YOUNG)))
    except OSError as error:
        raise DiskError(
            f"no temporary folder can be written to ({os.strerror(error.errno or 0)}); "
            "free some space, or name another folder in TMPDIR"
        ) from None
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


def sweep(parent: Path) -> None:
    """What killed runs left behind holds student data: away with it, once the lock proves that its owner is gone."""
    for folder in parent.glob(f"{PREFIX}*"):
        if _is_ours(folder):
            with _released(folder / LOCK) as gone:
                if gone:
                    shutil.rmtree(folder, ignore_errors=True)
    for folder in parent.glob(f"{YOUNG}*"):
        if _is_ours(folder) and time.time() - folder.lstat().st_mtime > ABANDONED_AFTER:
            shutil.rmtree(folder, ignore_errors=True)


@cache
def remove_on_signals() -> None:
    """For the command line: SIGTERM and SIGHUP remove the folder at once, also while the engine is busy.

    Python runs its handlers between two steps of its own, which a long query holds up; the number of the signal is
    written to a pipe when it arrives, and a thread waits at the other end.
    """
    reader, writer = os.pipe()
    os.set_blocking(writer, False)
    signal.set_wakeup_fd(writer, warn_on_full_buffer=False)
    for number in SIGNALS:
        signal.signal(number, _noted)
    threading.Thread(target=_wait, args=(reader,), daemon=True, name="scratch").start()


def _noted(number: int, frame: object) -> None:
    """The thread that waits does the work; without a handler the process would end before it can."""


def _wait(reader: int) -> None:
    while True:
        number = os.read(reader, 1)[0]
        if number in SIGNALS:
            if scratch.cache_info().currsize:
                shutil.rmtree(scratch(), ignore_errors=True)
            os.write(2, b"stopped; nothing more was written\n")
            os._exit(128 + number)


def _hold(path: Path) -> None:
    """Locked until the process ends; the handle stays open on purpose."""
    handle = os.open(path, os.O_RDWR | os.O_CREAT | system.NOFOLLOW, 0o600)
    system.lock(handle, wait=True)


@contextmanager
def _released(path: Path) -> Iterator[bool]:
    """Whether nobody holds the lock; a folder without one was never a run's."""
    try:
        handle = os.open(path, os.O_RDWR | system.NOFOLLOW | system.NONBLOCK)
    except OSError:
        yield False
        return
    try:
        system.lock(handle, wait=False)
    except OSError:
        yield False
    else:
        yield True
    finally:
        os.close(handle)


def _is_ours(folder: Path) -> bool:
    """A folder of this user's, no link: others may put what they like into a temporary folder."""
    with suppress(OSError):
        found = folder.lstat()
        return stat.S_ISDIR(found.st_mode) and system.is_own(found)
    return False
