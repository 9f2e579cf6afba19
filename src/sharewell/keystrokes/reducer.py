"""The reduction of `samples` on arrays, prepared once for searches that try many settings on the same events."""

from dataclasses import dataclass

import numpy as np

from sharewell.keystrokes.arrays import Array, Typing, numbered, session_lengths, session_starts
from sharewell.keystrokes.latencies import LONGEST_MS, SHORTEST_MS, TO
from sharewell.keystrokes.samples import Sample


@dataclass(frozen=True, kw_only=True)
class Reducer:
    """Which cell, a student and a feature, the latency and the hold time of each event and each session belong to."""

    students: Array
    features: Array  # names, sorted
    latency_cell: Array
    hold_cell: Array
    pause_cell: Array
    length_cell: Array  # of each session
    press_cell: Array  # of each event: which key was struck, whatever the times
    starts: Array  # of each session, and the end
    cells: int

    def sample(self, latency: Array, hold: Array, rows: Array) -> Sample:
        """The sample of the chosen events, whole sessions, with these times."""
        fast = rows & (latency >= SHORTEST_MS) & (latency <= LONGEST_MS)
        held = rows & (hold >= SHORTEST_MS) & (hold <= LONGEST_MS)
        still = rows & (latency > LONGEST_MS)
        pace = session_lengths(self.starts, latency) / np.maximum(np.diff(self.starts) - 1, 1)
        whole = rows[self.starts[:-1]] & (pace > 0)
        cells = [self.latency_cell[fast], self.hold_cell[held], self.pause_cell[still], self.length_cell[whole]]
        times = [latency[fast], hold[held], latency[still], pace[whole], np.ones(int(rows.sum()))]
        return self._of(np.concatenate([*cells, self.press_cell[rows]]), np.concatenate(times))

    def _of(self, cell: Array, ms: Array) -> Sample:
        log = np.log(ms)
        counts = np.bincount(cell, minlength=self.cells)
        log_means = np.bincount(cell, log, self.cells) / np.maximum(counts, 1)
        spread = np.bincount(cell, (log - log_means[cell]) ** 2, self.cells)
        means = np.bincount(cell, ms, self.cells) / np.maximum(counts, 1)
        filled = np.flatnonzero(counts)
        present, student = np.unique(filled // len(self.features), return_inverse=True)
        return Sample(
            students=self.students[present],
            features=self.features,
            student=student,
            feature=filled % len(self.features),
            count=counts[filled].astype(float),
            mean=means[filled],
            log_mean=log_means[filled],
            log_spread=spread[filled],
        )


def prepare(typing: Typing, students: Array) -> Reducer:
    width = len(typing.keys) + 1
    digraphs, digraph = numbered(typing.key * width + typing.next_key)
    names = [f"latency {typing.keys[code // width]}{TO}{_key(typing.keys, code % width)}" for code in digraphs]
    names += [f"hold {key}" for key in typing.keys] + [f"press {key}" for key in typing.keys]
    names += ["pause any", "length any"]
    order = np.argsort(names)
    position = np.empty(len(order), dtype=np.int64)
    position[order] = np.arange(len(order))
    base, starts = typing.student * len(names), session_starts(typing.session)
    return Reducer(
        students=students,
        features=np.array(names)[order],
        latency_cell=base + position[digraph],
        hold_cell=base + position[len(digraphs) + typing.key],
        pause_cell=base + position[-2],
        length_cell=base[starts[:-1]] + position[-1],
        press_cell=base + position[len(digraphs) + len(typing.keys) + typing.key],
        starts=starts,
        cells=len(students) * len(names),
    )


def _key(keys: Array, code: int) -> str:
    return str(keys[code]) if code < len(keys) else ""
