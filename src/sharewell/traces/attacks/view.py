"""A release beside the original as an attacker sees them: the same students and points, numbered alike."""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, TypeVar

import numpy as np
import pyarrow as pa

from sharewell.traces.arrays import Array
from sharewell.traces.log import NOTHING, Log, index

Made = TypeVar("Made")


@dataclass(frozen=True, kw_only=True)
class VerbOrder:
    """The verbs of student s in their order: `verbs[starts[s]:starts[s + 1]]`."""

    starts: Array
    verbs: Array


@dataclass(frozen=True, kw_only=True)
class View:
    """`known` is the original recoded as the release is, `released` what can be looked at.

    `kept` are columns of both that the plan keeps; verbs stand in the order of the rows, where rows have a verb.
    """

    known: Log
    released: Log
    kept: tuple[str, ...] = ()
    known_verbs: VerbOrder | None = None
    released_verbs: VerbOrder | None = None
    _made: dict[Any, Any] = field(default_factory=dict, init=False, repr=False, compare=False)

    def once(self, make: Callable[["View"], Made]) -> Made:
        """What `make` gives for this view, worked out once for all blocks of attempts."""
        if make not in self._made:
            self._made[make] = make(self)
        made: Made = self._made[make]
        return made

    @cached_property
    def present(self) -> Array:
        """The students who are in the release: only they can be found there."""
        return np.flatnonzero(self.released.lengths)

    @cached_property
    def windows(self) -> "View":
        """Return the view by time windows alone, without further columns."""
        return self.by(())

    def by(self, columns: tuple[str, ...]) -> "View":
        """Return the view with only these columns beside the time."""
        return View(known=by_columns(self.known, columns), released=by_columns(self.released, columns))


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
    like = Log(ids=log.ids, window=log.window, also=columns, combinations=table, **NOTHING)
    return index(like, who.astype(np.int32), where.astype(np.int32), events, keys)


def _fewer_combinations(log: Log, columns: tuple[str, ...]) -> tuple[pa.Table, Array]:
    if not columns:
        return pa.table({}), np.zeros(log.combinations_count, np.int64)
    rows = list(zip(*(log.combinations[name].to_pylist() for name in columns), strict=True))
    numbers = {row: number for number, row in enumerate(dict.fromkeys(rows))}
    table = pa.table({name: pa.array([row[i] for row in numbers]) for i, name in enumerate(columns)})
    return table, np.array([numbers[row] for row in rows])
