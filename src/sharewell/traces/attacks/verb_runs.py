"""Someone saw ten things that a student did, one after the other, and remembers no time at all."""

import numpy as np

from sharewell.traces.arrays import Array
from sharewell.traces.attacks.view import View

LENGTH = 10  # verbs in a row
NONE = -1


def know(view: View, targets: Array, known: int, seed: int) -> tuple[Array] | None:
    """Verbs in a row of each target, one row per attempt, filled up where a student has fewer."""
    if view.known_verbs is None or view.released_verbs is None:
        return None
    starts, verbs = view.known_verbs.starts, view.known_verbs.verbs
    lengths = np.diff(starts)[targets]
    luck = np.random.default_rng(seed).random(len(targets))
    begins = starts[targets] + (luck * np.maximum(1, lengths - LENGTH + 1)).astype(np.int64)
    places = begins[:, None] + np.arange(LENGTH)
    there = places < starts[targets + 1][:, None]
    return (np.where(there, verbs[np.minimum(places, len(verbs) - 1)], NONE),)


def score(view: View, knowledge: tuple[Array]) -> Array:
    """The longest stretch of the run that stands in a row in a candidate's log."""
    assert view.released_verbs is not None
    starts, verbs = view.released_verbs.starts, view.released_verbs.verbs
    scores = [np.maximum.reduceat(_stretches(run, verbs, starts), starts[view.present]) for run in knowledge[0]]
    return np.array(scores)


def _stretches(run: Array, verbs: Array, starts: Array) -> Array:
    """For every event the longest stretch of the run that ends there, within a student's own events."""
    first = np.zeros(len(verbs) + 1, np.bool_)
    first[starts] = True
    ending, longest = np.zeros(len(verbs), np.int8), np.zeros(len(verbs), np.int8)
    for verb in run[run != NONE]:
        before = np.concatenate([ending[:1], ending[:-1]])
        before[first[:-1]] = 0
        ending = (before + np.int8(1)) * (verbs == verb)
        np.maximum(longest, ending, out=longest)
    return longest
