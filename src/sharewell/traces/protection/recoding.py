"""What a protection does to the rows, as lazy expressions: coarser times, merged values, points left out."""

from collections.abc import Mapping
from dataclasses import dataclass, field

import ibis
import pyarrow as pa
from ibis.expr.types import Table

from sharewell.data import engine
from sharewell.plan.windows import Window
from sharewell.traces.arrays import Array
from sharewell.traces.log import Log
from sharewell.traces.window_numbers import number, start

OTHER = "(other)"


@dataclass(frozen=True, kw_only=True)
class Recoding:
    """State how values were coarsened, the same for every student."""

    window: Window
    dropped: tuple[str, ...] = ()
    merged: Mapping[str, tuple[str, ...]] = field(default_factory=dict)  # column → the values that stay

    def quasi(self, columns: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(name for name in columns if name not in self.dropped)


def merged(events: Table, recoding: Recoding) -> Table:
    """Without the dropped columns, and with rare values under one name; times as they were."""
    for name, kept in recoding.merged.items():
        text = events[name].cast("string")
        events = events.mutate(**{name: text.isnull().ifelse(ibis.null(), text.isin(kept).ifelse(text, OTHER))})
    return events.drop(*recoding.dropped) if recoding.dropped else events


def coarsened(events: Table, at: str, window: Window) -> Table:
    """Times replaced by the start of their window."""
    return events.mutate(**{at: start(window, events[at])})


def without_pairs(events: Table, log: Log, gone: Array, *, student: str, at: str) -> Table:
    """Without the events of the (student, point) pairs that `gone` marks; times are still as they were."""
    if not gone.any():
        return events
    # Whichever list is shorter is handed to the engine: what goes, or what stays.
    stays = gone.sum() * 2 > gone.size
    listed = engine.listed(pairs_table(log, ~gone if stays else gone))
    window = engine.fresh(events.columns, "window")
    numbered = events.mutate(**{window: number(log.window, events[at])})
    same = [numbered[student] == listed["__student"], numbered[window] == listed["__point_window"]]
    same += [numbered[name].identical_to(listed[f"__also_{name}"]) for name in log.also]
    return (numbered.semi_join if stays else numbered.anti_join)(listed, same).drop(window)


def pairs_table(log: Log, marked: Array) -> pa.Table:
    """The marked pairs as rows: student, window number and the further quasi-identifiers."""
    keys = log.keys[log.points[marked]]
    values = log.combinations.take(pa.array(keys % log.combinations_count)) if log.also else None
    columns = {
        "__student": log.ids.take(pa.array(log.owners[marked])),
        "__point_window": pa.array(keys // log.combinations_count),
    }
    for name in log.also:
        columns[f"__also_{name}"] = values[name].combine_chunks()  # type: ignore[index]
    return pa.table(columns)
