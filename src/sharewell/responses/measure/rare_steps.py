"""Membership by steps: a step that few students took, seen in the release, points at them."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from sharewell.responses.log import Log
from sharewell.responses.steps_taken import is_among, own_steps, step_keys
from sharewell.stats.arrays import Array

RARE = (1, 2, 3, 5, 10, 20)  # "rare" means: at most so many of the original students took the step


def rare_steps(original: Log, fake: Log) -> Iterator[tuple[dict[str, Any], Array]]:
    """For every r the students' scores: rare steps that the release contains, beyond what is usual.

    Of the steps that at most r original students took, count those that the release contains, less their number
    times the overall rate. A student without a rare step scores zero: nothing is known. Where no step is rare that
    holds for everyone: the attack is made, and finds nobody.
    """
    step, student, takers = own_steps(original)
    contained = is_among(step, np.unique(step_keys(fake)[0]))
    size = original.lengths.size
    for most in RARE:
        rare = takers <= most
        rate = contained[rare].mean() if rare.any() else 0.0
        yield {"r": most}, np.bincount(student[rare], weights=contained[rare] - rate, minlength=size)
