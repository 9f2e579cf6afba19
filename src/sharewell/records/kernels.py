"""The hot loops: which combinations fall into one class, what a class holds, and what a choice of levels costs.

A combination's key is the sum of one random 64-bit tag per column (Zobrist hashing, Zobrist 1970), so that a change of
one column's level touches one tag. Two different combinations share a key with probability 2^-64; every result is
recounted by other code at the end.
"""

from typing import NamedTuple

import numpy as np

from sharewell.records.arrays import Array
from sharewell.stats.compiled import njit

EMPTY = np.int32(-1)
FINE, TOO_FEW, TOO_FAR = 0, 1, 2  # what is wrong with a class: nothing; k or l missed; only t missed


class Secrets(NamedTuple):
    """Sensitive columns, and what every class must hold of them (l ≤ 1 and t < 0: no limit)."""

    codes: Array  # int32 (sensitive columns, combinations)
    values: Array  # how many each column has
    ordered: Array
    l: int  # noqa: E741
    t: float


def scratch(size: int) -> Array:
    """Slots for `classify`."""
    return np.empty(1 << max(4, int(2 * size).bit_length()), np.int32)


@njit(cache=True)
def add_tags(keys: Array, codes: Array, tags: Array, out: Array) -> None:
    """out = keys + the tags of one column at one level (`tags` is indexed by the column's codes)."""
    for i in range(codes.size):
        out[i] = keys[i] + tags[codes[i]]


@njit(cache=True)
def swap_tags(keys: Array, codes: Array, old: Array, new: Array, out: Array) -> None:
    """out = keys with one column moved from one level to another."""
    for i in range(codes.size):
        out[i] = keys[i] - old[codes[i]] + new[codes[i]]


@njit(cache=True)
def classify(keys: Array, ids: Array, slots: Array) -> int:
    """Number the distinct keys from 0 in order of first sight; `slots` is scratch of a power of two > 2·keys."""
    mask = slots.size - 1
    for slot in range(slots.size):
        slots[slot] = EMPTY
    first = np.empty(keys.size, np.uint64)
    classes = 0
    for i in range(keys.size):
        key = keys[i]
        place = np.int64((key * np.uint64(0x9E3779B97F4A7C15)) >> np.uint64(20)) & mask
        while slots[place] != EMPTY and first[slots[place]] != key:
            place = (place + 1) & mask
        if slots[place] == EMPTY:
            slots[place] = classes
            first[classes] = key
            classes += 1
        ids[i] = slots[place]
    return classes


@njit(cache=True)
def total(ids: Array, classes: int, weights: Array) -> Array:
    sums = np.zeros(classes, weights.dtype)
    for i in range(ids.size):
        sums[ids[i]] += weights[i]
    return sums


@njit(cache=True)
def first_of(ids: Array, classes: int) -> Array:
    """The first member of every class."""
    first = np.empty(classes, np.int64)
    for i in range(ids.size - 1, -1, -1):
        first[ids[i]] = i
    return first


@njit(cache=True)
def singled_out(a: Array, b: Array, c: Array, wide_b: int, wide_c: int, cells: int, sizes: Array) -> Array:
    """Which classes are one student whom three columns tell from all others; `cells` is the number of their triples."""
    held = np.zeros(cells, np.int32)
    for i in range(sizes.size):
        held[(a[i] * wide_b + b[i]) * wide_c + c[i]] += min(sizes[i], 2)
    alone = np.empty(sizes.size, np.bool_)
    for i in range(sizes.size):
        alone[i] = held[(a[i] * wide_b + b[i]) * wide_c + c[i]] == 1
    return alone


