"""Sessions that make up for each other: what two samples come to together, as it does for other typists.

A protection that sets everybody's mean time leaves no trace of a person in any one sample, but whoever holds one of
them knows what the other must come to. The attacker takes the mean time between keys of two samples put together and
asks how near that lies to the same number of other typists, whose samples belong together.
"""

import numpy as np

from sharewell.keystrokes.arrays import Array
from sharewell.keystrokes.measure.other_typists import lessons
from sharewell.keystrokes.samples import TypingSample, matched

NEIGHBOURS = 3  # other typists whose number must be as near


def scores(train: TypingSample, test: TypingSample, rows: Array, seed: int = 0) -> Array:
    both, own = matched(train, test)
    near, far = _totals(train), _totals(test)
    usual = _together(far[both], near[own])
    result = np.zeros((len(rows), len(near)))
    for lesson in lessons(own[np.searchsorted(both, rows)], len(near), seed):
        others = np.sort(usual[lesson.teaches[own]])
        if len(others) > NEIGHBOURS:
            for sought, known in lesson.blocks:
                come_to = _together(far[rows[sought]][:, None], near[known][None, :])
                result[np.ix_(sought, known)] = -_distance(come_to, others)
    return result


def _totals(sample: TypingSample) -> Array:
    """Sum and number of the times between keys of every student."""
    between = np.char.startswith(sample.features.astype(str), "latency ")[sample.feature]
    student, count = sample.student[between], sample.count[between]
    people = len(sample.students)
    total = np.bincount(student, count * sample.mean[between], people)
    return np.stack([total, np.bincount(student, count, people)], axis=-1)


def _together(one: Array, other: Array) -> Array:
    both = one + other
    return np.asarray(both[..., 0] / np.maximum(both[..., 1], 1))


def _distance(value: Array, others: Array) -> Array:
    """Distance to the last of the nearest others: they follow each other."""
    edged = np.concatenate([np.full(NEIGHBOURS, -np.inf), others, np.full(NEIGHBOURS, np.inf)])
    place = np.searchsorted(others, value)
    windows = [
        np.maximum(value - edged[place + first], edged[place + first + NEIGHBOURS - 1] - value)
        for first in range(NEIGHBOURS + 1)
    ]
    return np.asarray(np.minimum.reduce(windows))
