"""Where compiled kernels are kept. Numba refuses to compile at all where it finds no folder to keep them in.

It looks beside the source and under the home folder. In a container neither may be writable; then a folder of this
process alone takes their place, and kernels are compiled anew in each run. A folder that others may write to is never
used: what lies in it would be run.
"""

import os
import tempfile
from pathlib import Path

VARIABLE = "NUMBA_CACHE_DIR"


def settle() -> None:
    """To be called before numba is imported; what a user has set stays."""
    if VARIABLE in os.environ or is_writable(Path(__file__).parent / "__pycache__") or is_writable(_user_cache()):
        return
    from sharewell.data.scratch import scratch

    os.environ[VARIABLE] = str(scratch() / "kernels")


def is_writable(folder: Path | None) -> bool:
    """Whether a file can be made there; the folder is made if need be, as numba would."""
    if folder is None:
        return False
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            return True
    except OSError:
        return False


def _user_cache() -> Path | None:
    """As numba finds it."""
    stated = os.environ.get("XDG_CACHE_HOME")
    try:
        return Path(stated) / "numba" if stated else Path.home() / ".cache" / "numba"
    except RuntimeError:  # no home at all
        return None
