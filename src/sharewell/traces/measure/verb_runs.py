"""Someone saw what a student did, one thing after the other, and remembers no time at all."""

from dataclasses import dataclass

import numpy as np

from sharewell.stats.compiled import njit, prange
from sharewell.traces.arrays import Array
from sharewell.traces.measure.asking import NO_SCORE, Answer, Asking, BestScore, Part
from sharewell.traces.measure.attempts import Attempts
from sharewell.traces.measure.fitting import summed
from sharewell.traces.measure.verb_sequences import Sequences

LENGTH = 10  # verbs in a row
MOST_WORK = 300_000_000  # comparisons over all attempts; a long log is attacked less often
LANE_BITS = 6  # that hold a length of up to LENGTH, and half as much again as they can hold
LANE, HALF_A_LANE = 2**LANE_BITS - 1, 2 ** (LANE_BITS - 1)
ONE_EACH = sum(1 << (LANE_BITS * place) for place in range(LENGTH))
FEWEST_TRIES = 400  # none found of so many is at most one in a hundred, below every limit


@dataclass(frozen=True, kw_only=True)
class Runs(BestScore):
    """The verbs of all attempts, one run after the other: run i is `verbs[ends[i - 1]:ends[i]]`."""

    names: Array
    verbs: Array
    ends: Array

    def asked(self, part: Part) -> Answer:
        assert part.verbs is not None
        seen = part.verbs
        codes = codes_of(self.verbs, seen.verbs)
        return _longest(self.verbs, self.ends, seen.starts, seen.verbs, part.place(self.names), codes)


def verb_runs(verbs: Sequences, attempts: Attempts) -> Asking:
    """Ten verbs in a row: whoever's log holds the longest stretch of them is a candidate."""
    targets, _ = attempts.of(verbs.present, verbs.among)
    most = max(FEWEST_TRIES, MOST_WORK // max(1, LENGTH * verbs.events))
    generator = np.random.default_rng(attempts.seed)
    if len(targets) > most:
        targets = generator.permutation(targets)[:most]
    lengths = np.diff(verbs.known.starts)[targets]
    offsets = generator.random(len(targets)) * np.maximum(1, lengths - LENGTH + 1)
    begins = verbs.known.starts[targets] + offsets.astype(np.int64)
    sizes = np.minimum(lengths, LENGTH)
    ends = np.cumsum(sizes)
    places = np.repeat(begins - (ends - sizes), sizes) + np.arange(sizes.sum())
    best, size, own = yield Runs(names=verbs.names(targets), verbs=verbs.known.verbs[places], ends=ends)
    return summed(verbs.students, targets, size, own == best)


@njit(parallel=True, cache=True)
def _longest(
    known: Array, ends: Array, starts: Array, verbs: Array, targets: Array, codes: int
) -> tuple[Array, Array, Array]:
    best, size, own = np.full(targets.size, NO_SCORE), np.zeros(targets.size), np.full(targets.size, NO_SCORE)
    for i in prange(targets.size):
        run = known[(ends[i - 1] if i else 0) : ends[i]]
        places = places_of(run, codes)
        for student in range(starts.size - 1):
            if starts[student + 1] == starts[student]:
                continue
            score = stretch(places, run.size, verbs[starts[student] : starts[student + 1]])
            if score > best[i]:
                best[i], size[i] = score, 0
            if score == best[i]:
                size[i] += 1
            if student == targets[i]:
                own[i] = score
    return best, size, own


def codes_of(*verbs: Array) -> int:
    return 1 + max(int(some.max(initial=-1)) for some in verbs)


@njit(cache=True)
def places_of(run: Array, codes: int) -> Array:
    """For every verb a whole number that marks where it stands in the run, six bits for each place."""
    places = np.zeros(codes, np.int64)
    for place in range(run.size):
        places[run[place]] |= LANE << (LANE_BITS * place)
    return places


@njit(cache=True)
def stretch(places: Array, size: int, verbs: Array) -> int:
    """The longest part of a run of at most ten that stands in a row among the verbs.

    One number holds, for each place of the run, how long the common stretch is that ends there: all grow at once.
    """
    best, lengths = 0, 0
    for verb in verbs:
        lengths = ((lengths << LANE_BITS) + ONE_EACH) & places[verb]
        if (lengths + (HALF_A_LANE - 1 - best) * ONE_EACH) & (HALF_A_LANE * ONE_EACH):  # one of them is longer
            best += 1
            if best == size:
                break
    return best
