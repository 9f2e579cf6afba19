"""Tasks that tests give to workers, which import them from here."""

import os
import signal
import time
from pathlib import Path

from ibis.expr.types import Table

from sharewell.data import memory, scratch, workers
from sharewell.errors import InputError, MissingExtra, PlanError, SharewellError

ERRORS: dict[str, SharewellError] = {
    "row": InputError("is no number", file="log.csv", column="mark", row=7),
    "plan": PlanError(["no student", "no file"], file="plan.toml"),
    "extra": MissingExtra("opendp", extra="dp"),
}


def slow_square(number: int) -> int:
    time.sleep(0.2 if number % 2 == 0 else 0.0)  # every other one overtakes those before it
    return number * number


def ends(how: str, task: int) -> int:
    if how in ERRORS:
        raise ERRORS[how]
    if how == "killed" and task:
        os.kill(os.getpid(), signal.SIGKILL)
    return 1 // task if how == "bug" else task


def doubled(table: Table) -> Table:
    return table.mutate(mark=table["mark"] * 2)


def surroundings(task: int) -> dict[str, str]:
    return {name: os.environ[name] for name in (*workers.THREADS, workers.VARIABLE, memory.VARIABLE, scratch.WORKER)}


def waits(path: str) -> None:
    Path(path).write_text(f"{os.getpid()} {scratch.scratch()}")
    time.sleep(60)
