"""Membership by the longest common subsequence with any released student (Vie et al. 2022, §5.3).

The printed score divides by the length of the fake: short fakes saturate it, and even an untouched copy escapes. Over
both lengths, 2·LCS/(a+b), the same attack works.
"""

from dataclasses import dataclass

import numpy as np
from rapidfuzz.distance import LCSseq
from rapidfuzz.process import cdist

from sharewell.responses.log import Log

BLOCK = 8_000_000  # pairs compared at a time: 32 MB


@dataclass(frozen=True, kw_only=True)
class Closest:
    """Best matches: of every original with any fake, and of every fake with any member and with anyone else."""

    both: np.ndarray  # per original, over both lengths
    printed: np.ndarray  # per original, over the fake's length as printed
    to_members: np.ndarray  # per fake
    to_others: np.ndarray


def closest(original: Log, fake: Log, member: np.ndarray, *, with_correct: bool = False) -> Closest:
    """Every original against every fake."""
    ours, theirs = sequences(original, with_correct=with_correct), sequences(fake, with_correct=with_correct)
    lengths = fake.lengths.astype(np.float32)
    both, printed = np.empty(len(ours)), np.empty(len(ours))
    per_fake = np.zeros((2, len(theirs)), dtype=np.float32)
    block = max(1, BLOCK // max(1, len(theirs)))
    for start in range(0, len(ours), block):
        part = slice(start, start + block)
        common = cdist(ours[part], theirs, scorer=LCSseq.similarity, dtype=np.int32, workers=-1)
        own = original.lengths[part, None].astype(np.float32)
        printed[part] = (common / lengths).max(axis=1)
        similar = 2 * common / (own + lengths)
        both[part] = similar.max(axis=1)
        for row, who in enumerate((member[part], ~member[part])):
            per_fake[row] = np.maximum(per_fake[row], similar[who].max(axis=0, initial=0))
    return Closest(both=both, printed=printed, to_members=per_fake[0], to_others=per_fake[1])


def sequences(log: Log, *, with_correct: bool) -> list[list[int]]:
    """Each student's items as integers from 0 (rapidfuzz hashes them); right answers get codes of their own."""
    codes = log.item.astype(np.int64)
    if with_correct:
        assert log.correct is not None
        codes = 2 * codes + log.correct
    return [part.tolist() for part in np.split(codes, log.bounds[1:-1])]


def informative(original: Log, share_in: float) -> np.ndarray:
    """Students whose cumulative entropy Σ −p ln p exceeds that of the answer sought (§5.3)."""
    frequency = np.bincount(original.item, minlength=len(original.items)) / original.rows
    surprise = -frequency * np.log(np.maximum(frequency, 1e-300))
    per_student = np.add.reduceat(surprise[original.item], original.bounds[:-1])
    return per_student > -share_in * np.log(share_in)
