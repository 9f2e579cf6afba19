"""Run one task of the desk in a process of its own and report how far it is."""

import json
import os
import sys
import threading
import warnings
from collections.abc import Callable, Mapping
from typing import Any, TextIO

from sharewell import progress
from sharewell.data import scratch, workers
from sharewell.desk import tasks
from sharewell.desk.bugs import bug
from sharewell.errors import Refused, SharewellError

Report = Callable[[Mapping[str, Any]], None]


def main() -> None:
    """Do one task from the first line of the input; end when the input ends."""
    warnings.simplefilter("ignore")
    scratch.remove_on_signals()
    workers.take_all_cores()
    channel = _own_channel()
    task = sys.stdin.readline()
    if not task:
        return  # the desk was closed before it had something to do
    given: dict[str, Any] = json.loads(task)
    threading.Thread(target=_end_with_the_desk, daemon=True).start()

    def report(state: Mapping[str, Any]) -> None:
        channel.write(json.dumps(state, allow_nan=False) + "\n")
        channel.flush()

    with progress.heard(lambda step, share, left: report({"step": step, "share": share, "left": left})):
        report(_outcome(given))


def _outcome(given: Mapping[str, Any]) -> dict[str, Any]:
    """What the task came to; errors of users are one sentence, a bug of ours names its place."""
    try:
        return {"state": "done", **tasks.TASKS[given["task"]](given)}
    except Refused as error:
        return {"state": "refused", "said": str(error)}
    except SharewellError as error:
        return {"state": "failed", "said": str(error)}
    except Exception as error:  # its message may carry values of students
        return {"state": "failed", "said": bug(error)}


def _own_channel() -> TextIO:
    """Whatever else prints goes to the terminal, never between the lines that the desk reads."""
    channel = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    return channel


def _end_with_the_desk() -> None:
    sys.stdin.read()
    os.kill(os.getpid(), scratch.SIGNALS[0])


if __name__ == "__main__":
    main()
