"""A sample of typing reduced to what an attacker needs: per student and feature a count, means, spread, median.

The engine does the reduction; everything after works on arrays whose size is students × features, never events.
"""

from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from ibis.expr.types import Table

from sharewell import engine
from sharewell.errors import InputError
from sharewell.keystrokes.latencies import LONGEST_MS, SHORTEST_MS, TO
from sharewell.keystrokes.typing import Array, Typing

COLUMNS = ("student", "kind", "keys", "ms")


@dataclass(frozen=True, kw_only=True)
class Sample:
    """One row per student and feature, in long form. Features are "latency a→b", "hold a" and so on."""

    students: Array  # names, sorted
    features: Array  # names, sorted
    student: Array  # the position of each row's student
    feature: Array
    count: Array
    mean: Array  # of the times in ms
    log_mean: Array  # of the logarithms
    log_spread: Array  # their sum of squared deviations
    median: Array | None = None  # only where asked for: it needs every single time

    def spread_out(self, column: Array, features: Array, fill: float = 0.0) -> Array:
        """A students × features matrix of one of the columns, for the named features only."""
        place = np.searchsorted(features, self.features)
        place[place == len(features)] = 0
        known = features[place] == self.features if len(features) else np.zeros(len(place), dtype=bool)
        chosen = known[self.feature]
        matrix = np.full((len(self.students), len(features)), fill)
        matrix[self.student[chosen], place[self.feature[chosen]]] = column[chosen]
        return matrix


def reduce(timings: Table, *, medians: bool = False) -> Sample:
    """Timings reduced by the engine."""
    missing = [name for name in COLUMNS if name not in timings.columns]
    if missing:
        raise InputError("these are no timings: make them with sharewell.keystrokes.timings first", column=missing[0])
    log = timings.ms.ln()
    reduced = timings.group_by(
        student=timings.student.cast("string"), feature=timings.kind + " " + timings["keys"]
    ).agg(
        count=timings.count(),
        mean=timings.ms.mean(),
        log_mean=log.mean(),
        log_var=log.var(how="pop"),
        **({"median": timings.ms.median()} if medians else {}),
    )
    return from_arrow(engine.arrow(reduced.order_by("student", "feature")))


def from_arrow(rows: pa.Table) -> Sample:
    students, student = coded(rows["student"])
    features, feature = coded(rows["feature"])
    numbers = {name: rows[name].to_numpy().astype(float) for name in ("count", "mean", "log_mean")}
    spread = numbers["count"] * rows["log_var"].to_numpy().astype(float)
    return Sample(students=students, features=features, student=student, feature=feature, log_spread=spread, **numbers)


def of_typing(typing: Typing, students: Array, latency: Array, hold: Array, rows: Array) -> Sample:
    """The same reduction on arrays, for searches that try many settings: chosen events with new times."""
    width = len(typing.keys) + 1
    digraph = typing.key * width + typing.next_key
    fast = rows & (latency >= SHORTEST_MS) & (latency <= LONGEST_MS)
    held = rows & (hold >= SHORTEST_MS) & (hold <= LONGEST_MS)
    still = rows & (latency > LONGEST_MS)
    pause = np.full(still.sum(), width * width + width)
    feature = np.concatenate([digraph[fast], width * width + typing.key[held], pause])
    owner = np.concatenate([typing.student[rows] for rows in (fast, held, still)])
    ms = np.concatenate([latency[fast], hold[held], latency[still]])
    return _grouped(owner, feature, ms, students, typing.keys)


def _grouped(owner: Array, feature: Array, ms: Array, students: Array, keys: Array) -> Sample:
    codes, place = np.unique(feature, return_inverse=True)
    cells, cell = np.unique(owner * len(codes) + place, return_inverse=True)
    count, log = np.bincount(cell).astype(float), np.log(ms)
    log_mean = np.bincount(cell, log) / count
    names, order = _feature_names(codes, keys)
    position = np.empty(len(order), dtype=np.int64)
    position[order] = np.arange(len(order))
    present, student = np.unique(cells // len(codes), return_inverse=True)
    return Sample(
        students=students[present],
        features=names[order],
        student=student,
        feature=position[cells % len(codes)],
        count=count,
        mean=np.bincount(cell, ms) / count,
        log_mean=log_mean,
        log_spread=np.bincount(cell, (log - log_mean[cell]) ** 2),
    )


def _feature_names(codes: Array, keys: Array) -> tuple[Array, Array]:
    names = np.array([_feature_name(int(code), keys) for code in codes])
    return names, np.argsort(names)


def _feature_name(code: int, keys: Array) -> str:
    width = len(keys) + 1
    if code < width * width:
        return f"latency {keys[code // width]}{TO}{keys[code % width]}"
    return f"hold {keys[code - width * width]}" if code < width * width + width else "pause any"


def coded(column: pa.ChunkedArray) -> tuple[Array, Array]:
    """The distinct names in order, and the position of each row's name among them."""
    encoded = column.combine_chunks().dictionary_encode()
    names = np.array(encoded.dictionary.to_pylist(), dtype=object).astype(str)
    order = np.argsort(names)
    position = np.empty(len(order), dtype=np.int64)
    position[order] = np.arange(len(order))
    return names[order], position[encoded.indices.to_numpy(zero_copy_only=False)]
