"""Fictional files with planted truth: who is who is known, and what the files share is known."""

from collections.abc import Sequence

import numpy as np
import pyarrow as pa

from sharewell.data import engine
from sharewell.release.linkage import File

TERM = np.datetime64("2025-03-03T00:00:00")  # a Monday
DAY = np.timedelta64(1, "D")


def names(students: int) -> list[str]:
    return [f"s{number:04d}" for number in range(students)]


def events(students: int, seed: int, *, weeks: int = 10, mean: float = 40.0) -> pa.Table:
    """Clicks of a term: students differ in how much they do and in which weeks."""
    draw = np.random.default_rng(seed)
    who, at = [], []
    for name in names(students):
        activity = draw.gamma(2.0, mean / 2.0)
        share = draw.dirichlet(np.full(weeks, 1.5))
        for week, count in enumerate(draw.poisson(activity * share)):
            days = draw.integers(0, 5, count)
            seconds = draw.integers(8 * 3600, 20 * 3600, count)
            who += [name] * int(count)
            at += [
                TERM + (7 * week + day) * DAY + np.timedelta64(int(second), "s")
                for day, second in zip(days, seconds, strict=True)
            ]
    return pa.table({"who": who, "at": np.array(at, "datetime64[us]"), "verb": draw.choice(["read", "quiz"], len(who))})


def rounded(table: pa.Table, column: str, days: int) -> pa.Table:
    """Times as the start of windows of so many days."""
    width = np.timedelta64(days, "D")
    times = np.asarray(table[column]).astype("datetime64[s]")
    start = TERM + (times - TERM) // width * width
    place = table.column_names.index(column)
    return table.set_column(place, column, pa.array(start.astype("datetime64[us]")))


def file(label: str, table: pa.Table, *, student: str = "who", **roles: Sequence[str]) -> File:
    given = {name: tuple(columns) for name, columns in roles.items()}
    return File(label=label, table=engine.table(table), student=student, **{"known": (), **given})
