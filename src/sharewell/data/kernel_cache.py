"""Choose the folder where compiled kernels are kept: the user's own cache, shared by all checkouts and runs.

In a container no home may be writable; then a folder of this process and its workers takes its place, and kernels are
compiled anew in each run. A folder that others may write to is never used: what lies in it would be run.
"""

import os
import stat
import sys
from pathlib import Path

from sharewell.data import system
from sharewell.stats.compiled import FOLDER


def settle() -> None:
    """Name the folder in the environment, so that workers use it too; what a user has set stays if it is safe."""
    stated = os.environ.get(FOLDER)
    for folder in [Path(stated)] if stated else user_caches():
        if is_safe(folder):
            os.environ[FOLDER] = str(folder)
            return
    from sharewell.data.scratch import scratch

    os.environ[FOLDER] = str(own := scratch() / "kernels")
    own.mkdir(mode=0o700, exist_ok=True)


def is_safe(folder: Path) -> bool:
    """Whether the folder is this user's and nobody else can write to it; it is made if need be."""
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        found = folder.lstat()
    except OSError:
        return False
    closed = sys.platform == "win32" or not found.st_mode & (stat.S_IWGRP | stat.S_IWOTH)
    return stat.S_ISDIR(found.st_mode) and system.is_own(found) and closed and os.access(folder, os.W_OK | os.X_OK)


def user_caches() -> list[Path]:
    """The user's cache folder, by the custom of the system; none where there is no home at all."""
    if stated := os.environ.get("XDG_CACHE_HOME") or os.environ.get("LOCALAPPDATA"):
        return [Path(stated) / "sharewell" / "kernels"]
    try:
        caches = Path.home() / ("Library/Caches" if sys.platform == "darwin" else ".cache")
    except RuntimeError:
        return []
    return [caches / "sharewell" / "kernels"]
