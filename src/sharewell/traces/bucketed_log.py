"""A log that no memory holds: in buckets of students on disk, each of which is a log of its own.

Students are numbered as in a log that is held whole, and a bucket holds those of neighbouring numbers with all of their
events, one whole number for each. Nothing that grows with the events, or with the students, comes to this process.
"""

import uuid
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import ibis
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from ibis.expr.types import Table

from sharewell.data import engine
from sharewell.data.scratch import scratch
from sharewell.errors import InputError
from sharewell.plan.windows import Window
from sharewell.traces.arrays import Array
from sharewell.traces.log import (
    NOTHING,
    Log,
    checked,
    combinations_of,
    index,
    knowable,
    packed_events,
    pairs,
    run_lengths,
)
from sharewell.traces.window_numbers import of_seconds

LARGE = 30_000_000  # events from which on a log goes by way of the disk: it is slower, and needs a fifth of the memory
LARGE_ELSEWHERE = 4_000_000  # the same where another machine has the memory
IN_A_BUCKET = 8_000_000  # events: what one worker holds at a time, some 40 bytes each
SLICES = 1024  # of the numbered students, which are put together to buckets of about the same number of events


@dataclass(frozen=True, kw_only=True)
class Bucket:
    """So many students from number `first` on, and the files of their events."""

    first: int
    students: int
    files: tuple[Path, ...]

    @property
    def numbers(self) -> Array:
        """Of its students, in the whole log."""
        return np.arange(self.first, self.first + self.students)


@dataclass(frozen=True, kw_only=True)
class Scale:
    """The first window, and how many windows and combinations there are."""

    first: int
    windows: int
    combinations: int


@dataclass(frozen=True, kw_only=True)
class Grid:
    """How events become numbers: of students with their buckets, of windows from the first on, of combinations."""

    roster: Table
    combinations: pa.Table
    first: int
    windows: int
    starts: tuple[int, ...]  # the number of the first student of every bucket, and
    ends: tuple[int, ...]  # of the one after the last

    @property
    def width(self) -> int:
        """The number of points that there could be: windows × combinations."""
        return self.windows * int(self.combinations.num_rows)

    @property
    def scale(self) -> Scale:
        """What a worker needs to know of it."""
        return Scale(first=self.first, windows=self.windows, combinations=int(self.combinations.num_rows))


@dataclass(frozen=True, kw_only=True)
class BucketedLog:
    """Points have the same keys in every bucket, which count from the first window of the log."""

    engine: engine.Engine
    window: Window
    also: tuple[str, ...]
    grid: Grid
    buckets: tuple[Bucket, ...]

    @property
    def students(self) -> int:
        return self.grid.ends[-1]

    @property
    def width(self) -> int:
        return self.grid.width

    @property
    def before(self) -> int:
        """What the keys of a log that is held whole have in addition: they count windows from 1970 on."""
        return self.grid.first * int(self.grid.combinations.num_rows)

    @property
    def combinations(self) -> pa.Table:
        """One row for each combination of the further quasi-identifiers, by their own names."""
        return self.grid.combinations.drop_columns(["__number"]).rename_columns(list(self.also))

    def opened(self, bucket: Bucket) -> Log:
        """The log of some students, who are numbered from 0 in it."""
        return opened(bucket, self.width)


def is_large(events: Table) -> bool:
    """Whether a log is better not held whole by this process."""
    most = LARGE if engine.of(events) is engine.DUCKDB else LARGE_ELSEWHERE
    return bool(engine.value(events.count()) > most)


def bucketed(events: Table, *, student: str, at: str, window: Window, also: Sequence[str] = ()) -> BucketedLog:
    """The same log as `log.reduce` gives, in buckets of about the same number of events."""
    known = knowable(events, student=student, at=at, window=window, also=also)
    windows = known["__window"]
    roster = known.group_by("__student").agg(__events=known.count(), first=windows.min(), last=windows.max())
    roster = engine.materialise(engine.numbered(roster.order_by("__student"), "__s"))
    extent = _extent(roster)
    if not extent["students"]:
        raise InputError("there is no event with both a student and a time", column=student)
    combinations = combinations_of(known, also)
    _, count, _ = checked((extent["students"], extent["last"] - extent["first"] + 1, combinations.num_rows))
    slices, ends, shift = cut(roster, extent["students"], IN_A_BUCKET)
    grid = Grid(
        roster=with_buckets(roster, slices, shift), combinations=combinations, first=extent["first"], windows=count,
        starts=(0, *ends[:-1]), ends=tuple(ends),
    )  # fmt: skip
    return _filled(known, grid, window, tuple(also))


