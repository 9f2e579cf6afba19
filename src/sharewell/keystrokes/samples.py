"""A sample of typing reduced to what an attacker needs: per student and feature a count, means, spread, median.

The engine does the reduction; everything after works on arrays whose size is students × features, never events.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
from ibis.expr.types import Table

from sharewell.data import engine
from sharewell.data.formats.rows import first_row
from sharewell.errors import InputError
from sharewell.keystrokes.arrays import Array

COLUMNS = ("student", "kind", "keys", "ms")


@dataclass(frozen=True, kw_only=True)
class TypingSample:
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


def checked(frame: Any, argument: str) -> Table:
    """The timings that an argument hands in; refuse what are none, and rows without one."""
    timings = engine.table(frame)
    missing = [name for name in COLUMNS if name not in timings.columns]
    if missing:
        wrong = "are no timings: make them with sharewell.keystrokes.timings first"
        raise InputError(f"{argument}= {wrong}", column=missing[0])
    if not timings.ms.type().is_numeric():
        raise InputError(f"{argument}= takes timings with numbers of milliseconds", column="ms")
    for name in COLUMNS:
        if (row := first_row(timings, timings[name].isnull())) is not None:
            raise InputError(f"is empty in {argument}=; every timing needs one", column=name, row=row)
    return timings


def reduce(timings: Table, *, medians: bool = False) -> TypingSample:
    """Timings reduced by the engine."""
    return from_arrow(engine.arrow(_grouped(timings, medians=medians)))


def _grouped(timings: Table, *, medians: bool = False) -> Table:
    log = timings.ms.ln()
    reduced = timings.group_by("student", "kind", "keys").agg(
        count=timings.count(),
        mean=timings.ms.mean(),
        log_mean=log.mean(),
        log_var=log.var(how="pop"),
        **({"median": timings.ms.median()} if medians else {}),
    )
    named = reduced.mutate(student=reduced.student.cast("string"), feature=reduced.kind + " " + reduced["keys"])
    return named.order_by("student", "feature").drop("kind", "keys")


def from_arrow(rows: pa.Table) -> TypingSample:
    students, student = coded(rows["student"])
    features, feature = coded(rows["feature"])
    numbers = {name: rows[name].to_numpy().astype(float) for name in ("count", "mean", "log_mean")}
    spread = numbers["count"] * rows["log_var"].to_numpy().astype(float)
    return TypingSample(
        students=students,
        features=features,
        student=student,
        feature=feature,
        log_spread=spread,
        median=rows["median"].to_numpy() if "median" in rows.column_names else None,
        **numbers,
    )


def coded(column: pa.ChunkedArray) -> tuple[Array, Array]:
    """The distinct names in order, and the position of each row's name among them."""
    encoded = column.combine_chunks().dictionary_encode()
    names = np.array(encoded.dictionary.to_pylist(), dtype=object).astype(str)
    order = np.argsort(names)
    position = np.empty(len(order), dtype=np.int64)
    position[order] = np.arange(len(order))
    return names[order], position[encoded.indices.to_numpy(zero_copy_only=False)]


def merged(samples: Sequence[TypingSample]) -> TypingSample:
    """Pool several samples: their counts add up."""
    students, features = (
        np.unique(np.concatenate([getattr(one, name) for one in samples])) for name in ("students", "features")
    )
    cells = [
        np.searchsorted(students, one.students)[one.student] * len(features)
        + np.searchsorted(features, one.features)[one.feature]
        for one in samples
    ]
    count, mean, log_mean, spread = (
        np.concatenate([getattr(one, name) for one in samples]) for name in ("count", "mean", "log_mean", "log_spread")
    )
    cell, place = np.unique(np.concatenate(cells), return_inverse=True)
    number = np.bincount(place, count)
    log_means = np.bincount(place, count * log_mean) / number
    return TypingSample(
        students=students,
        features=features,
        student=cell // len(features),
        feature=cell % len(features),
        count=number,
        mean=np.bincount(place, count * mean) / number,
        log_mean=log_means,
        log_spread=np.bincount(place, spread + count * (log_mean - log_means[place]) ** 2),
    )


def matched(train: TypingSample, test: TypingSample) -> tuple[Array, Array]:
    """The rows of test typists who are in train as well, and where they are there."""
    place = np.searchsorted(train.students, test.students)
    place = np.minimum(place, len(train.students) - 1)
    rows = np.flatnonzero(train.students[place] == test.students) if len(train.students) else place
    if len(rows) == 0:
        problem = "no student is in both samples: nobody can be looked for; it takes students with several sessions"
        raise InputError(problem, column="student")
    return rows, place[rows]
