"""Run independent tasks side by side, in processes on this machine.

Results come in the order of the tasks and are the same for any number of processes. A process that calls this library
is its own only worker; the commands take all cores. Workers are started afresh (`spawn`), never copied, and share the
memory of the run. One that dies fails the run in one sentence, and none outlives the process that started it.
"""

import multiprocessing
import os
import pickle
import shutil
import signal
import tempfile
import threading
import time
import traceback
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from multiprocessing import connection
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any

from sharewell import progress
from sharewell.data import memory, scratch, system
from sharewell.errors import EngineError, InputError, SharewellError

VARIABLE, MOST = "SHAREWELL_WORKERS", 256
MEMORY_EACH = 700_000_000  # bytes that a worker may come to
THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS")  # DuckDB's by the first
PAUSE = 0.2  # seconds between two messages on the same step

Work = Callable[[Any], Any]


class WorkerFailed(Exception):
    """A bug inside a worker: its kind and place, never its message, which may carry values of students."""


def number() -> int:
    """How many processes work side by side: one unless the environment says otherwise."""
    stated = os.environ.get(VARIABLE, "1").strip()
    if not stated.isascii() or not stated.isdigit() or not 1 <= int(stated) <= MOST:
        raise InputError(f"{VARIABLE} must be a whole number of processes from 1 to {MOST}, such as 2")
    return int(stated)


def take_all_cores() -> None:
    """Let this run use every core that has memory for a worker, unless the environment says otherwise."""
    if VARIABLE not in os.environ:
        os.environ[VARIABLE] = str(max(1, min(_cores(), _room(), MOST)))


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _room() -> int:
    """How many workers the free memory takes; one where the system does not say."""
    free = system.free_memory()
    return 1 if free is None else free // MEMORY_EACH


def each(work: Work, tasks: Sequence[Any], *, processes: int) -> Iterator[Any]:
    """What `work` makes of every task, in the order of the tasks.

    With more than one process, work and tasks are pickled: a function of a module, or one with arguments filled in.
    """
    processes = min(processes, len(tasks))
    if processes <= 1:
        yield from map(work, tasks)
        return
    started = [_start(processes) for _ in range(processes)]
    try:
        yield from _shared_out(work, tasks, [pipe for _, pipe in started])
        for process, pipe in started:
            pipe.close()  # no more tasks
            process.join()
    finally:
        for process, pipe in started:
            process.kill()
            process.join()
            pipe.close()


def _start(processes: int) -> tuple[BaseProcess, Connection]:
    fresh = multiprocessing.get_context("spawn")
    ours, theirs = fresh.Pipe()
    folder = Path(tempfile.mkdtemp(prefix="worker-", dir=scratch.scratch()))
    process = fresh.Process(target=_serve, args=(theirs, folder, _environment(processes)), daemon=True)
    process.start()
    theirs.close()
    return process, ours


def _environment(processes: int) -> dict[str, str]:
    """One thread each, and an equal part of the memory of the run."""
    return {**dict.fromkeys(THREADS, "1"), VARIABLE: "1", memory.VARIABLE: memory.share(processes)}


def _shared_out(work: Work, tasks: Sequence[Any], pipes: Sequence[Connection]) -> Iterator[Any]:
    """Hand every free worker the next task, and give results out as soon as all before them are there."""
    waiting, at, done = list(enumerate(tasks))[::-1], {}, {}

    def hand(worker: int) -> None:
        if waiting:
            at[worker], task = waiting.pop()
            pipes[worker].send((work, task))

    for worker in range(len(pipes)):
        hand(worker)
    for place in range(len(tasks)):
        while place not in done:
            ready = connection.wait(pipes)
            for worker, pipe in enumerate(pipes):
                if pipe in ready:
                    step, result = _received(pipe)
                    if step is None:
                        done[at[worker]] = result
                        hand(worker)
                    else:
                        progress.elsewhere(worker, *step)
        yield done.pop(place)


def _received(pipe: Connection) -> tuple[tuple[str, float | None] | None, Any]:
    """The step that a worker is at, or else what it made of its task."""
    try:
        step, result, raised = pipe.recv()
    except (EOFError, ConnectionError):
        raise EngineError(
            "a worker process ended before its work was done, as happens where memory runs out; nothing was released. "
            f"Free memory, or run again with {VARIABLE}=1"
        ) from None
    if raised is not None:
        raise raised
    return step, result


def _serve(pipe: Connection, folder: Path, environment: Mapping[str, str]) -> None:
    """Do tasks until no more come; the process that started this one decides what an interruption means."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    os.environ.update({**environment, scratch.WORKER: str(folder)})
    threading.Thread(target=_end_with_the_run, args=(folder,), daemon=True).start()
    warnings.simplefilter("ignore")
    with progress.heard(_messages(pipe)), suppress(EOFError):
        while True:
            pipe.send((None, *_outcome(pipe.recv_bytes())))


def _messages(pipe: Connection) -> progress.Listener:
    """Report every new step at once, and how far it is a few times a second."""
    last: tuple[str, float] = ("", 0.0)

    def tell(step: str, share: float | None, left: float | None) -> None:
        nonlocal last
        now = time.monotonic()
        if step != last[0] or now - last[1] > PAUSE:
            last = (step, now)
            pipe.send(((step, share), None, None))

    return tell


def _outcome(handed: bytes) -> tuple[Any, Exception | None]:
    try:
        work, task = pickle.loads(handed)
        return work(task), None
    except SharewellError as error:
        return None, error
    except Exception as error:
        frame = traceback.extract_tb(error.__traceback__)[-1]
        return None, WorkerFailed(f"{type(error).__name__} at {Path(frame.filename).name}:{frame.lineno}")


def _end_with_the_run(folder: Path) -> None:
    """A run that was killed must not leave workers behind, nor what they wrote."""
    parent = multiprocessing.parent_process()
    assert parent is not None
    connection.wait([parent.sentinel])
    shutil.rmtree(folder, ignore_errors=True)
    os._exit(1)
