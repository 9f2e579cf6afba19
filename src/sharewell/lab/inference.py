"""Inference: what a release shows of a student through those who look alike, beyond what it shows of similar people.

A plain attacker finds the class of released rows that a student is in and reads a value off it. The same attacker reads
it with that class out of the release: off the classes that come nearest, or off all others. Only the difference is due
to the student's own data being there (Giomi et al. 2023, anonymeter's control).
"""

from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from sharewell.contract import Measure, Risk

Array: TypeAlias = NDArray[Any]
INFERENCE = Measure(id="inference", title="Values read off those who look alike, beyond what others show")
NEAREST = 5  # other classes that are read where the own one is out
MOST = 2_000  # students who are attacked
SURE = 1.96  # standard errors to either end of the interval
UNDECIDED = 1e-6  # classes that say nothing are read as everybody is


@dataclass(frozen=True, kw_only=True)
class Reading:
    """How often a value is read with a student's own class in a release, and without."""

    inside: float
    outside: float
    error: float  # of the difference, with a class as one observation
    n: int

    @property
    def gain(self) -> float:
        return self.inside - self.outside

    @property
    def low(self) -> float:
        return self.gain - SURE * self.error

    @property
    def high(self) -> float:
        return self.gain + SURE * self.error


def read(classes: Array, known: Array, shown: Array, truth: Array, *, seed: int) -> Reading:
    """Attack every student, or some of very many.

    Args:
        classes: The class of identical released rows that each student is in, numbered from 0.
        known: What the attacker knows of each student: one row of numbers per student.
        shown: What the release says of each class: one row per class, the score of each value; NaN where nothing.
        truth: The value that each student has, as a column of `shown`.
        seed: Draws the students, where there are very many.
    """
    sizes = np.bincount(classes, minlength=len(shown)).astype(float)
    said = np.isfinite(shown).all(axis=1) & (sizes > 0)
    shown = np.where(said[:, None], shown, 0.0)
    weights = sizes * said
    known = _scaled(known)
    centres = np.zeros((len(shown), known.shape[1]))
    np.add.at(centres, classes, known)
    centres /= np.maximum(sizes, 1)[:, None]
    some = np.arange(len(classes))
    if len(some) > MOST:
        some = np.sort(np.random.default_rng(seed).choice(some, MOST, replace=False))
    total = weights @ shown
    own, wanted = classes[some], truth[some]
    others = total - weights[own, None] * shown[own]
    usual = others / np.maximum(others.sum(axis=1, keepdims=True), 1) if (shown >= 0).all() else others
    near = np.stack([_nearest(known[student], classes[student], centres, weights) @ shown for student in some])
    everyone = UNDECIDED * usual
    inside = np.argmax(shown[own] + everyone, axis=1) == wanted
    guesses = (near + everyone, usual)
    outside = max((np.argmax(guess, axis=1) == wanted for guess in guesses), key=np.mean)
    gain = inside.astype(float) - outside
    apart = np.bincount(own, weights=gain - gain.mean(), minlength=len(shown))
    groups = max(2, np.count_nonzero(np.bincount(own)))
    error = np.sqrt((apart**2).sum() * groups / (groups - 1)) / len(some)
    return Reading(inside=float(inside.mean()), outside=float(outside.mean()), error=float(error), n=len(some))


def _scaled(known: Array) -> Array:
    spread = known.std(axis=0)
    return np.asarray((known - known.mean(axis=0)) / np.where(spread > 0, spread, 1.0))


def _nearest(one: Array, own: int, centres: Array, weights: Array) -> Array:
    """The weights of the classes that come nearest to a student, without their own."""
    away = ((centres - one) ** 2).sum(axis=1)
    away[own] = np.inf
    away[weights == 0] = np.inf
    near = np.argsort(away, kind="stable")[:NEAREST]
    near = near[np.isfinite(away[near])]
    found = np.zeros(len(weights))
    found[near] = weights[near] / max(1.0, weights[near].sum())
    return found


def as_risk(found: Reading, column: str, *, limit: float | None, seed: int) -> Risk:
    """State the gain as a risk with a limit on its unfavourable end."""
    return Risk(
        measure=INFERENCE, attacker=f"reads {column}", value=found.gain, low=found.low, high=found.high, n=found.n,
        seed=seed, gate=None if limit is None else "inference", limit=limit, bound="high",
        setting={"column": column, "right": round(found.inside, 3), "without own group": round(found.outside, 3)},
        story=f"Who knows everything that a student did finds those who look alike in the release and reads "
        f"{column} off them; the difference to the same guess with these rows left out.",
    )  # fmt: skip


def halves(values: Array) -> float:
    """The number between two values that halves a column best: what is above it is read as one value."""
    distinct, counts = np.unique(values, return_counts=True)
    if len(distinct) < 2:
        return float(distinct[0]) if len(distinct) else 0.0
    below = np.cumsum(counts)[:-1]
    place = int(np.argmin(np.abs(2 * below - len(values))))
    return float(distinct[place] + distinct[place + 1]) / 2
