"""Someone saw what a student did, one thing after the other, and remembers no time at all."""

import numpy as np
from numba import njit, prange

from sharewell.traces.arrays import Array
from sharewell.traces.measure.attempts import Attempts
from sharewell.traces.measure.fitting import summed
from sharewell.traces.measure.found import Found
from sharewell.traces.measure.verb_sequences import Sequences

LENGTH = 10  # verbs in a row
MOST_WORK = 300_000_000  # comparisons over all attempts; a long log is attacked less often
FEWEST_TRIES = 400  # none found of so many is at most one in a hundred, below every limit


def verb_runs(verbs: Sequences, attempts: Attempts) -> Found:
    """Ten verbs in a row: whoever's log holds the longest stretch of them is a candidate."""
    targets, _ = attempts.of(verbs.present)
    most = max(FEWEST_TRIES, MOST_WORK // max(1, LENGTH * len(verbs.released.verbs)))
    generator = np.random.default_rng(attempts.seed)
    if len(targets) > most:
        targets = generator.permutation(targets)[:most]
    lengths = np.diff(verbs.known.starts)[targets]
    offsets = generator.random(len(targets)) * np.maximum(1, lengths - LENGTH + 1)
    begins = verbs.known.starts[targets] + offsets.astype(np.int64)
    size, within = _longest(
        verbs.known.verbs, begins, np.minimum(lengths, LENGTH), verbs.released.starts, verbs.released.verbs, targets
    )
    return summed(len(verbs.released.starts) - 1, targets, size, within)


@njit(parallel=True, cache=True)
def _longest(
    known: Array, begins: Array, lengths: Array, starts: Array, verbs: Array, targets: Array
) -> tuple[Array, Array]:
    size, within = np.zeros(targets.size, np.int64), np.zeros(targets.size, np.bool_)
    for i in prange(targets.size):
        run = known[begins[i] : begins[i] + lengths[i]]
        best = 0
        for student in range(starts.size - 1):
            if starts[student + 1] == starts[student]:
                continue
            score = stretch(run, verbs[starts[student] : starts[student + 1]])
            if score > best:
                best, size[i], within[i] = score, 0, False
            if score == best:
                size[i] += 1
                within[i] = within[i] or student == targets[i]
    return size, within


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
