"""A log reduced to what an attacker can know: who was active at which point, both ways round.

A point is a time window together with the values of the further quasi-identifiers. The engine numbers students and
combinations and hands over one whole number per event; sorted and counted once, these serve every attacker, every
number of known points and every repeat.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa
from ibis.expr.types import Table

from sharewell.data import engine
from sharewell.data.files import digest_of
from sharewell.data.formats.batches import batches
from sharewell.errors import InputError
from sharewell.plan.windows import Window
from sharewell.traces.arrays import Array
from sharewell.traces.window_numbers import number

BATCH = 1 << 20  # events that the engine hands over at a time
WAITING = 1 << 24  # events in memory before they are reduced to distinct pairs
NOTHING: dict[str, Any] = {name: np.empty(0) for name in ("starts", "points", "events", "keys")}


@dataclass(frozen=True, kw_only=True)
class Log:
    """Distinct (student, point) pairs with their numbers of events.

    The points of student s are `points[starts[s]:starts[s + 1]]`, in time order; the students of point p are
    `holders[shared[p]:shared[p + 1]]`, ascending. The key of a point is window number × combinations + combination.
    """

    ids: pa.Array
    window: Window
    also: tuple[str, ...]
    combinations: pa.Table  # one row for each combination of the further quasi-identifiers
    starts: Array
    points: Array
    events: Array
    keys: Array  # ascending

    @property
    def students(self) -> int:
        return len(self.ids)

    @property
    def combinations_count(self) -> int:
        return self.combinations.num_rows if self.also else 1

    @cached_property
    def shared(self) -> Array:
        """Where the holders of each point begin."""
        return np.concatenate([[0], np.cumsum(self.popularity)])

    @cached_property
    def holders(self) -> Array:
        """The students of every point, ascending because the pairs are ordered by student."""
        return self.owners[np.argsort(self.points, kind="stable")]

    @cached_property
    def popularity(self) -> Array:
        """How many students share each point."""
        return np.bincount(self.points, minlength=len(self.keys))

    @cached_property
    def lengths(self) -> Array:
        """How many distinct points each student has."""
        return np.diff(self.starts)

    @cached_property
    def owners(self) -> Array:
        """The student of every pair."""
        return np.repeat(np.arange(self.students, dtype=np.int32), self.lengths)

    @cached_property
    def digest(self) -> str:
        """Of all that the log holds: equal only if every event of every student is."""
        arrays = (self.starts, self.points, self.events, self.keys)
        return digest_of(self.window, self.also, self.combinations, self.ids, *arrays)

    @cached_property
    def events_per_combination(self) -> Array:
        """How many events carry each combination of the further quasi-identifiers."""
        count = self.combinations_count
        return np.bincount(self.keys[self.points] % count, weights=self.events, minlength=count)

    @cached_property
    def events_by_point(self) -> Array:
        """How many events each of the `holders` has at their point."""
        return self.events[np.argsort(self.points, kind="stable")].astype(np.int64)

    def subset(self, kept: Array) -> "Log":
        """Return the log with only the student-point pairs that `kept` marks.

        Students and point numbers stay; some students may be left without a point.
        """
        return index(self, self.owners[kept], self.points[kept], self.events[kept], self.keys)


def reduce(events: Table, *, student: str, at: str, window: Window, also: Sequence[str] = ()) -> Log:
    """The log of a table whose `at` column is a timestamp and in which every row has a student."""
    known = knowable(events, student=student, at=at, window=window, also=also)
    roster = _numbered(known.group_by("__student").agg(first=known["__window"].min(), last=known["__window"].max()))
    if roster.num_rows == 0:
        raise InputError("there is no event with both a student and a time", column=student)
    combinations = combinations_of(known, also)
    first, last = min(roster["first"].to_pylist()), max(roster["last"].to_pylist())
    sizes = checked((roster.num_rows, last - first + 1, combinations.num_rows))
    students = engine.listed(roster.select(["__student", "__number"]).rename_columns(["__id", "__s"]))
    packed, counts = _collected(packed_events(known, students, combinations, also, first, sizes[1]).select("packed"))
    owners, points, keys = pairs(packed, sizes[1] * sizes[2])
    empty = Log(
        ids=roster["__student"].combine_chunks(), window=window, also=tuple(also),
        combinations=combinations.drop_columns(["__number"]).rename_columns(list(also)), **NOTHING,
    )  # fmt: skip
    return index(empty, owners, points, counts, keys + first * sizes[2])


def knowable(events: Table, *, student: str, at: str, window: Window, also: Sequence[str]) -> Table:
    """What an attacker can know of every event."""
    further = {_hidden(name): events[name] for name in also}
    return events.select(__student=events[student], __window=number(window, events[at]), **further)


def checked(sizes: tuple[int, int, int]) -> tuple[int, int, int]:
    """Numbers of students, windows and combinations, of which one whole number per event can be made."""
    if sizes[0] * sizes[1] * sizes[2] >= 2**62:
        raise InputError("too many students, windows and values at once: take a coarser window or fewer columns")
    return sizes


def pairs(packed: Array, width: int) -> tuple[Array, Array, Array]:
    """Students and points of distinct packed numbers, ascending, and the keys of the points; `packed` is used up."""
    owners = (packed // width).astype(np.int32)
    packed -= owners.astype(np.int64) * width
    return owners, *_dense(packed, width)


def index(like: Log, owners: Array, points: Array, events: Array, keys: Array) -> Log:
    """A log over the students of `like` from its pairs, which are sorted by student and then by point."""
    starts = np.concatenate([[0], np.cumsum(np.bincount(owners, minlength=like.students))])
    return replace(like, starts=starts, points=points, events=events, keys=keys)


def _hidden(name: str) -> str:
    return f"__also_{name}"


def _numbered(rows: Table) -> pa.Table:
    """A small table with its rows in a fixed order and numbered."""
    table = engine.arrow(rows.order_by(rows.columns[0]))
    return table.append_column("__number", pa.array(np.arange(table.num_rows)))


def combinations_of(known: Table, also: Sequence[str]) -> pa.Table:
    if not also:
        return pa.table({"__number": pa.array([0])})
    names = [_hidden(name) for name in also]
    table = engine.arrow(engine.distinct(known, names).order_by(names))
    return table.append_column("__number", pa.array(np.arange(table.num_rows)))


def packed_events(
    known: Table, students: Table, combinations: pa.Table, also: Sequence[str], first: int, windows: int
) -> Table:
    """One whole number per event: (student × windows + window) × combinations + combination.

    `students` has the number of every student in `__s`, and what else is to be known of their events.
    """
    joined = known.join(students, known["__student"] == students["__id"])
    if not also:
        return joined.mutate(packed=(joined["__s"] * windows + (joined["__window"] - first)).cast("int64"))
    values = engine.listed(combinations.rename_columns([f"{name}_" for name in combinations.column_names]))
    same = [joined[_hidden(name)].identical_to(values[f"{_hidden(name)}_"]) for name in also]
    joined = joined.join(values, same)
    windowed = joined["__s"] * windows + (joined["__window"] - first)
    return joined.mutate(packed=(windowed * combinations.num_rows + joined["__number_"]).cast("int64"))


def _collected(packed: Table) -> tuple[Array, Array]:
    """Distinct numbers, ascending, with how often each occurs; never holds many more than are distinct."""
    values, counts = np.empty(0, np.int64), np.empty(0, np.int32)
    waiting: list[Array] = []
    for batch in batches(packed, BATCH):
        waiting.append(batch.column(0).to_numpy(zero_copy_only=False))
        if sum(map(len, waiting)) >= max(WAITING, len(values)):
            values, counts = _merged(values, counts, waiting)
            waiting = []
    return _merged(values, counts, waiting)


def _merged(values: Array, counts: Array, waiting: list[Array]) -> tuple[Array, Array]:
    fresh = np.concatenate(waiting) if waiting else np.empty(0, np.int64)
    waiting.clear()
    fresh.sort()
    new = _run_lengths(fresh)
    return new if len(values) == 0 else _union(values, counts, *new)


def _run_lengths(ordered: Array) -> tuple[Array, Array]:
    """The distinct numbers of an ascending list, and how often each occurs."""
    first = np.flatnonzero(np.diff(ordered, prepend=ordered[:1] - 1))
    return ordered[first], np.diff(first, append=len(ordered)).astype(np.int32)


def _union(a: Array, in_a: Array, b: Array, in_b: Array) -> tuple[Array, Array]:
    """Two ascending lists of distinct numbers as one, with their counts added."""
    both, counts = np.concatenate([a, b]), np.concatenate([in_a, in_b])
    order = np.argsort(both, kind="stable")
    both, counts = both[order], counts[order]
    first = np.flatnonzero(np.diff(both, prepend=both[:1] - 1))
    return both[first], np.add.reduceat(counts, first)


def _dense(packed: Array, width: int) -> tuple[Array, Array]:
    """Points numbered from 0 without gaps, and the packed number of each."""
    if width > max(8 * len(packed), 1 << 22):
        keys, numbers = np.unique(packed, return_inverse=True)
        return numbers.astype(np.int32), keys
    seen = np.zeros(width, np.bool_)
    seen[packed] = True
    numbers = np.cumsum(seen, dtype=np.int32) - np.int32(1)
    return numbers[packed], np.flatnonzero(seen)
