"""Typing profiles for analysts, with the thesis's rules on who and what is left out (Leinonen 2016, §4.1)."""

from typing import TypeVar, Unpack, cast

import ibis
import numpy as np
import pyarrow as pa
from ibis.expr.types import Table

from sharewell.data import engine
from sharewell.errors import InputError
from sharewell.keystrokes import profiles
from sharewell.keystrokes.columns import Keys, as_named, canonical
from sharewell.keystrokes.protection.coarsening import Method, coarse
from sharewell.keystrokes.samples import TypingSample
from sharewell.keystrokes.stream import stream

Frame = TypeVar("Frame")
FIRST_WEEK_CHARACTERS = 2_000


def profile(
    events: Frame,
    *,
    digraphs: int = profiles.DIGRAPHS,
    occurrences: int = profiles.OCCURRENCES,
    first_week_characters: int = FIRST_WEEK_CHARACTERS,
    step_ms: float = 0,
    method: Method = "bucket",
    scaled: bool = False,
    **columns: Unpack[Keys],
) -> Frame:
    """Make one row per student: mean latency in ms of the commonest digraphs.

    The log need not fit into memory.

    Args:
        events: One row per key event: a pandas, polars or pyarrow frame, or a path.
        digraphs: How many of the commonest digraphs profiles hold.
        occurrences: How often a student must have typed a digraph; rarer ones take the student's mean.
        first_week_characters: With a column of weeks, students who typed fewer in the first week are left out.
        step_ms: How far averages are coarsened, in milliseconds.
        method: "bucket" or "round".
        scaled: Whether every digraph is scaled to 0…1 over the students.
        columns: The names of columns: `student`, `session`, `key` and `press`; `release` where key releases are known,
            `week` where sessions belong to weeks, and `unit` (ns, us, ms, s) where the clock does not tell it.

    Returns:
        One column per digraph beside `student`, as the same kind of frame.

    Example:
        >>> import pyarrow as pa
        >>> import sharewell as sw
        >>> events = pa.table({
        ...     "user": ["ann"] * 4, "task": [1] * 4, "key": list("abab"), "press": [0, 100, 250, 360],
        ...     "release": [70, 160, 330, 420],
        ... })
        >>> columns = {"student": "user", "session": "task", "key": "key", "press": "press"}
        >>> sw.keystrokes.profile(events, digraphs=1, occurrences=2, **columns).to_pylist()
        [{'student': 'ann', 'a→b': 105.0}]
    """
    table = canonical(engine.table(events), as_named(columns))
    if columns.get("week") is not None:
        table = enough_typed(table, first_week_characters)
    sample = stream(table)
    return cast(Frame, engine.like(_rows(sample, digraphs, occurrences, step_ms, method, scaled), events))


def enough_typed(events: Table, least: int) -> Table:
    """The events of students who typed at least so many characters in the first week."""
    first = events.filter(events.week == events.week.min().over(ibis.window()))
    counted = first.group_by("student").agg(typed=first.count())
    kept = counted.filter(counted.typed >= least)
    if engine.value(kept.count()) == 0:
        raise InputError(f"no student typed {least:,} characters in the first week; ask for fewer")
    return events.semi_join(kept, "student")


def _rows(sample: TypingSample, digraphs: int, occurrences: int, step: float, method: Method, scaled: bool) -> pa.Table:
    chosen = profiles.commonest([sample], digraphs)
    values = coarse(profiles.matrix(sample, chosen, occurrences=occurrences), step, method)
    if scaled:
        values, _ = profiles.scaled(values, values)
    named = {str(name).removeprefix("latency "): values[:, index] for index, name in enumerate(chosen)}
    return pa.table({"student": np.asarray(sample.students, dtype=object), **named})
