"""The course's calendar, shared by all parts: thirteen weeks, two lectures and one deadline a week."""

import numpy as np

from sharewell.stats.arrays import Array

WEEKS = 13
START = np.datetime64("2025-09-01T00:00:00", "s")  # a Monday
DAY, HOUR = 86_400, 3_600
WEEK = 7 * DAY
LECTURES = (
    DAY + 10 * HOUR + 900,
    3 * DAY + 14 * HOUR + 900,
)  # Tuesday 10:15, Thursday 14:15, seconds into the week
LECTURE_LENGTH = 90 * 60
DEADLINE = 6 * DAY + 23 * HOUR + 59 * 60  # Sunday 23:59


def lecture_times() -> Array:
    """Every lecture's beginning."""
    seconds = [week * WEEK + lecture for week in range(WEEKS) for lecture in LECTURES]
    return START + np.array(seconds).astype("timedelta64[s]")


def deadline_times() -> Array:
    """Every deadline."""
    return START + (np.arange(WEEKS) * WEEK + DEADLINE).astype("timedelta64[s]")


def running_count(lengths: Array) -> Array:
    """0, 1, 2 … within each of several stretches that lie one after the other."""
    ends = np.cumsum(lengths)
    counted: Array = np.arange(ends[-1] if len(ends) else 0) - np.repeat(ends - lengths, lengths)
    return counted


def running_sum(values: Array, lengths: Array) -> Array:
    """The running sum of values that starts anew with each stretch."""
    total = np.cumsum(values)
    starts = np.cumsum(lengths) - lengths
    before = np.where(starts > 0, total[np.maximum(starts, 1) - 1], 0)
    within: Array = total - np.repeat(before, lengths)
    return within
