"""What workers answer where rows would not say it: values of Python, sent as bytes between our own processes."""

import pickle
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import pyarrow as pa

from sharewell.data.backends.protocol import Engine
from sharewell.errors import DiskError, InputError, Refused

ANSWER = pa.schema([("number", pa.int64()), ("answer", pa.large_binary())])
SAID = (DiskError, InputError, Refused)  # sentences for people; Spark would replace them, as it does all that is raised


def answers(where: Engine, work: Callable[[Any], Any], tasks: Sequence[Any]) -> list[Any]:
    """What `work` makes of every task, in the order of the tasks, wherever the engine has room.

    Work is a function of a module, or one with some arguments filled in. What it says to people is raised here.
    """
    found = {}
    for table in where.each(partial(_answered, work), list(enumerate(tasks)), ANSWER):
        for row in table.to_pylist():
            answer = pickle.loads(row["answer"])
            if isinstance(answer, SAID):
                raise answer
            found[row["number"]] = answer
    return [found[number] for number in range(len(tasks))]


def _answered(work: Callable[[Any], Any], numbered: tuple[int, Any]) -> pa.Table:
    number, task = numbered
    try:
        answer = work(task)
    except SAID as said:
        answer = said
    return pa.table({"number": [number], "answer": [pickle.dumps(answer)]}, ANSWER)
