"""Typing profiles as in the thesis (Leinonen 2016, §4.1–4.2): the mean latency of the commonest digraphs.

In this order: a digraph that a student typed too rarely is filled with the student's own mean latency, averages are
coarsened, columns are scaled to 0…1. The student's mean itself is a fill value and no feature (§4.4.2).
"""

from dataclasses import dataclass
from typing import Literal

import numpy as np

from sharewell.keystrokes.arrays import Array
from sharewell.keystrokes.samples import TypingSample

DIGRAPHS, OCCURRENCES = 25, 5
Centre = Literal["mean", "median"]


@dataclass(frozen=True, kw_only=True)
class Profiles:
    """Average latencies in ms of two samples over the same digraphs, not coarsened or scaled yet."""

    digraphs: Array
    train: Array
    test: Array


def build(
    train: TypingSample,
    test: TypingSample,
    *,
    digraphs: int = DIGRAPHS,
    occurrences: int = OCCURRENCES,
    centre: Centre = "mean",
) -> Profiles:
    """Profiles of both samples over the digraphs that are commonest in both."""
    chosen = commonest([train, test], digraphs)
    return Profiles(
        digraphs=chosen,
        train=matrix(train, chosen, occurrences=occurrences, centre=centre),
        test=matrix(test, chosen, occurrences=occurrences, centre=centre),
    )


def commonest(samples: list[TypingSample], digraphs: int, kind: str = "latency") -> Array:
    """The digraphs (or held keys) with the largest median count per student over all samples, by name where equal
    (§4.4.2)."""
    names = np.unique(np.concatenate([one.features[np.char.startswith(one.features, f"{kind} ")] for one in samples]))
    counts = np.vstack([sample.spread_out(sample.count, names) for sample in samples])
    order = np.lexsort((names, -counts.mean(axis=0), -np.median(counts, axis=0)))
    return np.sort(names[order[:digraphs]])


def matrix(
    sample: TypingSample, digraphs: Array, *, occurrences: int, centre: Centre = "mean", kind: str = "latency"
) -> Array:
    """Students × digraphs in ms; what was typed fewer than `occurrences` times takes the student's mean."""
    counts = sample.spread_out(sample.count, digraphs)
    values = sample.spread_out(getattr(sample, centre), digraphs)
    return np.where(counts >= occurrences, values, mean_time(sample, kind)[:, None])


def mean_time(sample: TypingSample, kind: str = "latency") -> Array:
    """Every student's mean latency over all digraphs (or hold); a student without any takes the mean of the others."""
    rows = np.char.startswith(sample.features, f"{kind} ")[sample.feature]
    size = len(sample.students)
    total = np.bincount(sample.student[rows], sample.count[rows] * sample.mean[rows], size)
    count = np.bincount(sample.student[rows], sample.count[rows], size)
    overall = total.sum() / max(count.sum(), 1.0)
    return np.where(count > 0, total / np.maximum(count, 1.0), overall)


def scaled(train: Array, test: Array) -> tuple[Array, Array]:
    """Equation 1: every column to 0…1 over both samples; a column that became constant counts zero."""
    both = np.vstack([train, test])
    low, span = both.min(axis=0), np.ptp(both, axis=0)
    span = np.where(span > 0, span, np.inf)
    return (train - low) / span, (test - low) / span
