"""Compiled kernels in files: one for each kernel, its argument types and its processor, shared by all checkouts.

Numba's own cache keys a kernel by its path and the text of its file. A copy of the project then compiles all anew, and
a change of a kernel in another file goes unseen. Here the name of a file is a digest of what was compiled.
"""

import hashlib
import os
import pickle
import tempfile
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

from numba.core import caching, event
from numba.core.compiler import CompileResult
from numba.core.serialize import dumps

from sharewell import progress

KEPT_FOR = 90 * 24 * 3600  # seconds since a file was last used
DIGEST = hashlib.sha256().digest_size


class KernelStore(caching.NullCache):
    """The files of one kernel, in the place of numba's own cache."""

    def __init__(self, folder: Path, name: str, identity: str) -> None:
        self._folder, self._name, self._identity = folder, name, identity

    @property
    def cache_path(self) -> str:
        return str(self._folder)

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """Load the compiled code of a signature; None if missing or damaged."""
        target_context.refresh()
        path = self._path(sig, target_context.codegen())
        try:
            content = path.read_bytes()
            os.utime(path)
        except OSError:
            return None
        if hashlib.sha256(content[DIGEST:]).digest() != content[:DIGEST]:
            return None
        return CompileResult._rebuild(target_context, *pickle.loads(content[DIGEST:]))  # type: ignore[no-untyped-call]

    def save_overload(self, sig: Any, data: Any) -> None:
        """Write compiled code; a full disk is no reason to stop, as the code is in memory."""
        if data.library.has_dynamic_globals or not all(part.can_cache for part in data.lifted):
            return  # it holds addresses of this process
        content = dumps(data._reduce())  # type: ignore[no-untyped-call]
        with suppress(OSError):
            self._remove_unused()
            with tempfile.NamedTemporaryFile(dir=self._folder, delete=False) as file:
                file.write(hashlib.sha256(content).digest() + content)
            Path(file.name).replace(self._path(sig, data.codegen))

    def _path(self, sig: Any, codegen: Any) -> Path:
        """Name the file of a signature: no index, so that processes that compile side by side cannot mix two up."""
        described = repr((self._identity, str(sig), codegen.magic_tuple()))
        return self._folder / f"{self._name}-{hashlib.sha256(described.encode()).hexdigest()}"

    def _remove_unused(self) -> None:
        for path in self._folder.iterdir():
            if path.stat().st_mtime < time.time() - KEPT_FOR:
                path.unlink(missing_ok=True)


class Compiling(event.Listener):
    """Say in the progress line that kernels are being compiled, and how long that has taken so far."""

    def __init__(self) -> None:
        self.seconds, self._depth, self._began = 0.0, 0, 0.0

    def on_start(self, event: Any) -> None:
        self._depth += 1  # a kernel compiles those that it calls
        if self._depth == 1:
            self._began = time.monotonic()
            progress.remark(f"compiling once, for this computer: {self.seconds:.0f} s so far")

    def on_end(self, event: Any) -> None:
        self._depth -= 1
        if not self._depth:
            self.seconds += time.monotonic() - self._began
            progress.remark("")


COMPILING = Compiling()
event.register("numba:compile", COMPILING)  # type: ignore[no-untyped-call]
