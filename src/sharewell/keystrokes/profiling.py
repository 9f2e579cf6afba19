"""Typing profiles for analysts, with the thesis's rules on who and what is left out (Leinonen 2016, §4.1)."""

from typing import Any, Unpack

import ibis
import numpy as np
import pyarrow as pa
from ibis.expr.types import Table

from sharewell.data import engine
from sharewell.errors import InputError
from sharewell.keystrokes import profiles
from sharewell.keystrokes.coarsening import Method, coarse
from sharewell.keystrokes.events import Columns, Keys, canonical
from sharewell.keystrokes.samples import Sample
from sharewell.keystrokes.stream import stream

FIRST_WEEK_CHARACTERS = 2_000


def profile(
    events: Any,
    *,
    digraphs: int = profiles.DIGRAPHS,
    occurrences: int = profiles.OCCURRENCES,
    first_week_characters: int = FIRST_WEEK_CHARACTERS,
    step_ms: float = 0,
    method: Method = "bucket",
    scaled: bool = False,
    **columns: Unpack[Keys],
) -> Any:
    """One row per student: the mean latency in ms of the commonest digraphs, coarsened by `step_ms`.

    With a column of weeks, students who typed fewer than `first_week_characters` in the first are left out. The log
    passes once and need not fit into memory.
    """
    table = canonical(engine.table(events), Columns(**columns))
    if columns.get("week") is not None:
        table = enough_typed(table, first_week_characters)
    sample = stream(table)
    return engine.like(_rows(sample, digraphs, occurrences, step_ms, method, scaled), events)


def enough_typed(events: Table, least: int) -> Table:
    """The events of students who typed at least so many characters in the first week."""
    first = events.filter(events.week == events.week.min().over(ibis.window()))
    counted = first.group_by("student").agg(typed=first.count())
    kept = counted.filter(counted.typed >= least)
    if engine.connection().execute(kept.count()) == 0:
        raise InputError(f"no student typed {least:,} characters in the first week; ask for fewer")
    return events.semi_join(kept, "student")


def _rows(sample: Sample, digraphs: int, occurrences: int, step: float, method: Method, scaled: bool) -> pa.Table:
    chosen = profiles.commonest([sample], digraphs)
    values = coarse(profiles.matrix(sample, chosen, occurrences=occurrences), step, method)
    if scaled:
        values, _ = profiles.scaled(values, values)
    named = {str(name).removeprefix("latency "): values[:, index] for index, name in enumerate(chosen)}
    return pa.table({"student": np.asarray(sample.students, dtype=object), **named})
