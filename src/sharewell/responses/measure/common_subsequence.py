"""Membership by the longest common subsequence with any released student (Vie et al. 2022, §5.3).

The printed score divides by the length of the fake: short fakes saturate it, and even an untouched copy escapes. Over
both lengths, 2·LCS/(a+b), the same attack works.
"""

from dataclasses import dataclass

import numpy as np

from sharewell.responses.log import Log
from sharewell.stats.arrays import Array

BLOCK = 4_000_000  # pairs compared at a time: 16 MB of numbers, twice


@dataclass(frozen=True, kw_only=True)
class Closest:
    """Best matches: of every original with any fake, and of every fake with any member and with anyone else."""

    both: Array  # per original, over both lengths
    printed: Array  # per original, over the fake's length as printed
    to_members: Array  # per fake
    to_others: Array


def closest(original: Log, fake: Log, member: Array, *, with_correct: bool = False) -> Closest:
    """Compare every original with every fake, bit-parallel (Hyyrö 2004)."""
    from rapidfuzz.distance import LCSseq
    from rapidfuzz.process import cdist

    ours, theirs = _sequences(original, with_correct), _sequences(fake, with_correct)
    both, printed = np.empty(len(ours)), np.empty(len(ours))
    per_fake = np.zeros((2, len(theirs)), dtype=np.float32)
    block = max(1, BLOCK // len(theirs))
    for start in range(0, len(ours), block):
        part = slice(start, start + block)
        common = cdist(ours[part], theirs, scorer=LCSseq.similarity, dtype=np.int32, workers=1)
        similar = (2 * common / (original.lengths[part, None] + fake.lengths)).astype(np.float32)
        both[part], printed[part] = similar.max(axis=1), (common / fake.lengths).max(axis=1)
        for side, chosen in enumerate((member[part], ~member[part])):
            per_fake[side] = np.maximum(per_fake[side], similar[chosen].max(axis=0, initial=0.0))
    return Closest(both=both, printed=printed, to_members=per_fake[0], to_others=per_fake[1])


def _sequences(log: Log, with_correct: bool) -> list[list[int]]:
    """The items of every student; right answers get codes of their own where asked."""
    code: Array = log.item
    if with_correct:
        assert log.correct is not None
        code = 2 * log.item + log.correct
    return [part.tolist() for part in np.split(code, log.bounds[1:-1])]


def informative(original: Log, share_in: float) -> Array:
    """Select students whose cumulative entropy Σ −p ln p exceeds that of the answer sought (§5.3)."""
    frequency = np.bincount(original.item, minlength=len(original.items)) / original.rows
    surprise = -frequency * np.log(np.maximum(frequency, 1e-300))
    per_student = np.add.reduceat(surprise[original.item], original.bounds[:-1])
    found: Array = per_student > -share_in * np.log(share_in)
    return found
