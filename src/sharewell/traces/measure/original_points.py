"""Someone who knows points of the original log and matches them to the release as well as possible."""

import numpy as np

from sharewell.contract import Measure
from sharewell.traces.kind import UNICITY, WITH_ORIGINAL_POINTS
from sharewell.traces.log import Log
from sharewell.traces.measure.attackers import Attacker, draw
from sharewell.traces.measure.candidates import best_match
from sharewell.traces.measure.known_points import Alone, attempts, singled_out


def with_original_points(
    original: Log, released: Log, who: Attacker, *, known: int, repeats: int, seed: int, sample: int | None = None
) -> Alone:
    """Draw points of the original, match them to the release as well as possible (students and points numbered alike).

    Only students who are in the release can be found there; the share is taken of them.
    """
    present = np.flatnonzero(released.lengths)
    hits, tries = np.zeros((1, original.students), np.int64), np.zeros(original.students, np.int64)
    for targets, numbers in attempts(present, repeats=repeats, sample=sample, seed=seed):
        drawn = draw(original, who, targets, known, seed=seed, repeats=numbers)
        found = best_match(released.shared, released.holders, targets, drawn)
        tries += np.bincount(targets, minlength=original.students)
        hits[0] += np.bincount(targets[found], minlength=original.students)
    return Alone(known=(known,), hits=hits, tries=tries)


def attacks(
    original: Log, released: Log, who: Attacker, known: int, *, repeats: int, seed: int, sample: int | None = None
) -> dict[Measure, Alone]:
    """What one attacker achieves on the release alone, and with original points.

    Someone who knows the worst points would know released ones: there the first figure says all.
    """
    alone = singled_out(released, who, known=[known], repeats=repeats, seed=seed, sample=sample)
    if who.name == "worst":
        return {UNICITY: alone}
    matched = with_original_points(original, released, who, known=known, repeats=repeats, seed=seed, sample=sample)
    return {UNICITY: alone, WITH_ORIGINAL_POINTS: matched}
