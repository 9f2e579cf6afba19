"""How fast, how steadily: pauses, lengths of sessions, and the side of the mean speed. Larger scores are more alike."""

import numpy as np

from sharewell.keystrokes.arrays import Array
from sharewell.keystrokes.samples import TypingSample

PAUSES = "pause any"
LENGTHS = "length any"


def pauses(train: TypingSample, test: TypingSample, rows: Array) -> Array:
    """Less the distance in rate (square root, which evens the spread of counts) and in mean log length."""
    near, far = _habits(train), _habits(test)[rows]
    both = np.vstack([near, far])
    spread = np.where(both.std(axis=0) > 0, both.std(axis=0), np.inf)
    return np.asarray(-np.sqrt((((far[:, None, :] - near[None, :, :]) / spread) ** 2).sum(axis=2)))


def _habits(sample: TypingSample) -> Array:
    pauses = sample.spread_out(sample.count, np.array([PAUSES]))[:, 0]
    length = sample.spread_out(sample.log_mean, np.array([PAUSES]), np.nan)[:, 0]
    typed = np.char.startswith(sample.features, "latency ")[sample.feature]
    keys = np.bincount(sample.student[typed], sample.count[typed], len(sample.students))
    typical = np.nanmean(length) if (~np.isnan(length)).any() else 0.0
    return np.stack([np.sqrt(pauses / np.maximum(keys, 1)), np.where(np.isnan(length), typical, length)], axis=1)


def lengths(train: TypingSample, test: TypingSample, rows: Array) -> Array:
    """Less the distance of two people's mean log pace, each relative to its sample; who has none is like the mean."""
    near, far = (_pace(sample) for sample in (train, test))
    return np.asarray(-np.abs(far[rows][:, None] - near[None, :]))


def _pace(sample: TypingSample) -> Array:
    pace = sample.spread_out(sample.log_mean, np.array([LENGTHS]), np.nan)[:, 0]
    return np.nan_to_num(pace - np.nanmean(pace)) if (~np.isnan(pace)).any() else np.zeros(len(pace))


def same_side(train: TypingSample, test: TypingSample, rows: Array) -> Array:
    """Multiply centred speeds: on the same side of everyone, furthest first.

    Where a release shows slow typists apart from fast ones and no more, samples near each other are no better guesses
    than any two on the same side; but where some sessions are of a class drawn by lot the furthest out are the surest
    of theirs. Two classes with centred speeds a and b make two samples of one person likelier than two people's by
    1 + c·a·b.
    """
    near, far = (_centred_speed(sample) for sample in (train, test))
    return np.asarray(far[rows][:, None] * near[None, :])


def _centred_speed(sample: TypingSample) -> Array:
    """The logarithm of each student's mean time between keys, less its mean; who has none is like the mean."""
    between = np.char.startswith(sample.features.astype(str), "latency ")[sample.feature]
    student, count, people = sample.student[between], sample.count[between], len(sample.students)
    number = np.bincount(student, count, people)
    total = np.bincount(student, count * sample.mean[between], people)
    typed = number > 0
    if not typed.any():
        return np.zeros(people)
    logs = np.log(np.where(typed, total, 1.0) / np.maximum(number, 1))
    return np.where(typed, logs - logs[typed].mean(), 0.0)
