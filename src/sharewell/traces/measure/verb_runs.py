"""Someone saw what a student did, one thing after the other, and remembers no time at all."""

from dataclasses import dataclass

import numpy as np
from numba import njit, prange

from sharewell.traces.arrays import Array
from sharewell.traces.measure.asking import NO_SCORE, Answer, Asking, BestScore, Part
from sharewell.traces.measure.attempts import Attempts
from sharewell.traces.measure.fitting import summed
from sharewell.traces.measure.verb_sequences import Sequences

LENGTH = 10  # verbs in a row
MOST_WORK = 300_000_000  # comparisons over all attempts; a long log is attacked less often
FEWEST_TRIES = 400  # none found of so many is at most one in a hundred, below every limit


@dataclass(frozen=True, kw_only=True)
class Runs(BestScore):
    """The verbs of all attempts, one run after the other: run i is `verbs[ends[i - 1]:ends[i]]`."""

    names: Array
    verbs: Array
    ends: Array

    def asked(self, part: Part) -> Answer:
        assert part.verbs is not None
        return _longest(self.verbs, self.ends, part.verbs.starts, part.verbs.verbs, part.place(self.names))


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
def _longest(known: Array, ends: Array, starts: Array, verbs: Array, targets: Array) -> tuple[Array, Array, Array]:
    best, size, own = np.full(targets.size, NO_SCORE), np.zeros(targets.size), np.full(targets.size, NO_SCORE)
    for i in prange(targets.size):
        run = known[(ends[i - 1] if i else 0) : ends[i]]
        for student in range(starts.size - 1):
            if starts[student + 1] == starts[student]:
                continue
            score = stretch(run, verbs[starts[student] : starts[student + 1]])
            if score > best[i]:
                best[i], size[i] = score, 0
            if score == best[i]:
                size[i] += 1
            if student == targets[i]:
                own[i] = score
    return best, size, own


@njit(cache=True)
def stretch(run: Array, verbs: Array) -> int:
    """The longest part of the run that stands in a row among the verbs."""
    best = 0
    lengths = np.zeros(run.size + 1, np.int64)  # of the common stretch that ends here and at each place of the run
    for verb in verbs:
        for place in range(run.size, 0, -1):
            lengths[place] = lengths[place - 1] + 1 if run[place - 1] == verb else 0
            best = max(best, lengths[place])
        if best == run.size:
            break
    return best
