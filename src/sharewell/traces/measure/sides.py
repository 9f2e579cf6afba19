"""A release and the original beside it, as attackers see them: the same students and points, numbered alike."""

from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from sharewell.traces.arrays import Array
from sharewell.traces.log import NOTHING, Log, index
from sharewell.traces.measure.verb_sequences import Sequences


@dataclass(frozen=True, kw_only=True)
class Points:
    """What is known (original, recoded like the release) and what can be looked at (released)."""

    known: Log
    released: Log

    @property
    def present(self) -> Array:
        """The students who are in the release: only they can be found there."""
        return np.flatnonzero(self.released.lengths)


@dataclass(frozen=True, kw_only=True)
class Sides:
    """Full points, bare windows, and where there are any: windows with kept columns, and verbs in their order."""

    points: Points
    windows: Points
    kept: Points | None = None
    verbs: Sequences | None = None

    @property
    def students(self) -> int:
        return len(self.points.present)


def sides(known: Log, released: Log, *, kept: tuple[str, ...] = (), verbs: Sequences | None = None) -> Sides:
    """Both logs over the same students and points; `kept` are those of their columns that the plan keeps."""
    there = tuple(name for name in kept if name in known.also)
    return Sides(
        points=Points(known=known, released=released),
        windows=_only(known, released, ()),
        kept=_only(known, released, there) if there else None,
        verbs=verbs,
    )


def _only(known: Log, released: Log, columns: tuple[str, ...]) -> Points:
    """The same points by fewer columns."""
    if known.also == columns:
        return Points(known=known, released=released)
    table, numbers = _fewer_combinations(known, columns)
    windows, rows = np.divmod(known.keys, known.combinations_count)
    first, count = int(windows.min(initial=0)), max(1, table.num_rows)
    keys, points = np.unique((windows - first) * count + numbers[rows], return_inverse=True)
    logs = []
    for log in (known, released):
        pairs = log.owners.astype(np.int64) * len(keys) + points[log.points]
        distinct, place = np.unique(pairs, return_inverse=True)
        events = np.bincount(place, weights=log.events, minlength=len(distinct)).astype(np.int64)
        who, where = np.divmod(distinct, max(1, len(keys)))
        like = Log(
            ids=log.ids, window=log.window, also=columns, combinations=table, **NOTHING,
        )  # fmt: skip
        logs.append(index(like, who.astype(np.int32), where.astype(np.int32), events, keys + first * count))
    return Points(known=logs[0], released=logs[1])


def _fewer_combinations(log: Log, columns: tuple[str, ...]) -> tuple[pa.Table, Array]:
    if not columns:
        return pa.table({}), np.zeros(log.combinations_count, np.int64)
    rows = list(zip(*(log.combinations[name].to_pylist() for name in columns), strict=True))
    numbers = {row: number for number, row in enumerate(dict.fromkeys(rows))}
    table = pa.table({name: pa.array([row[i] for row in numbers]) for i, name in enumerate(columns)})
    return table, np.array([numbers[row] for row in rows])
