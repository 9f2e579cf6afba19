"""Histograms of items, lengths, repeats and steps (Vie et al. 2022, §4.2), compared by total variation."""

from collections.abc import Iterator

import numpy as np

from sharewell.contract import Measure, Utility
from sharewell.responses.kind import ITEMS_OFF, LENGTHS_OFF, REPEATS_OFF, STEPS_OFF
from sharewell.responses.log import Log
from sharewell.responses.steps_taken import step_keys
from sharewell.stats.arrays import Array


def of_histograms(original: Log, fake: Log) -> Iterator[Utility]:
    """How far each histogram of the released rows lies from that of the original ones."""
    size = len(fake.items)
    pairs = {
        ITEMS_OFF: (np.bincount(original.item, minlength=size), np.bincount(fake.item, minlength=size)),
        LENGTHS_OFF: _aligned(_length_class(original.lengths), _length_class(fake.lengths)),
        REPEATS_OFF: _aligned(repeats(original), repeats(fake)),
    }
    for measure, (ours, theirs) in pairs.items():
        yield _distance(measure, total_variation(ours, theirs), fake.rows)
    yield _distance(STEPS_OFF, step_error(original, fake), fake.rows)


def _distance(measure: Measure, value: float, n: int) -> Utility:
    story = "Total variation: the share of rows that would have to move to make both histograms equal."
    return Utility(measure=measure, value=value, n=n, baseline=0.0, story=story)


def total_variation(one: Array, other: Array) -> float:
    """Half the absolute difference of two histograms over the same codes: 0 alike, 1 disjoint."""
    return float(np.abs(one / max(one.sum(), 1) - other / max(other.sum(), 1)).sum() / 2)


def step_error(train: Log, fake: Log) -> float:
    """Total variation between the frequencies of steps from item to item."""
    steps, copies = step_keys(train)[0], step_keys(fake)[0]
    known, inverse = np.unique(np.concatenate([steps, copies]), return_inverse=True)
    ours = np.bincount(inverse[: steps.size], minlength=known.size)
    return total_variation(ours, np.bincount(inverse[steps.size :], minlength=known.size))


def repeats(log: Log) -> Array:
    """How many (student, item) pairs occur once, twice, … (Vie et al. 2022, §4.2)."""
    _, times = np.unique(log.student.astype(np.int64) * len(log.items) + log.item, return_counts=True)
    return np.bincount(np.minimum(times, 100))


def _length_class(lengths: Array) -> Array:
    """Lengths counted in classes that grow by a quarter: single lengths of hundreds of rows say nothing."""
    return np.bincount(np.floor(np.log(lengths) / np.log(1.25)).astype(np.int64))


def _aligned(one: Array, other: Array) -> tuple[Array, Array]:
    size = max(one.size, other.size)
    return np.pad(one, (0, size - one.size)), np.pad(other, (0, size - other.size))
