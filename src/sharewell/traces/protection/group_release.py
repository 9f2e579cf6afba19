"""The table that groups leave with: the same rows for every member, under the member's own id."""

from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from ibis.expr.types import Table

from sharewell.data import engine
from sharewell.plan.windows import SECONDS, Window
from sharewell.traces.arrays import Array
from sharewell.traces.kept_columns import KeptColumns
from sharewell.traces.log import Log
from sharewell.traces.protection.group_rows import GroupRows
from sharewell.traces.protection.group_values import by_key, of_groups, per_student


@dataclass(frozen=True, kw_only=True)
class GroupRelease:
    """What the table is made of: the recoded events, their reduced log, the rows of each group, and the kept columns.

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
        columns |= self._shared(rows) | self._by_key(values)
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

    def _shared(self, rows: "PoolRows") -> dict[str, pa.Array]:
        """What says the same in all rows of a student, as one value of the group."""
        found = {}
        for name in self.kept.shared:
            own = per_student(self.events, name, student=self.student, ids=self.log.ids)
            found[name] = of_groups(own, self.shown.group, self.holders).take(pa.array(rows.students))
        return found

    def _by_key(self, values: Array) -> dict[str, pa.Array]:
        """Numbers that differ from row to row, by the value of their key: the same in all groups."""
        members = engine.listed(pa.table({"__member": self.log.ids.filter(pa.array(self.shown.group >= 0))}))
        events = self.events.semi_join(members, self.events[self.student] == members["__member"])
        keys = [tuple(row.values()) for row in self.log.combinations.to_pylist()] if self.log.also else [()]
        found = {}
        for name in self.kept.numbers:
            means = by_key(events, name, self.log.also, student=self.student, k=self.holders)
            of_keys = pa.array([means.get(key) for key in keys], pa.float64())
            found[name] = of_keys.take(pa.array(values if self.log.also else np.zeros(len(values), np.int64)))
        return found

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
