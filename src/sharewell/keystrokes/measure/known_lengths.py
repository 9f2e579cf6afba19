"""Someone knows how long each of a student's sessions took, and looks for the same lengths."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from sharewell.contract import Risk
from sharewell.keystrokes.arrays import Array, Typing, session_lengths, session_starts
from sharewell.keystrokes.kind import found_by_lengths
from sharewell.keystrokes.measure import ranking
from sharewell.keystrokes.measure.identification import Settings, as_risk
from sharewell.keystrokes.measure.measuring import most_sought
from sharewell.keystrokes.measure.shared_times import mean_gap


def known_lengths(original: Typing, released: Typing, target: Array, *, within: Sequence[int], seed: int) -> list[Risk]:
    """Told beside the limit, not held to it: how many keys a session has is released, and its length follows that.

    `target` says of every session whether it is one of those that the attacker knows.
    """
    known, seen = (_log_lengths(typing, target) for typing in (original, released))
    own = np.arange(len(known))
    if len(own) > most_sought(len(known)):
        own = np.sort(np.random.default_rng(seed).choice(own, most_sought(len(known)), replace=False))
    counts = ranking.of_scores(-mean_gap(known, seen[own]), own)
    risks = [(k, as_risk(counts, k, "lengths", len(known), Settings(seed=seed))) for k in within]
    story = "Someone knows from elsewhere how long each of a student's sessions took, and looks for the same lengths."
    return [replace(one, measure=found_by_lengths(k), story=story) for k, one in risks]


def _log_lengths(typing: Typing, target: Array) -> Array:
    """Students × target sessions, in the order of the sessions' original names."""
    starts = session_starts(typing.session)
    lengths, owner = session_lengths(starts, typing.latency)[target], typing.student[starts[:-1]][target]
    place = np.arange(len(owner)) - np.searchsorted(owner, owner)
    result = np.full((int(typing.student.max()) + 1, int(place.max(initial=0)) + 1), np.nan)
    result[owner, place] = np.log(np.maximum(lengths, 1.0))
    return result
