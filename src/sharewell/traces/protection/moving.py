"""Protections that move times instead of coarsening them: another week for each student, noise that keeps order."""

import ibis
import numpy as np
import pyarrow as pa
from ibis.expr.types import Table

from sharewell.data import engine
from sharewell.data.keyed import Keyed
from sharewell.plan.windows import Window, parse_length
from sharewell.traces.arrays import Array
from sharewell.traces.log import Log
from sharewell.traces.window_numbers import number


def shifted(events: Table, *, student: str, at: str, weeks: int, keyed: Keyed) -> Table:
    """Each student's calendar moved by a secret number of whole weeks, up to `weeks` either way."""
    ids = engine.arrow(engine.distinct(events, [student]).order_by(student))[student]
    moves = keyed.generator("shift").integers(-weeks, weeks + 1, len(ids))
    mover, by = engine.fresh(events.columns, "mover"), engine.fresh(events.columns, "weeks")
    table = engine.listed(pa.table({mover: ids, by: pa.array(moves)}))
    joined = events.join(table, events[student] == table[mover])
    moved = joined[at] + (joined[by] * 7).as_interval("D")
    return joined.mutate(**{at: moved}).select(*events.columns)


def jittered(events: Table, *, student: str, at: str, by: int, keyed: Keyed) -> Table:
    """Times moved at random by at most `by` seconds, in the order they had.

    The i-th time of a student becomes the i-th of the moved ones: sorting both keeps every move within the bound.
    """
    secret = keyed.secret("jitter").hex()
    rank, who, when, place = (engine.fresh(events.columns, stem) for stem in ("rank", "who", "moved", "place"))
    rows = ibis.row_number().over(group_by=student, order_by=[at, *_others(events, at)])
    ranked = events.mutate(**{rank: rows})
    noise, label = (engine.fresh((*ranked.columns, who, when, place), stem) for stem in ("noise", "label"))
    ranked = ranked.mutate(**{label: ranked[student].cast("string") + "/" + ranked[rank].cast("string")})
    ranked = engine.keyed_numbers(ranked, label, noise, secret)
    move = ((ranked[noise] * 2 * by * 1_000_000).cast("int64") - by * 1_000_000).as_interval("us")
    moved = ranked.select(**{who: ranked[student], when: ranked[at] + move})
    moved = moved.mutate(**{place: ibis.row_number().over(group_by=who, order_by=when)})
    joined = ranked.join(moved, [ranked[student] == moved[who], ranked[rank] == moved[place]])
    return joined.mutate(**{at: joined[when]}).select(*events.columns)


def keyed_places(events: Table, order: str, *, student: str, log: Log, at: str, keyed: Keyed) -> Table:
    """With a column that puts the events of a window in an order that only the holder of the key can compute.

    It follows from the window, the values and the how-many-eth of them it is, and not from the student: students with
    the same points have the same order, so that no order tells one of them from another.
    """
    window, times, label = (engine.fresh((*events.columns, order), stem) for stem in ("window", "times", "label"))
    numbered = events.mutate(**{window: number(log.window, events[at])})
    alike = [student, window, *log.also]
    rank = ibis.row_number().over(group_by=alike, order_by=[at, *_others(events, at)])
    numbered = numbered.mutate(**{times: rank})
    parts = [numbered[name].cast("string").fill_null("\0") for name in (window, *log.also, times)]
    labelled = numbered.mutate(**{label: ibis.literal("\1").join(parts)})
    return engine.keyed_numbers(labelled, label, order, keyed.secret("order").hex()).drop(window, times, label)


def secret_number(keyed: Keyed) -> int:
    """A seed for kernels that only the holder of the key knows."""
    return int.from_bytes(keyed.secret("search", 7), "big")


def _others(events: Table, at: str) -> list[str]:
    return [name for name in events.columns if name != at]


def slack(window: Window, by: str | None) -> int:
    """How many windows noise may move a time by."""
    if by is None:
        return 0
    return -(-parse_length(by) // window.seconds) if window.seconds else 1


def weeks_in_windows(window: Window) -> int | None:
    """How many windows a week has, where they divide it."""
    week = 7 * 86_400
    return week // window.seconds if window.seconds and week % window.seconds == 0 else None


def offsets(window: Window, weeks: int) -> Array:
    """The moves, in windows, that an attacker on shifted calendars has to consider."""
    per_week = weeks_in_windows(window)
    return np.arange(-weeks, weeks + 1) * per_week if per_week and weeks else np.zeros(1, np.int64)
