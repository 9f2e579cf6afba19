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
    """What the table is made of: the events, their reduced log, the rows of each group, and the kept columns.

    A number is published of a group only where at least `holders` of its members have one.
    """

    events: Table
    log: Log
    shown: GroupRows
    kept: KeptColumns
    student: str
    at: str
    holders: int

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

    def _rows(self) -> "PoolRows":
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
        return PoolRows(students=students, groups=shown.groups[entry], points=shown.points[entry])

    def _starts(self, points: Array) -> pa.Array:
        windows = self.log.keys[points] // self.log.combinations_count
        return window_starts(self.log.window, windows)

    def _means(self, rows: "PoolRows") -> dict[str, pa.Array]:
        """Numbers as means over members, each of whom counts once; the same type as in the file.

        A mean over events would weigh a member by how much they did: from window to window with other weights, it gives
        every member's number back to whoever knows these. So a number that is the same in all rows of a student is one
        mean for all rows of the group. One that differs from row to row is a mean of the window, where enough members
        have one.
        """
        return {name: self._typed(name, self._over_members(name, rows)) for name in self.kept.numbers}

    def _over_members(self, name: str, rows: "PoolRows") -> Array:
        """For every row the mean of the members' own means in the group and window; NaN where too few have one."""
        varies = name not in self.kept.constant
        windows = self.log.keys[rows.points] // self.log.combinations_count * varies
        owner = engine.fresh(self.events.columns, "owner")
        listed = engine.listed(pa.table({owner: self.log.ids, "group": pa.array(self.shown.group)}))
        joined = self.events.join(listed, self.events[self.student] == listed[owner])
        window = number(self.log.window, joined[self.at]) if varies else ibis.literal(0)
        cells = joined.select(who=joined[owner], group=joined["group"], window=window, cell=number_in(joined, name))
        own = cells.filter(cells["cell"].notnull()).group_by(["group", "window", "who"]).agg(own=cells["cell"].mean())
        means = own.group_by(["group", "window"]).agg(mean=own["own"].mean(), holders=own.count())
        table = engine.arrow(means.filter(means["holders"] >= self.holders).order_by(["group", "window"]))
        known = list(zip(table["group"].to_pylist(), table["window"].to_pylist(), strict=True))
        found = dict(zip(known, table["mean"].to_pylist(), strict=True))
        keys, place = np.unique(np.column_stack([rows.groups, windows]), axis=0, return_inverse=True)
        values = np.array([found.get((group, at), np.nan) for group, at in keys.tolist()], float)
        return values[place.reshape(-1)] if len(keys) else np.empty(0)

    def _typed(self, name: str, means: Array) -> pa.Array:
        """Whole numbers stay whole; others lose the digits that one member can hardly move."""
        exact = number_in(self.events, name)
        whole = holds_everywhere(exact == exact.floor())
        numbers = np.rint(means) if whole else np.round(means, 2)
        missing = np.isnan(numbers)
        return pa.array(np.where(missing, 0, numbers), mask=missing).cast(pa.int64() if whole else pa.float64())

    def _private(self, rows: "PoolRows") -> dict[str, pa.Array]:
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
class PoolRows:
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
