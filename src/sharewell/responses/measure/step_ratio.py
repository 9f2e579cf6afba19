"""Membership by step frequencies: steps that are commoner in the release than in the population."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from sharewell.responses.log import Log
from sharewell.responses.steps_taken import is_among, own_steps, step_keys
from sharewell.stats.arrays import Array


def step_ratio(original: Log, fake: Log) -> Iterator[tuple[dict[str, Any], Array]]:
    """Log ratio of released to population step frequencies, over a student's distinct steps: mean and sum."""
    step, student, _ = own_steps(original)
    known, inverse = np.unique(step, return_inverse=True)
    population = _frequency(known, step_keys(original)[0])
    released = _frequency(known, step_keys(fake)[0])
    gain = np.log(released / population)[inverse]
    size = original.lengths.size
    total = np.bincount(student, weights=gain, minlength=size)
    usual = gain.sum() / max(gain.size, 1)  # none where nobody took a step
    yield {"over": "sum"}, total - usual * np.bincount(student, minlength=size)
    yield {"over": "mean"}, total / np.maximum(np.bincount(student, minlength=size), 1)


def _frequency(known: Array, steps: Array) -> Array:
    """Smoothed relative frequency of the known steps."""
    counts = np.bincount(np.searchsorted(known, steps[is_among(steps, known)]), minlength=known.size)
    return (counts + 0.5) / (steps.size + 0.5 * known.size)
