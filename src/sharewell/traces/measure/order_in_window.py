"""Someone remembers in which order a student did things on a few days, as rows within a window may tell."""

import numpy as np
from numba import njit, prange

from sharewell.traces.arrays import Array
from sharewell.traces.measure.attempts import Attempts
from sharewell.traces.measure.fitting import summed
from sharewell.traces.measure.found import Found
from sharewell.traces.measure.verb_runs import FEWEST_TRIES, stretch
from sharewell.traces.measure.verb_sequences import Sequences

REMEMBERED = 5  # verbs of a window, in order
MOST_WORK = 300_000_000


def order_in_window(verbs: Sequences, attempts: Attempts, known: int) -> Found:
    """The first verbs of `known` windows in their order: whoever shows most of these orders is a candidate."""
    targets, _ = attempts.of(verbs.present)
    per_window = len(verbs.released.verbs) // max(1, len(np.unique(verbs.released.windows)))
    most = max(FEWEST_TRIES, MOST_WORK // max(1, known * REMEMBERED * per_window))
    generator = np.random.default_rng(attempts.seed)
    if len(targets) > most:
        targets = generator.permutation(targets)[:most]
    begins = _drawn_windows(verbs.known.starts, verbs.known.windows, targets, generator.random((len(targets), known)))
    size, within = _matched(
        (verbs.known.starts, verbs.known.verbs, verbs.known.windows), begins,
        (verbs.released.starts, verbs.released.verbs, verbs.released.windows), targets,
    )  # fmt: skip
    return summed(len(verbs.released.starts) - 1, targets, size, within)


@njit(cache=True)
def _drawn_windows(starts: Array, windows: Array, targets: Array, luck: Array) -> Array:
    """Where windows of each target begin: those in which a random event of theirs lies."""
    begins = np.zeros(luck.shape, np.int64)
    for i in range(targets.size):
        first, last = starts[targets[i]], starts[targets[i] + 1]
        for j in range(luck.shape[1]):
            at = first + int(luck[i, j] * (last - first))
            while at > first and windows[at - 1] == windows[at]:
                at -= 1
            begins[i, j] = at
    return begins


@njit(cache=True)
def _window_of(windows: Array, first: int, last: int, window: int) -> tuple[int, int]:
    """From where to where a student's events lie in a window."""
    begin = first + int(np.searchsorted(windows[first:last], window))
    end = first + int(np.searchsorted(windows[first:last], window + 1))
    return begin, end


@njit(parallel=True, cache=True)
def _matched(
    known: tuple[Array, ...], begins: Array, released: tuple[Array, ...], targets: Array
) -> tuple[Array, Array]:
    starts, verbs, windows = known
    their_starts, their_verbs, their_windows = released
    size, within = np.zeros(targets.size, np.int64), np.zeros(targets.size, np.bool_)
    for i in prange(targets.size):
        best = 0
        for student in range(their_starts.size - 1):
            first, last = their_starts[student], their_starts[student + 1]
            if first == last:
                continue
            score = 0
            for j in range(begins.shape[1]):
                at = begins[i, j]
                end = at
                while end < starts[targets[i] + 1] and windows[end] == windows[at] and end - at < REMEMBERED:
                    end += 1
                begin, stop = _window_of(their_windows, first, last, windows[at])
                score += stretch(verbs[at:end], their_verbs[begin:stop])
            if score > best:
                best, size[i], within[i] = score, 0, False
            if score == best:
                size[i] += 1
                within[i] = within[i] or student == targets[i]
    return size, within
