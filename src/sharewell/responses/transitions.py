"""Membership by steps: a step that few students took, seen in the release, points at them."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from sharewell.responses.log import Log
from sharewell.responses.markov import is_among, tally

RARE = (1, 2, 3, 5, 10, 20)  # "rare" means: at most so many of the original students took the step


def rare_steps(original: Log, fake: Log) -> Iterator[tuple[dict[str, Any], np.ndarray]]:
    """For every r the students' scores: rare steps that the release contains, beyond what is usual.

    Of the steps that at most r original students took, count those that the release contains, less their number
    times the overall rate. A student without a rare step scores zero: nothing is known.
    """
    step, student, takers = own_steps(original)
    contained = is_among(step, np.unique(step_keys(fake)[0]))
    for most in RARE:
        rare = takers <= most
        if not rare.any():
            continue
        rate = contained[rare].mean()
        size = original.lengths.size
        score = np.bincount(student[rare], weights=contained[rare] - rate, minlength=size)
        yield {"r": most}, score


def step_ratio(original: Log, fake: Log) -> Iterator[tuple[dict[str, Any], np.ndarray]]:
    """Log ratio of released to population step frequencies, over a student's distinct steps: mean and sum."""
    step, student, _ = own_steps(original)
    known, inverse = np.unique(step, return_inverse=True)
    population = _frequency(known, step_keys(original)[0])
    released = _frequency(known, step_keys(fake)[0])
    gain = np.log(released / population)[inverse]
    size = original.lengths.size
    total = np.bincount(student, weights=gain, minlength=size)
    yield {"over": "sum"}, total - gain.mean() * np.bincount(student, minlength=size)
    yield {"over": "mean"}, total / np.maximum(np.bincount(student, minlength=size), 1)


def step_keys(log: Log) -> tuple[np.ndarray, np.ndarray]:
    """Every step from one row to the next of the same student, as one number, and the student."""
    student = log.student
    same = student[1:] == student[:-1]
    keys = log.item[:-1].astype(np.int64) * len(log.items) + log.item[1:]
    return keys[same], student[1:][same].astype(np.int64)


def own_steps(log: Log) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The distinct (step, student) pairs, and how many students took the step."""
    keys, student = step_keys(log)
    size = log.lengths.size
    pairs = np.unique(keys * size + student)
    step = pairs // size
    known, _, takers = tally(keys, student)
    return step, pairs % size, takers[np.searchsorted(known, step)]


def _frequency(known: np.ndarray, steps: np.ndarray) -> np.ndarray:
    """Smoothed relative frequency of the known steps."""
    counts = np.bincount(np.searchsorted(known, steps[is_among(steps, known)]), minlength=known.size)
    return (counts + 0.5) / (steps.size + 0.5 * known.size)
