"""The verbs of every student in the order in which they stand, in the original and in the release."""

from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from ibis.expr.types import Table, Value

from sharewell.data import engine
from sharewell.plan.windows import Window
from sharewell.traces.arrays import Array
from sharewell.traces.window_numbers import number

ORDER = "order_"  # how columns begin by which events are sorted


@dataclass(frozen=True, kw_only=True)
class Sequence:
    """The verbs of student s are `verbs[starts[s]:starts[s + 1]]`, with the window of each."""

    starts: Array
    verbs: Array
    windows: Array


@dataclass(frozen=True, kw_only=True)
class Sequences:
    """What is known and what is released, students and verbs numbered alike.

    Where only those who are attacked are here, `released` is elsewhere and `numbers` tells who they are.
    """

    known: Sequence
    present: Array  # students of `known` who are in the release
    among: int  # how many students the release has
    events: int  # and events,
    windows: int  # in so many windows
    released: Sequence | None = None
    numbers: Array | None = None

    @property
    def students(self) -> int:
        return len(self.known.starts) - 1

    def names(self, targets: Array) -> Array:
        """The numbers of students in the whole log."""
        return targets if self.numbers is None else self.numbers[targets]


@dataclass(frozen=True, kw_only=True)
class Ordered:
    """A table with the columns that put the events of a student in order."""

    table: Table
    order: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class BothOrdered:
    """What is known and what is released in its order, and the columns that tell of verbs."""

    known: Ordered
    released: Ordered
    student: str
    at: str
    verb: str
    window: Window

    def cells(self, side: Ordered) -> Table:
        """Student, window and verb of every event of a side, those of a student in their order."""
        table = side.table
        table = table.order_by([table[self.student], *(table[name] for name in self._order(side))])
        return table.select(**self._cells(table))

    def cells_to_order(self, side: Ordered) -> Table:
        """The same in any order, with the columns `order_0`, `order_1` … that put those of a student in theirs."""
        table = side.table
        order = {f"{ORDER}{place}": table[name] for place, name in enumerate(self._order(side))}
        return table.select(**self._cells(table), **order)

    def _order(self, side: Ordered) -> list[str]:
        return [name for name in side.order if name in side.table.columns]

    def _cells(self, table: Table) -> dict[str, Value]:
        text = table[self.verb].cast("string").fill_null("")
        return {"who": table[self.student], "window": number(self.window, table[self.at]), "verb": text}


def sequences(both: BothOrdered, ids: pa.Array) -> Sequences:
    """`ids` numbers the students."""
    cells = [engine.arrow(both.cells(side)) for side in (both.known, both.released)]
    names = pc.unique(pa.chunked_array([chunk for side in cells for chunk in side["verb"].chunks], pa.string()))
    known, seen = (_numbered(side, ids, names) for side in cells)
    present = np.flatnonzero(np.diff(seen.starts))
    return Sequences(
        known=known, released=seen, present=present, among=len(present),
        events=len(seen.verbs), windows=len(np.unique(seen.windows)),
    )  # fmt: skip


def _numbered(cells: pa.Table, ids: pa.Array, names: pa.Array) -> Sequence:
    who = np.asarray(pc.index_in(cells["who"].cast(ids.type), value_set=ids).fill_null(-1))
    verbs = np.asarray(pc.index_in(cells["verb"], value_set=names).fill_null(-1))
    order = np.argsort(who, kind="stable")
    order = order[who[order] >= 0]
    counts = np.bincount(who[order], minlength=len(ids))
    return Sequence(
        starts=np.concatenate([[0], np.cumsum(counts)]),
        verbs=verbs[order].astype(np.int32),
        windows=np.asarray(cells["window"])[order].astype(np.int64),
    )
