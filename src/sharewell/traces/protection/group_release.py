"""The table that groups leave with: the same rows for every member, under the member's own id."""

from dataclasses import dataclass

import ibis
import numpy as np
import pyarrow as pa
from ibis.expr.types import Table

from sharewell.data import engine
from sharewell.data.formats.columns import number as number_in
from sharewell.data.formats.rows import holds_everywhere
from sharewell.plan.windows import SECONDS, Window
from sharewell.traces.arrays import Array
from sharewell.traces.kept_columns import KeptColumns
from sharewell.traces.log import Log
from sharewell.traces.protection.group_rows import GroupRows
from sharewell.traces.window_numbers import number


@dataclass(frozen=True, kw_only=True)
class GroupRelease:
    """What the table is made of: the events, their reduced log, the rows of each group, and the kept columns."""

    events: Table
    log: Log
    shown: GroupRows
    kept: KeptColumns
    student: str
    at: str

    def table(self) -> Table:
        """Columns in the order of the file; those that cannot be the same for all members are not there."""
        rows = self._rows()
        columns = {self.student: self.log.ids.take(pa.array(rows.students)), self.at: self._starts(rows.points)}
        values = rows.points if not self.log.also else self.log.keys[rows.points] % self.log.combinations_count
        for name in self.log.also:
            columns[name] = self.log.combinations[name].combine_chunks().take(pa.array(values))
        columns |= self._means(rows)
        columns |= self._private(rows)
        order = [name for name in self.events.columns if name in columns]
        return engine.listed(pa.table({name: columns[name] for name in order}))

    def _rows(self) -> "Rows":
        """Every group's rows once for each of its members."""
        shown = self.shown
        order = np.argsort(shown.group, kind="stable")
        order = order[shown.group[order] >= 0]
        starts = np.searchsorted(shown.group[order], shown.groups)
        sizes = shown.sizes[shown.groups]
        many = sizes * shown.rows
        entry = np.repeat(np.arange(len(many)), many)
        within = np.arange(len(entry)) - np.repeat(np.cumsum(many) - many, many)
        students = order[starts[entry] + within // shown.rows[entry]]
        return Rows(students=students, groups=shown.groups[entry], points=shown.points[entry])

    def _starts(self, points: Array) -> pa.Array:
        windows = self.log.keys[points] // self.log.combinations_count
        return window_starts(self.log.window, windows)

    def _means(self, rows: "Rows") -> dict[str, pa.Array]:
        """Numbers as the mean over all events of the group in the window; the same type as in the file.

        Where fewer members have a number than must share a window the cell stays empty: a mean of one is their own.
        """
        if not self.kept.numbers:
            return {}
        owner = engine.fresh(self.events.columns, "owner")
        listed = engine.listed(pa.table({owner: self.log.ids, "group": pa.array(self.shown.group)}))
        joined = self.events.join(listed, self.events[self.student] == listed[owner])
        found = joined.select(
            group=joined["group"],
            window=number(self.log.window, joined[self.at]),
            who=joined[owner],
            **{f"mean_{place}": number_in(joined, name) for place, name in enumerate(self.kept.numbers)},
        )
        told = {}
        for place in range(len(self.kept.numbers)):
            cells = found[f"mean_{place}"]
            told[f"mean_{place}"] = cells.mean()
            told[f"holders_{place}"] = cells.notnull().ifelse(found["who"], ibis.null()).nunique()
        means = found.group_by(["group", "window"]).agg(**told)
        table = engine.arrow(means.order_by(["group", "window"]))
        return {name: self._mean(table, place, name, rows) for place, name in enumerate(self.kept.numbers)}

    def _mean(self, table: pa.Table, place: int, name: str, rows: "Rows") -> pa.Array:
        windows = self.log.keys[rows.points] // self.log.combinations_count
        first = int(windows.min(initial=0))
        width = int(windows.max(initial=0)) - first + 1
        inside = np.asarray((np.asarray(table["window"]) >= first) & (np.asarray(table["window"]) < first + width))
        keys = (np.asarray(table["group"]) * width + np.asarray(table["window"]) - first)[inside]
        enough = np.asarray(table[f"holders_{place}"]) >= self.shown.shared_by
        values = np.where(enough, np.asarray(table[f"mean_{place}"], dtype=float), np.nan)[inside]
        found = values[np.searchsorted(keys, rows.groups * width + windows - first)]
        exact = number_in(self.events, name)
        whole = holds_everywhere(exact == exact.floor())
        numbers = np.rint(found) if whole else np.round(found, 4)
        missing = np.isnan(numbers)
        kind = pa.int64() if whole else pa.float64()
        return pa.array(np.where(missing, 0, numbers), mask=missing).cast(kind)

    def _private(self, rows: "Rows") -> dict[str, pa.Array]:
        """What is constant per student and known to nobody stays each student's own."""
        if not self.kept.private:
            return {}
        firsts = {name: self.events[name].max() for name in self.kept.private}
        table = engine.arrow(self.events.group_by(self.student).agg(**firsts))
        place = {student: row for row, student in enumerate(table[self.student].to_pylist())}
        order = pa.array([place[student] for student in self.log.ids.to_pylist()])
        own = {name: table[name].combine_chunks().take(order) for name in self.kept.private}
        return {name: column.take(pa.array(rows.students)) for name, column in own.items()}


@dataclass(frozen=True, kw_only=True)
class Rows:
    """One entry per released row."""

    students: Array
    groups: Array
    points: Array


def window_starts(window: Window, windows: Array) -> pa.Array:
    """The moments at which windows start; recurring ones by their number."""
    if window.recurring:
        return pa.array(windows)
    if window.unit == "mo":
        months = (windows * window.count).astype("datetime64[M]")
        return pa.array(months.astype("datetime64[us]"))
    seconds = windows * window.count * SECONDS[window.unit] + window.origin
    return pa.array((seconds * 1_000_000).astype("datetime64[us]"))
