"""Long work in a process of its own: it goes on when the tab is closed, reports how far it is, and can be stopped.

The process gets its task as one line of JSON and reports progress and its end as lines of JSON. It ends with the desk:
when its input closes, nobody is left who could stop it. What it came to lies in the private folder, so that it is
there after a restart; the desk itself never opens the data.
"""

import json
import subprocess
import sys
import threading
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any, Literal

from sharewell.errors import SharewellError

State = Literal["running", "done", "refused", "failed", "stopped"]
GRACE = 10  # seconds between asking a process to stop and ending it


@dataclass(frozen=True, kw_only=True)
class DeskJob:
    """One piece of work: what, for whom, how far, and what became of it."""

    number: int
    task: str
    title: str
    who: str
    began: str
    state: State = "running"
    step: str = ""
    share: float | None = None
    left: float | None = None  # seconds
    said: str = ""
    result: Mapping[str, Any] = field(default_factory=dict)

    @property
    def running(self) -> bool:
        return self.state == "running"

    def to_dict(self) -> dict[str, Any]:
        """What a page shows of it."""
        shown = ("number", "task", "title", "who", "began", "state", "step", "share", "left", "said")
        return {name: getattr(self, name) for name in shown}


class Busy(SharewellError):
    """Only one piece of work at a time: two would tread on each other."""


class Work:
    """The one worker of a desk; a change wakes all that wait."""

    def __init__(self, *, command: tuple[str, ...] = (sys.executable, "-m", "sharewell.desk.worker")) -> None:
        self._command = command
        self._changed = threading.Condition()
        self._process: subprocess.Popen[str] | None = None
        self._spare: subprocess.Popen[str] | None = None
        self._job: DeskJob | None = None
        self._version = 0
        self._closed = False

    @property
    def job(self) -> DeskJob | None:
        """The last piece of work, running or ended."""
        return self._job

    def start(self, task: str, title: str, *, who: str, given: Mapping[str, Any]) -> DeskJob:
        """Begin, unless something else is under way."""
        with self._changed:
            if self._job is not None and self._job.running:
                raise Busy(f"“{self._job.title}” is still under way; wait for it to end, or stop it")
            number = self._job.number + 1 if self._job else 1
            now = datetime.now(UTC).isoformat(timespec="seconds")
            job = DeskJob(number=number, task=task, title=title, who=who, began=now, step="starting")
            self._process, self._spare = self._ready(), None
            self._set(job)
            threading.Thread(target=self._follow, args=(self._process, job, given), daemon=True).start()
        return job

    def prepare(self) -> None:
        """Start a process that waits for the next task: loading takes seconds."""
        with self._changed:
            if not self._closed:
                self._spare = self._ready()

    def _ready(self) -> "subprocess.Popen[str]":
        if self._spare is not None and self._spare.poll() is None:
            return self._spare
        return subprocess.Popen(
            self._command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, encoding="utf-8"
        )

    def close(self) -> None:
        """Stop what is under way, and let the waiting process go."""
        with self._changed:
            self._closed, spare, self._spare = True, self._spare, None
        self.stop()
        if spare is not None and spare.stdin is not None:
            spare.stdin.close()
            _ended(spare)

    def stop(self) -> None:
        """Ask the process to clean up and end; end it where it does not."""
        with self._changed:
            process, job = self._process, self._job
            if process is None or job is None or not job.running:
                return
            self._set(replace(job, state="stopped", said="Stopped. Nothing was released."))
        process.terminate()
        _ended(process)

    def wait(self, version: int, seconds: float) -> tuple[int, DeskJob | None]:
        """Return the job once it changed after `version`, or when the time is up."""
        with self._changed:
            self._changed.wait_for(lambda: self._version != version, seconds)
            return self._version, self._job

    def finished(self, seconds: float) -> DeskJob | None:
        """The job once it ended, or as it is when the time is up."""
        with self._changed:
            self._changed.wait_for(lambda: self._job is None or not self._job.running, seconds)
            return self._job

    def _set(self, job: DeskJob) -> None:
        self._job = job
        self._version += 1
        self._changed.notify_all()

    def _follow(self, process: "subprocess.Popen[str]", job: DeskJob, given: Mapping[str, Any]) -> None:
        assert process.stdin is not None and process.stdout is not None
        try:
            process.stdin.write(json.dumps({"task": job.task, **given}) + "\n")
            process.stdin.flush()
        except OSError:
            pass  # it ended at once; its exit says so below
        for line in process.stdout:
            self._hear(job.number, json.loads(line))
        code = process.wait()
        self._hear(job.number, {"state": "failed", "said": f"The work ended without a word (exit {code})."})
        self.prepare()

    def _hear(self, number: int, state: Mapping[str, Any]) -> None:
        """What a process says of its own job while that is under way."""
        with self._changed:
            if self._job is not None and self._job.number == number and self._job.running:
                self._set(replace(self._job, **state))


def _ended(process: "subprocess.Popen[str]") -> None:
    """A process that was asked to end has done so, or is ended."""
    try:
        process.wait(GRACE)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
