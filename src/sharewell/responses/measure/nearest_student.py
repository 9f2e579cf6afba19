"""Membership by the nearest released student: profiles of items and of steps, against a held-out control.

A student may have a near double among the fakes because the student is ordinary. Compared with the nearest *other*
original student the distance means more (the idea of calibrating by difficulty: Watson et al. 2022).
"""

from collections.abc import Iterator
from typing import Any

import numpy as np
from scipy.sparse import csr_matrix

from sharewell.responses.log import Log
from sharewell.responses.steps_taken import step_keys
from sharewell.stats.arrays import Array

BLOCK = 1_000  # students compared at a time


def nearest(original: Log, fake: Log) -> Iterator[tuple[dict[str, Any], Array]]:
    """Similarity to the nearest fake, plain and less the similarity to the nearest other original."""
    for profile, ours, theirs in (("items", *_items(original, fake)), ("steps", *_steps(original, fake))):
        to_fake = _best(ours, theirs, own=False)
        yield {"profile": profile, "calibrated": False}, to_fake
        yield {"profile": profile, "calibrated": True}, to_fake - _best(ours, ours, own=True)


def _items(original: Log, fake: Log) -> tuple[csr_matrix, csr_matrix]:
    size = len(original.items)
    return tuple(_profile(log.student, log.item, log.lengths.size, size) for log in (original, fake))


def _steps(original: Log, fake: Log) -> tuple[csr_matrix, csr_matrix]:
    (ours, who), (theirs, whose) = step_keys(original), step_keys(fake)
    known, codes = np.unique(np.concatenate([ours, theirs]), return_inverse=True)
    return (
        _profile(who, codes[: ours.size], original.lengths.size, known.size),
        _profile(whose, codes[ours.size :], fake.lengths.size, known.size),
    )


def _profile(student: Array, code: Array, students: int, codes: int) -> csr_matrix:
    """Take square roots of counts, rows of unit length: a dot product is a cosine."""
    counts = csr_matrix((np.ones(code.size, dtype=np.float32), (student, code)), shape=(students, codes))
    counts.sum_duplicates()
    counts.data = np.sqrt(counts.data)
    length = np.sqrt(np.asarray(counts.multiply(counts).sum(axis=1))).ravel()
    counts.data /= np.repeat(np.maximum(length, 1e-12), np.diff(counts.indptr))
    return counts


def _best(ours: csr_matrix, theirs: csr_matrix, *, own: bool) -> Array:
    """The largest cosine with any row of `theirs`; a student is not compared with themself."""
    best = np.empty(ours.shape[0])
    other = theirs.T.tocsr()
    for start in range(0, ours.shape[0], BLOCK):
        part = (ours[start : start + BLOCK] @ other).toarray()
        if own:
            part[np.arange(part.shape[0]), start + np.arange(part.shape[0])] = -1
        best[start : start + BLOCK] = part.max(axis=1)
    return best
