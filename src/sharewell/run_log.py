"""What a run without a terminal writes down: each stage with how far it is, and what the run came to.

One line each, as text, or as JSON where the name of the file ends in `.jsonl`. Stages speak of files and steps, never
of students.
"""

import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TextIO

from sharewell import progress
from sharewell.errors import DiskError

HERE = "-"  # to the standard error of the run
JSON = ".jsonl"
STRIDE = 0.1  # of a stage, between two lines
_OPEN: ContextVar["RunLog | None"] = ContextVar("run log", default=None)


class RunLog:
    """Lines in the order of the run; the stage that goes on is written again at each tenth of it."""

    def __init__(self, file: TextIO, *, as_json: bool) -> None:
        self._file, self._as_json = file, as_json
        self._stage, self._share = "", 0.0

    def heard(self, stage: str, share: float | None, left: float | None) -> None:
        if stage == self._stage and (share or 0.0) < self._share + STRIDE:
            return
        self._stage, self._share = stage, share or 0.0
        percent = None if share is None else round(100 * share)
        self.line(stage, percent=percent, seconds_left=None if left is None else round(left))

    def line(self, stage: str, **more: Any) -> None:
        at = datetime.now(UTC).isoformat(timespec="seconds")
        said = {name: value for name, value in more.items() if value is not None}
        if self._as_json:
            text = json.dumps({"at": at, "stage": stage, **said}, ensure_ascii=False)
        else:
            text = "  ".join([at, stage, *(f"{name.replace('_', ' ')} {value}" for name, value in said.items())])
        print(text, file=self._file, flush=True)


@contextmanager
def to(name: str) -> Iterator[None]:
    """Write the stages of a run to a file, or to stderr with `-` or `-.jsonl`."""
    as_json = name.endswith(JSON)
    try:
        file = sys.stderr if name.removesuffix(JSON) == HERE else Path(name).open("a", encoding="utf-8")  # noqa: SIM115
    except OSError as error:
        raise DiskError(f"{name}: the log cannot be written ({error.strerror})") from None
    made = RunLog(file, as_json=as_json)
    _OPEN.set(made)
    with progress.heard(made.heard):
        yield


def ended(state: str, **more: Any) -> None:
    """The last line, where a log is written."""
    if (made := _OPEN.get()) is not None:
        made.line(state, **more)
        _OPEN.set(None)
