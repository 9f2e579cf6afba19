"""What an attack reaches along a strength: one smooth curve through all that was tried, less uncertain than each point.

A strength leaves a part of what an attack looks for, between all of it and nothing; its value beyond chance falls in
the same way,

    value = a + b · left,   b ≥ 0,

by weighted least squares; how far a may lie from chance without being seen as such is one more observation, where
nothing is left. What a strength leaves is for each kind of it to say; of noise `left_by` does. What is predicted is
judged on other draws: a curve that bends otherwise is refused there, not released.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from sharewell.stats.arrays import Array

LEAST_ERROR = 1e-6


@dataclass(frozen=True, kw_only=True)
class Tried:
    """What an attack reached where a strength left so much to it, and the standard error of that."""

    left: float
    value: float
    error: float


@dataclass(frozen=True, kw_only=True)
class Along:
    """Value and standard error along what is left: coefficients and their covariance."""

    coefficients: Array
    covariance: Array

    def at(self, left: float) -> tuple[float, float]:
        row = np.array([1.0, left])
        return float(row @ self.coefficients), float(np.sqrt(row @ self.covariance @ row))


def left_by(noise: float) -> float:
    """What noise leaves of a small effect.

    An attack looks for what one student moves by against what noise moves: noise of c sampling errors, and the one
    sampling error that invented students bring themselves, leave it 1/√(1 + c²) of what it would have.
    """
    return float(1 / np.sqrt(1 + noise**2))


def fitted(tried: Sequence[Tried], *, chance: float, doubt: float) -> Along:
    """The curve through what was tried; where nothing is left it comes to `chance`, give or take `doubt`."""
    rows = np.array([[1.0, 0.0], *([1.0, one.left] for one in tried)])
    values = np.array([chance, *(one.value for one in tried)])
    errors = np.array([doubt, *(max(one.error, LEAST_ERROR) for one in tried)])
    covariance = np.linalg.inv((rows / errors[:, None] ** 2).T @ rows)
    found = covariance @ (rows.T @ (values / errors**2))
    if found[1] < 0:  # more protection never helps an attacker: what is seen is chance
        flat = 1 / float((1 / errors**2).sum())
        found = np.array([flat * float((values / errors**2).sum()), 0.0])
    return Along(coefficients=found, covariance=covariance)