@njit(cache=True)
def faults(ids: Array, classes: int, counts: Array, k: int, secrets: Secrets) -> Array:
    """What is wrong with each class."""
    wrong = np.zeros(classes, np.uint8)
    sizes, rows = total(ids, classes, counts), 0
    for c in range(classes):
        rows += sizes[c]
        if sizes[c] < k:
            wrong[c] = TOO_FEW
    if secrets.l == 0 and secrets.t < 0:
        return wrong
    for s in range(secrets.codes.shape[0]):
        values = secrets.values[s]
        held, whole = np.zeros((classes, values), np.int64), np.zeros((1, values))
        for i in range(ids.size):
            held[ids[i], secrets.codes[s, i]] += counts[i]
            whole[0, secrets.codes[s, i]] += counts[i]
        for v in range(values):
            whole[0, v] /= rows
        for c in range(classes):
            kinds = 0
            for v in range(values):
                kinds += held[c, v] > 0
            if kinds < secrets.l:
                wrong[c] = TOO_FEW
                continue
            limited = secrets.t >= 0 and wrong[c] == FINE
            if limited and distance(held[c], whole, 0, values, secrets.ordered[s]) > secrets.t + 1e-12:
                wrong[c] = TOO_FAR
    return wrong


@njit(cache=True)
def distance(held: Array, whole: Array, column: int, values: int, ordered: bool) -> float:
    """Earth mover's distance of a class from the whole table (Li, Li and Venkatasubramanian 2007, §4).

    Equal distance: half of Σ|q−p|; ordered: Σ|cumulated (q−p)| / (m−1), values in their order.
    """
    size = 0
    for v in range(values):
        size += held[v]
    far, running = 0.0, 0.0
    for v in range(values):
        gap = held[v] / max(size, 1) - whole[column, v]
        running += gap
        far += abs(running) if ordered else abs(gap)
    return far / (values - 1) if ordered and values > 1 else far / 2


@njit(cache=True)
def suppression(
    ids: Array, wrong: Array, counts: Array, codes: Array, levels: Array,
    costs: Array, starts: Array, widths: Array,
) -> tuple[int, int, float]:  # fmt: skip
    """Rows in failing classes, those among them that miss k or l, and the loss that suppressing adds (in cells)."""
    rows, hard, extra = 0, 0, 0.0
    columns = codes.shape[0]
    for i in range(ids.size):
        if wrong[ids[i]] == FINE:
            continue
        rows += counts[i]
        hard += counts[i] if wrong[ids[i]] == TOO_FEW else 0
        lost = 0.0
        for c in range(columns):
            lost += costs[starts[c] + levels[c] * widths[c] + codes[c, i]]
        extra += counts[i] * (columns - lost)
    return rows, hard, extra


@njit(cache=True)
def unexplained(
    ids: Array, classes: int, wrong: Array, counts: Array, sums: Array, squares: Array,
    prior: float,
) -> float:  # fmt: skip
    """Squared error left when every row's outcome is guessed from the rest of its class, relative to the mean's.

    Leave-one-out with `prior` rows of the overall mean mixed in: with n rows, sum S and square sum Q of the outcome in
    a class, a = prior and overall mean m, the error of row y is (y(n+a) − (S + am)) / (n − 1 + a). Averaged over
    outcomes. Suppressed rows are one class.
    """
    rows = 0
    groups = np.empty(ids.size, np.int32)
    for i in range(ids.size):
        rows += counts[i]
        groups[i] = classes if wrong[ids[i]] != FINE else ids[i]
    sizes = total(groups, classes + 1, counts)
    share = 0.0
    for q in range(sums.shape[0]):
        s, sq = total(groups, classes + 1, sums[q]), total(groups, classes + 1, squares[q])
        sum_of_all, whole = 0.0, 0.0
        for c in range(classes + 1):
            sum_of_all += s[c]
            whole += sq[c]
        mean = sum_of_all / rows
        whole -= rows * mean * mean
        error = 0.0
        for c in range(classes + 1):
            if sizes[c] == 0:
                continue
            n, b = sizes[c] + prior, s[c] + prior * mean
            error += (n * n * sq[c] - 2 * n * b * s[c] + sizes[c] * b * b) / ((n - 1) * (n - 1))
        share += error / whole if whole > 0 else 0.0
    return share / max(1, sums.shape[0])
