"""On the same side of everyone, furthest first: what is best against speeds that are those of two classes.

Where a release tells slow typists from fast ones and no more, samples that lie near each other are no better guesses
than any two on the same side; but where some sessions are drawn from the other class the furthest out are the surest of
their side. Two classes with centred speeds a and b make somebody's two samples more likely than two people's by
1 + c·a·b, so the product of the two orders candidates.
"""

import numpy as np

from sharewell.keystrokes.arrays import Array
from sharewell.keystrokes.samples import TypingSample


def scores(train: TypingSample, test: TypingSample, rows: Array) -> Array:
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
