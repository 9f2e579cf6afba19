"""How often something happened, less exactly: in bands, or only that it happened."""

from typing import Literal

import ibis
import numpy as np
from ibis.expr.types import IntegerValue, Table

from sharewell.data import engine
from sharewell.traces.arrays import Array
from sharewell.traces.log import Log
from sharewell.traces.window_numbers import number

Counts = Literal["all", "bands", "presence"]
FLOORS = (1, 3, 10, 30, 100, 300, 1_000, 3_000, 10_000)  # a number of events becomes the largest of these below it


def banded(events: Array, counts: Counts) -> Array:
    """Numbers of events as they would be released."""
    if counts == "all":
        return events
    if counts == "presence":
        return np.ones_like(events)
    floors = np.array(FLOORS)
    return np.asarray(floors[np.searchsorted(floors, events, side="right") - 1]).astype(events.dtype)


def thinned_rows(events: Table, log: Log, counts: Counts, *, student: str, at: str, order: str) -> Table:
    """As many rows of each student and point as are shown; `order` says which of them stay."""
    if counts == "all":
        return events
    window = engine.fresh(events.columns, "window")
    rows = engine.fresh((*events.columns, window), "rows")
    place = engine.fresh((*events.columns, window, rows), "place")
    numbered = events.mutate(**{window: number(log.window, events[at])})
    same = ibis.window(group_by=[student, window, *log.also])
    counted = numbered.mutate(
        **{
            rows: numbered.count().over(same),
            place: ibis.row_number().over(ibis.window(group_by=[student, window, *log.also], order_by=order)),
        }
    )
    stays = counted[place] < (_floor(counted[rows]) if counts == "bands" else 1)
    return counted.filter(stays).drop(window, rows, place)


def _floor(rows: IntegerValue) -> IntegerValue:
    found = ibis.literal(FLOORS[0])
    for floor in FLOORS[1:]:
        found = (rows >= floor).ifelse(floor, found)
    return found
