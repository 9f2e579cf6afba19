"""Membership by the longest common subsequence with any released student (Vie et al. 2022, §5.3).

The printed score divides by the length of the fake: short fakes saturate it, and even an untouched copy escapes. Over
both lengths, 2·LCS/(a+b), the same attack works.
"""

from dataclasses import dataclass

import numpy as np

from sharewell.responses.log import Log
from sharewell.stats.arrays import Array
from sharewell.stats.compiled import njit, prange

BLOCK = 8_000_000  # pairs compared at a time: 32 MB


@dataclass(frozen=True, kw_only=True)
class Closest:
    """Best matches: of every original with any fake, and of every fake with any member and with anyone else."""

    both: Array  # per original, over both lengths
    printed: Array  # per original, over the fake's length as printed
    to_members: Array  # per fake
    to_others: Array


def closest(original: Log, fake: Log, member: Array, *, with_correct: bool = False) -> Closest:
    """Every original against every fake."""
    from numba import get_num_threads

    ours, theirs = symbols(original, with_correct=with_correct), symbols(fake, with_correct=with_correct)
    known = 1 + int(max(ours.max(), theirs.max()))
    both, printed = np.empty(original.lengths.size), np.empty(original.lengths.size)
    per_fake = np.zeros((2, fake.lengths.size), dtype=np.float32)
    block = max(get_num_threads(), BLOCK // fake.lengths.size)
    for start in range(0, both.size, block):
        part = slice(start, start + block)
        bounds = original.bounds[start : start + block + 1]
        similar, printed[part] = _similarities(ours, bounds, theirs, fake.bounds, known)
        both[part] = similar.max(axis=1)
        _raise(per_fake, similar, member[part])
    return Closest(both=both, printed=printed, to_members=per_fake[0], to_others=per_fake[1])


def symbols(log: Log, *, with_correct: bool) -> Array:
    """The item of every row as an integer from 0; right answers get codes of their own."""
    if not with_correct:
        return log.item
    assert log.correct is not None
    return 2 * log.item + log.correct


def informative(original: Log, share_in: float) -> Array:
    """Students whose cumulative entropy Σ −p ln p exceeds that of the answer sought (§5.3)."""
    frequency = np.bincount(original.item, minlength=len(original.items)) / original.rows
    surprise = -frequency * np.log(np.maximum(frequency, 1e-300))
    per_student = np.add.reduceat(surprise[original.item], original.bounds[:-1])
    found: Array = per_student > -share_in * np.log(share_in)
    return found


@njit(cache=True, parallel=True)
def _similarities(
    ours: Array, our_bounds: Array, theirs: Array, their_bounds: Array, known: int
) -> tuple[Array, Array]:
    """2·LCS/(a+b) of every sequence of ours with every one of theirs, and for each of ours the highest LCS/b."""
    similar = np.empty((our_bounds.size - 1, their_bounds.size - 1), dtype=np.float32)
    printed = np.zeros(our_bounds.size - 1)
    for row in prange(our_bounds.size - 1):
        part = ours[our_bounds[row] : our_bounds[row + 1]]
        rank, masks = _masks(part, known)
        state = np.empty(masks.shape[1], dtype=np.uint64)
        for column in range(similar.shape[1]):
            first, last = their_bounds[column], their_bounds[column + 1]
            if state.size == 1:
                state[0] = _one_word(theirs, first, last, rank, masks)
            else:
                _many_words(theirs, first, last, rank, masks, state)
            common = np.int64(part.size)
            for word in range(state.size):
                common -= _ones(state[word], min(64, part.size - 64 * word))
            similar[row, column] = 2 * common / (part.size + last - first)
            printed[row] = max(printed[row], common / (last - first))
    return similar, printed


@njit(cache=True)
def _raise(per_fake: Array, similar: Array, member: Array) -> None:
    """The highest similarity of every fake to a member (row 0) and to anyone else (row 1), so far."""
    for row in range(similar.shape[0]):
        best = per_fake[0 if member[row] else 1]
        for column in range(best.size):
            best[column] = max(best[column], similar[row, column])


@njit(cache=True)
def _masks(part: Array, known: int) -> tuple[Array, Array]:
    """For every symbol where it stands in a sequence, as bits of 64-bit words; row 0 is for symbols it lacks."""
    rank = np.zeros(known, dtype=np.int32)
    different = 0
    for symbol in part:
        if rank[symbol] == 0:
            different += 1
            rank[symbol] = different
    masks = np.zeros((different + 1, (part.size + 63) // 64), dtype=np.uint64)
    for place in range(part.size):
        masks[rank[part[place]], place >> 6] |= np.uint64(1) << np.uint64(place & 63)
    return rank, masks


@njit(cache=True)
def _one_word(theirs: Array, first: int, last: int, rank: Array, masks: Array) -> np.uint64:
    """Hyyrö (2004): V ← (V + (V & M)) | (V & ~M) for every symbol; the bits that end up zero are the LCS."""
    state = ~np.uint64(0)
    for place in range(first, last):
        mask = masks[rank[theirs[place]], 0]
        state = (state + (state & mask)) | (state & ~mask)
    return state


@njit(cache=True)
def _many_words(theirs: Array, first: int, last: int, rank: Array, masks: Array, state: Array) -> None:
    """The same over several words: the sum carries over from word to word."""
    state[:] = ~np.uint64(0)
    for place in range(first, last):
        row = rank[theirs[place]]
        if row == 0:
            continue
        carry = np.uint64(0)
        for word in range(state.size):
            value, mask = state[word], masks[row, word]
            total = value + (value & mask)
            over = np.uint64(total < value)
            total += carry
            carry = over | np.uint64(total < carry)
            state[word] = total | (value & ~mask)


@njit(cache=True)
def _ones(value: np.uint64, bits: int) -> np.int64:
    """How many of the lowest bits are one (Warren 2012, §5-1)."""
    if bits < 64:
        value &= (np.uint64(1) << np.uint64(bits)) - np.uint64(1)
    value -= (value >> np.uint64(1)) & np.uint64(0x5555555555555555)
    value = (value & np.uint64(0x3333333333333333)) + ((value >> np.uint64(2)) & np.uint64(0x3333333333333333))
    value = (value + (value >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
    return np.int64((value * np.uint64(0x0101010101010101)) >> np.uint64(56))
