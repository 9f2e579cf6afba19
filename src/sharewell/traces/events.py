"""Event tables made ready: a real time in every row, a student in every row, only the columns that are asked for."""

from collections.abc import Sequence
from typing import Any

import ibis
from ibis.expr.types import Table

from sharewell import engine
from sharewell.errors import InputError
from sharewell.formats.columns import moment


@ibis.udf.scalar.builtin(name="timezone")
def _in_zone(zone: str, moment: ibis.dtypes.Timestamp) -> ibis.dtypes.Timestamp: ...


def ready(
    events: Any,
    *,
    student: str,
    at: str,
    also: Sequence[str] = (),
    layout: str | None = None,
    timezone: str | None = None,
    file: str | None = None,
) -> Table:
    """The events with `at` as a timestamp; rows without a student stay out."""
    table = engine.table(events)
    for name in (student, at, *also):
        if name not in table.columns:
            raise InputError("there is no such column", file=file, column=name)
    table = table.filter(table[student].notnull())
    time = moment(table, at, layout=layout, file=file)
    if timezone is not None:
        time = _in_zone(timezone, _in_zone("UTC", time))
    return table.mutate(**{at: time})
