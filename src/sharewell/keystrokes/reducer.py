"""The reduction of `samples` on arrays, for searches that try many settings on the same events."""

import numpy as np

from sharewell.keystrokes.arrays import Array, TypedEvents, numbered, session_lengths, session_starts
from sharewell.keystrokes.latencies import LONGEST_MS, SHORTEST_MS, TO
from sharewell.keystrokes.samples import TypingSample


def split_samples(typing: TypedEvents, students: Array, target: Array) -> tuple[TypingSample, TypingSample]:
    """Reduce the sessions that are not the target, and those that are, in one pass over the events.

    Beside latencies and hold times: pauses, each session's length per key, and how often each key was struck.
    """
    width = len(typing.keys) + 1
    digraphs, digraph = numbered(typing.key * width + typing.next_key)
    names = [f"latency {typing.keys[code // width]}{TO}{_key(typing.keys, code % width)}" for code in digraphs]
    names += [f"hold {key}" for key in typing.keys] + [f"press {key}" for key in typing.keys]
    names += ["pause any", "length any"]
    order = np.argsort(names)
    position = np.empty(len(order), dtype=np.int64)
    position[order] = np.arange(len(order))
    of_hold, of_press = position[len(digraphs) :], position[len(digraphs) + len(typing.keys) :]
    cells, starts = len(students) * len(names), session_starts(typing.session)
    base = typing.student * len(names) + cells * target[typing.session]
    latency, hold = typing.latency, typing.hold
    fast = (latency >= SHORTEST_MS) & (latency <= LONGEST_MS)
    timed = (hold >= SHORTEST_MS) & (hold <= LONGEST_MS)
    still = latency > LONGEST_MS
    pace = session_lengths(starts, latency) / np.maximum(np.diff(starts) - 1, 1)
    moving = pace > 0
    cell = np.concatenate([
        base[fast] + position[digraph[fast]],
        base[timed] + of_hold[typing.key[timed]],
        base[still] + position[-2],
        base[starts[:-1]][moving] + position[-1],
    ])  # fmt: skip
    ms = np.concatenate([latency[fast], hold[timed], latency[still], pace[moving]])
    log = np.log(ms)
    struck = np.bincount(base + of_press[typing.key], minlength=2 * cells)
    count = struck + np.bincount(cell, minlength=2 * cells)
    filled = np.flatnonzero(count)
    number = count[filled].astype(float)
    mean = (struck + np.bincount(cell, ms, 2 * cells))[filled] / number
    log_mean = np.bincount(cell, log, 2 * cells)[filled] / number
    square = np.bincount(cell, log * log, 2 * cells)[filled]
    spread = np.maximum(square - number * log_mean**2, 0.0)
    columns = (number, mean, log_mean, spread)
    features, early = np.array(names)[order], int(np.searchsorted(filled, cells))
    parts = (slice(0, early), 0), (slice(early, None), cells)
    first, second = (
        _sample(students, features, filled[part] - before, [column[part] for column in columns])
        for part, before in parts
    )
    return first, second


def _sample(students: Array, features: Array, cell: Array, columns: list[Array]) -> TypingSample:
    present, student = np.unique(cell // len(features), return_inverse=True)
    count, mean, log_mean, log_spread = columns
    return TypingSample(
        students=students[present],
        features=features,
        student=student,
        feature=cell % len(features),
        count=count,
        mean=mean,
        log_mean=log_mean,
        log_spread=log_spread,
    )


def _key(keys: Array, code: int) -> str:
    return str(keys[code]) if code < len(keys) else ""