def bucketed_like(log: BucketedLog, events: Table, *, student: str, at: str) -> BucketedLog:
    """Other events of the same students at the same points in the same buckets; what the log has not is left out."""
    grid, values = log.grid, log.grid.combinations
    known = knowable(events, student=student, at=at, window=log.window, also=log.also)
    types = ibis.schema(values.drop_columns(["__number"]).schema)
    known = known.cast({"__student": grid.roster["__id"].type(), **types})
    windows = known["__window"]
    known = known.filter((windows >= grid.first) & (windows < grid.first + grid.windows))
    return _filled(known, grid, log.window, log.also)


def coarser(log: BucketedLog, window: Window) -> BucketedLog:
    """A log of whole seconds at a window of some length, made of its numbers: no event is read or sent again."""
    first, last = of_seconds(window, np.array([log.grid.first, log.grid.first + log.grid.windows - 1]))
    folder = scratch() / uuid.uuid4().hex
    folder.mkdir()
    grid = replace(log.grid, first=int(first), windows=int(last - first + 1))
    work = partial(_coarser, log.grid.scale, grid.scale, window, folder)
    files: list[Path] = engine.answers(log.engine, work, log.buckets)
    buckets = tuple(replace(bucket, files=(file,)) for bucket, file in zip(log.buckets, files, strict=True))
    return replace(log, window=window, grid=grid, buckets=buckets)


def _coarser(old: Scale, new: Scale, window: Window, folder: Path, bucket: Bucket) -> Path:
    students, packed = np.divmod(_packed(bucket), old.windows * old.combinations)
    seconds, combinations = np.divmod(packed, old.combinations)
    windows = students * new.windows + (of_seconds(window, seconds + old.first) - new.first)
    path = folder / f"{bucket.first}.parquet"
    pq.write_table(pa.table({"packed": windows * new.combinations + combinations}), path)
    return path


def _filled(known: Table, grid: Grid, window: Window, also: tuple[str, ...]) -> BucketedLog:
    packed = packed_events(known, grid.roster, grid.combinations, also, grid.first, grid.windows)
    files = engine.buckets(packed.select("packed", "bucket"), "bucket")
    buckets = tuple(
        Bucket(first=first, students=end - first, files=files.get(number, ()))
        for number, (first, end) in enumerate(zip(grid.starts, grid.ends, strict=True))
    )
    return BucketedLog(engine=engine.of(known), window=window, also=also, grid=grid, buckets=buckets)


def _extent(roster: Table) -> dict[str, Any]:
    found = roster.aggregate(students=roster.count(), first=roster["first"].min(), last=roster["last"].max())
    told: dict[str, Any] = engine.arrow(found).to_pylist()[0]
    return told


def cut(roster: Table, students: int, size: int) -> tuple[pa.Table, list[int], int]:
    """Which slice of students goes into which bucket, at which number of a student each ends, and how slices are made.

    `roster` numbers students in `__s` and has their numbers of `__events`; a bucket has about `size` events. Slices are
    of a power of two of students, so that the engine shifts bits: it may divide in decimals.
    """
    shift = max(0, (students // SLICES).bit_length())
    sliced = roster.select(slice=roster["__s"] >> shift, events=roster["__events"])
    found = engine.arrow(sliced.group_by("slice").agg(events=sliced.events.sum())).sort_by("slice")
    before = np.cumsum(np.asarray(found["events"].cast(pa.int64()))) - np.asarray(found["events"].cast(pa.int64()))
    _, bucket = np.unique(before // size, return_inverse=True)
    slices = np.asarray(found["slice"])
    last = np.flatnonzero(np.diff(bucket, append=bucket[-1] + 1))
    ends = [min(students, (int(slices[place]) + 1) << shift) for place in last]
    return pa.table({"slice": slices, "bucket": bucket.astype(np.int64)}), ends, shift


def with_buckets(roster: Table, slices: pa.Table, shift: int) -> Table:
    """Every student with a number and the bucket that their events go to."""
    known = engine.listed(slices)
    joined = roster.join(known, (roster["__s"] >> shift) == known["slice"])
    return engine.materialise(joined.select("__s", "bucket", __id=joined["__student"]))


def opened(bucket: Bucket, width: int) -> Log:
    """A log of the students of one bucket; its keys count from the first window of the whole log."""
    packed = _packed(bucket)
    packed -= np.int64(bucket.first) * width
    packed.sort()
    distinct, counts = run_lengths(packed)
    owners, points, keys = pairs(distinct, width)
    nobody = pa.nulls(bucket.students)  # ids stay where they are
    empty = Log(ids=nobody, window=None, also=(), combinations=pa.table({}), **NOTHING)  # type: ignore[arg-type]
    return index(replace(empty, names=bucket.numbers), owners, points, counts, keys)


def _packed(bucket: Bucket) -> Array:
    """One number for every event of a bucket, in any order."""
    numbers = [pq.read_table(file, columns=["packed"])["packed"].to_numpy() for file in bucket.files]
    return np.concatenate([np.empty(0, np.int64), *numbers])
