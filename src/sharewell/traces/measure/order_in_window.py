"""Someone remembers in which order a student did things on a few days, as rows within a window may tell."""

from dataclasses import dataclass

import numpy as np

from sharewell.stats.compiled import njit, prange
from sharewell.traces.arrays import Array
from sharewell.traces.measure.asking import NO_SCORE, Answer, Asking, BestScore, Part
from sharewell.traces.measure.attackers import NOBODY
from sharewell.traces.measure.attempts import Attempts
from sharewell.traces.measure.fitting import summed
from sharewell.traces.measure.verb_runs import FEWEST_TRIES, codes_of, places_of, stretch
from sharewell.traces.measure.verb_sequences import Sequence, Sequences

REMEMBERED = 5  # verbs of a window, in order
MOST_WORK = 300_000_000


@dataclass(frozen=True, kw_only=True)
class Orders(BestScore):
    """The windows that are remembered, and the first verbs of each in their order; NOBODY where there are no more."""

    names: Array
    windows: Array
    verbs: Array

    def asked(self, part: Part) -> Answer:
        assert part.verbs is not None
        released = (part.verbs.starts, part.verbs.verbs, part.verbs.windows)
        return _matched(self.windows, self.verbs, released, part.place(self.names), codes_of(self.verbs, released[1]))


def order_in_window(verbs: Sequences, attempts: Attempts, known: int) -> Asking:
    """The first verbs of `known` windows in their order: whoever shows most of these orders is a candidate."""
    targets, _ = attempts.of(verbs.present, verbs.among)
    per_window = verbs.events // max(1, verbs.windows)
    most = max(FEWEST_TRIES, MOST_WORK // max(1, known * REMEMBERED * per_window))
    generator = np.random.default_rng(attempts.seed)
    if len(targets) > most:
        targets = generator.permutation(targets)[:most]
    begins = _drawn_windows(verbs.known.starts, verbs.known.windows, targets, generator.random((len(targets), known)))
    best, size, own = yield Orders(
        names=verbs.names(targets), windows=verbs.known.windows[begins],
        verbs=_remembered(verbs.known, verbs.known.starts[targets + 1], begins),
    )  # fmt: skip
    return summed(verbs.students, targets, size, own == best)


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


def _remembered(known: Sequence, ends: Array, begins: Array) -> Array:
    """The first verbs from each beginning on that lie in the same window; a student's events end at `ends`."""
    places = begins[:, :, None] + np.arange(REMEMBERED)
    there = np.minimum(places, len(known.verbs) - 1)
    same = (places < ends[:, None, None]) & (known.windows[there] == known.windows[begins][:, :, None])
    return np.where(same, known.verbs[there], NOBODY)


@njit(cache=True)
def _window_of(windows: Array, first: int, last: int, window: int) -> tuple[int, int]:
    """From where to where a student's events lie in a window."""
    begin = first + int(np.searchsorted(windows[first:last], window))
    end = first + int(np.searchsorted(windows[first:last], window + 1))
    return begin, end


@njit(parallel=True, cache=True)
def _matched(
    windows: Array, verbs: Array, released: tuple[Array, ...], targets: Array, codes: int
) -> tuple[Array, Array, Array]:
    starts, their_verbs, their_windows = released
    best, size, own = np.full(targets.size, NO_SCORE), np.zeros(targets.size), np.full(targets.size, NO_SCORE)
    for i in prange(targets.size):
        places = np.zeros((windows.shape[1], codes), np.int64)
        remembered = np.zeros(windows.shape[1], np.int64)
        for j in range(windows.shape[1]):
            remembered[j] = np.sum(verbs[i, j] >= 0)
            places[j] = places_of(verbs[i, j][: remembered[j]], codes)
        for student in range(starts.size - 1):
            first, last = starts[student], starts[student + 1]
            if first == last:
                continue
            score = 0
            for j in range(windows.shape[1]):
                begin, stop = _window_of(their_windows, first, last, windows[i, j])
                score += stretch(places[j], remembered[j], their_verbs[begin:stop])
            if score > best[i]:
                best[i], size[i] = score, 0
            if score == best[i]:
                size[i] += 1
            if student == targets[i]:
                own[i] = score
    return best, size, own
