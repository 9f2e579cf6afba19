"""A release and the original beside it, as attackers see them: the same students and points, numbered alike."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pyarrow as pa

from sharewell.traces.arrays import Array
from sharewell.traces.log import NOTHING, Log, index
from sharewell.traces.measure.asking import Crowd, Held, Part
from sharewell.traces.measure.verb_sequences import Sequences

POINTS, WINDOWS, KEPT = "points", "windows", "kept"  # the sides of a log


@dataclass(frozen=True, kw_only=True)
class Whole:
    """What must be known of a release of which only the students who are attacked are here."""

    students: int  # of the original
    present: int  # of them, those who are in the release
    often: Array  # how many pairs of the release have 0, 1, 2 … events


@dataclass(frozen=True, kw_only=True)
class Points:
    """What is known (original, recoded like the release) and what can be looked at (released), of one side.

    `whole` is said where both hold a sample of the students only.
    """

    known: Log
    released: Log
    side: str
    whole: Whole | None = None

    @cached_property
    def present(self) -> Array:
        """The students who are in the release: only they can be found there."""
        return np.flatnonzero(self.released.lengths)

    @property
    def among(self) -> int:
        """How many students the release has."""
        return len(self.present) if self.whole is None else self.whole.present

    @property
    def students(self) -> int:
        """How many the original has."""
        return self.known.students if self.whole is None else self.whole.students

    @property
    def often(self) -> Array:
        return np.bincount(self.released.events) if self.whole is None else self.whole.often

    def names(self, targets: Array) -> Array:
        """The numbers of students in the whole log."""
        return targets if self.known.names is None else self.known.names[targets]


@dataclass(frozen=True, kw_only=True)
class Sides:
    """Full points, bare windows, and where there are any: windows with kept columns, and verbs in their order."""

    points: Points
    windows: Points
    crowd: Crowd
    kept: Points | None = None
    verbs: Sequences | None = None

    @property
    def students(self) -> int:
        return self.points.among


def sides(known: Log, released: Log, *, kept: tuple[str, ...] = (), verbs: Sequences | None = None) -> Sides:
    """Both logs over the same students and points; `kept` are those of their columns that the plan keeps."""
    seen = {
        side: Points(known=by_columns(known, columns), released=by_columns(released, columns), side=side)
        for side, columns in columns_of(known, kept).items()
    }
    part = Part(
        first=0, students=known.students, logs={side: points.released for side, points in seen.items()},
        verbs=verbs.released if verbs else None,
    )  # fmt: skip
    return put_together(seen, Held(part=part), verbs)


def put_together(seen: Mapping[str, Points], crowd: Crowd, verbs: Sequences | None) -> Sides:
    return Sides(points=seen[POINTS], windows=seen[WINDOWS], kept=seen.get(KEPT), verbs=verbs, crowd=crowd)


def columns_of(log: Log, kept: tuple[str, ...]) -> dict[str, tuple[str, ...]]:
    """By which columns beside the time each side tells points apart."""
    there = tuple(name for name in kept if name in log.also)
    return {POINTS: log.also, WINDOWS: (), **({KEPT: there} if there else {})}


def by_columns(log: Log, columns: tuple[str, ...]) -> Log:
    """The same log by fewer columns; logs over the same points stay logs over the same points."""
    if log.also == columns:
        return log
    table, numbers = _fewer_combinations(log, columns)
    windows, rows = np.divmod(log.keys, log.combinations_count)
    keys, points = np.unique(windows * max(1, table.num_rows) + numbers[rows], return_inverse=True)
    pairs = log.owners.astype(np.int64) * len(keys) + points[log.points]
    distinct, place = np.unique(pairs, return_inverse=True)
    events = np.bincount(place, weights=log.events, minlength=len(distinct)).astype(np.int64)
    who, where = np.divmod(distinct, max(1, len(keys)))
    like = Log(ids=log.ids, window=log.window, also=columns, combinations=table, names=log.names, **NOTHING)
    return index(like, who.astype(np.int32), where.astype(np.int32), events, keys)


def _fewer_combinations(log: Log, columns: tuple[str, ...]) -> tuple[pa.Table, Array]:
    if not columns:
        return pa.table({}), np.zeros(log.combinations_count, np.int64)
    rows = list(zip(*(log.combinations[name].to_pylist() for name in columns), strict=True))
    numbers = {row: number for number, row in enumerate(dict.fromkeys(rows))}
    table = pa.table({name: pa.array([row[i] for row in numbers]) for i, name in enumerate(columns)})
    return table, np.array([numbers[row] for row in rows])
