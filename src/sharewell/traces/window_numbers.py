"""Which window a moment falls into: in the engine for columns, in numpy for whole seconds."""

from typing import Any

import numpy as np
from ibis.expr.types import IntegerValue, TimestampValue

from sharewell.data import engine
from sharewell.plan.windows import DAY, MONDAY, SECONDS, Window
from sharewell.traces.arrays import Array


def number(window: Window, moment: TimestampValue) -> IntegerValue:
    """Which window a moment falls into, as a whole number that grows with time; released numbers stay."""
    if moment.type().is_integer():
        return moment.cast("int64")
    if window.unit == "hour-of-day":
        return moment.hour().cast("int64")
    if window.unit == "weekday":
        return moment.day_of_week.index().cast("int64")
    if window.unit == "mo":
        months = (moment.year().cast("int64") - 1970) * 12 + moment.month().cast("int64") - 1
        return months if window.count == 1 else (months / window.count).floor().cast("int64")
    seconds = engine.seconds(moment) - window.origin
    return (seconds / (window.count * SECONDS[window.unit])).floor().cast("int64")


def of_seconds(window: Window, seconds: Array) -> Array:
    """The same numbers from whole seconds since the epoch."""
    if window.unit == "hour-of-day":
        return seconds % DAY // SECONDS["h"]
    if window.unit == "weekday":
        return (seconds - MONDAY) // DAY % 7
    if window.unit == "mo":
        return seconds.astype("datetime64[s]").astype("datetime64[M]").astype(np.int64) // window.count
    return (seconds - window.origin) // (window.count * SECONDS[window.unit])


def start(window: Window, moment: TimestampValue) -> Any:
    """The moment at which the window starts; recurring windows give their number."""
    if window.recurring:
        return number(window, moment)
    if window.unit == "mo":
        return engine.month_start(moment, window.count)
    return engine.window_start(moment, seconds=window.count * SECONDS[window.unit], origin=window.origin)
