"""Progress bars on a terminal with the time that is left; silence in a pipe, unless somebody listens."""

import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field

from sharewell.data import system

Advance = Callable[[float], None]

# how long the steps of one file take beside each other, as measured on the logs of a few hundred students
WEIGHTS = {
    "reading": 1.0,
    "risk as it stands": 5.0,
    "protecting": 70.0,
    "attacking what would be released": 12.0,
    "pseudonyms": 1.0,
}
OTHER = 6.0


@dataclass
class Run:
    """The steps that are ahead, and what was done of them since the run began."""

    ahead: float
    done: float = 0.0
    began: float = field(default_factory=time.monotonic)
    elsewhere: dict[int, str] = field(default_factory=dict)  # the step that each worker is at

    def left(self) -> float | None:
        """Seconds, once enough is done for a guess."""
        if self.done < 1:
            return None
        return (time.monotonic() - self.began) / self.done * max(0.0, self.ahead - self.done)


Listener = Callable[[str, float | None, float | None], None]  # the step, the share of it done, seconds left in all

_RUN: ContextVar[Run | None] = ContextVar("run", default=None)
_LISTENER: ContextVar[Listener | None] = ContextVar("listener", default=None)
_REMARK: ContextVar[Callable[[str], None] | None] = ContextVar("remark", default=None)


@contextmanager
def heard(by: Listener) -> Iterator[None]:
    """Around work whose progress is shown elsewhere than on this terminal."""
    token = _LISTENER.set(by)
    try:
        yield
    finally:
        _LISTENER.reset(token)


@contextmanager
def run(files: Sequence[str]) -> Iterator[None]:
    """Around the steps of several files, so that the time left can be shown."""
    token = _RUN.set(Run(ahead=len(files) * (sum(WEIGHTS.values()) + OTHER)))
    try:
        yield
    finally:
        _RUN.reset(token)


@contextmanager
def step(title: str, total: float | None = None) -> Iterator[Advance]:
    """A bar for one long step: `with step("Searching", 100) as advance: advance(1)`."""
    system.give_memory_back()  # by the steps before: a driver of Spark is to stay small
    if (listener := _LISTENER.get()) is not None:
        with _told(listener, title, total) as advance:
            yield advance
        return
    if not sys.stderr.isatty():
        yield lambda _: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn, TimeRemainingColumn

    now = _RUN.get()
    columns = [SpinnerColumn(), TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn()]
    columns += [TimeRemainingColumn()] if total is not None else []
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        shown = title + said(now.left() if now else None)
        task = bar.add_task(shown, total=total)
        token = _REMARK.set(lambda words: bar.update(task, description=shown + words))
        try:
            yield lambda amount: bar.advance(task, amount)
        finally:
            _REMARK.reset(token)
    if now is not None:
        now.done += weight(title)


@contextmanager
def _told(listener: Listener, title: str, total: float | None) -> Iterator[Advance]:
    now, done = _RUN.get(), 0.0

    def advance(amount: float, words: str = "") -> None:
        nonlocal done
        done += amount
        listener(title + words, done / total if total else None, now.left() if now else None)

    advance(0.0)
    token = _REMARK.set(lambda words: advance(0.0, words))
    try:
        yield advance
    finally:
        _REMARK.reset(token)
    if now is not None:
        now.done += weight(title)


def remark(words: str) -> None:
    """Show words in brackets beside the running step, until the next remark."""
    if (show := _REMARK.get()) is not None:
        show(f" ({words})" if words else "")


def elsewhere(worker: int, title: str, share: float | None) -> None:
    """Show the step that a worker of this run is at, in the one line of the run."""
    now = _RUN.get()
    if now is not None and title != (before := now.elsewhere.get(worker, title)):
        now.done += weight(before)
    if now is not None:
        now.elsewhere[worker] = title
    if (listener := _LISTENER.get()) is not None:
        listener(title, share, now.left() if now else None)
    else:
        remark(title)


def weight(title: str) -> float:
    """What a step counts, by the words after the name of its file."""
    return WEIGHTS.get(title.rpartition(": ")[2], OTHER)


def said(seconds: float | None) -> str:
    """`, about 3 min left`; nothing where nobody knows."""
    if seconds is None:
        return ""
    if seconds < 90:
        return f", about {max(5, round(seconds / 5) * 5)} s left"
    return f", about {round(seconds / 60)} min left" if seconds < 5400 else f", about {round(seconds / 3600)} h left"
