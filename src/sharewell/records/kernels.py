"""The hot loops of full-domain search: which combinations fall into one class, and what a choice of levels costs.

A combination's key is the sum of one random 64-bit tag per column (Zobrist hashing, Zobrist 1970), so that a change of
one column's level touches one tag. Two different combinations share a key with probability 2^-64; every result is
recounted by other code at the end. `Space` says in plain numpy which classes fail; the tests hold both to each other.
"""

from typing import NamedTuple

import numpy as np

from sharewell.records.arrays import Array
from sharewell.stats.compiled import njit

EMPTY = np.int32(-1)
FINE, TOO_FEW, TOO_FAR = 0, 1, 2  # what is wrong with a class: nothing; k or l missed; only t missed
PRIOR = 1.0  # rows of the overall mean mixed into every class's guess of the outcome


class Secrets(NamedTuple):
    """Sensitive columns, and what every class must contain of them (l ≤ 1 and t < 0: no limit)."""

    codes: Array  # int32 (sensitive columns, combinations)
    values: Array  # how many each column has
    ordered: Array
    whole: Array  # the share of every value in the whole table: (sensitive columns, values)
    l: int  # noqa: E741
    t: float


class Ground(NamedTuple):
    """The arrays of a `Space`, and the limits on a class."""

    codes: Array
    counts: Array
    starts: Array
    widths: Array
    costs: Array
    sums: Array
    squares: Array
    slots: Array
    secrets: Secrets
    k: int


def scratch(size: int) -> Array:
    """Slots for `classify`."""
    return np.empty(1 << max(4, int(2 * size).bit_length()), np.int32)


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
def distance(counts: Array, whole: Array, values: int, ordered: bool) -> float:
    """Earth mover's distance of a class from the whole table (Li, Li and Venkatasubramanian 2007, §4).

    Equal distance: half of Σ|q−p|; ordered: Σ|cumulated (q−p)| / (m−1), values in their order.
    """
    size = 0
    for v in range(values):
        size += counts[v]
    far, running = 0.0, 0.0
    for v in range(values):
        gap = counts[v] / max(size, 1) - whole[v]
        running += gap
        far += abs(running) if ordered else abs(gap)
    return far / (values - 1) if ordered and values > 1 else far / 2


@njit(cache=True)
def assess_node(keys: Array, node: Array, ground: Ground, guided: bool) -> tuple[int, int, float, float]:
    """Suppress the classes of a node that fail: rows, those that miss k or l, what it costs, what is unexplained.

    The cost is the loss that suppressing adds, in cells; see `unexplained` for the last.
    """
    ids, counts, secrets = np.empty(keys.size, np.int32), ground.counts, ground.secrets
    classes = classify(keys, ids, ground.slots)
    sizes, wrong = np.zeros(classes, np.int64), np.zeros(classes, np.int64)
    for i in range(ids.size):
        sizes[ids[i]] += counts[i]
    for c in range(classes):
        if sizes[c] < ground.k:
            wrong[c] = TOO_FEW
    for s in range(secrets.codes.shape[0] if secrets.l > 1 or secrets.t >= 0 else 0):
        values = secrets.values[s]
        inside = np.zeros(classes * values, np.int64)
        for i in range(ids.size):
            inside[ids[i] * values + secrets.codes[s, i]] += counts[i]
        for c in range(classes):
            own, kinds = inside[c * values : (c + 1) * values], 0
            for v in range(values):
                kinds += own[v] > 0
            far = distance(own, secrets.whole[s], values, secrets.ordered[s])
            if kinds < secrets.l:
                wrong[c] = TOO_FEW
            elif secrets.t >= 0 and wrong[c] == FINE and far > secrets.t + 1e-12:
                wrong[c] = TOO_FAR
    rows, hard, extra = 0, 0, 0.0
    for i in range(ids.size):
        if wrong[ids[i]] == FINE:
            continue
        rows += counts[i]
        hard += counts[i] if wrong[ids[i]] == TOO_FEW else 0
        lost = 0.0
        for c in range(node.size):
            lost += ground.costs[ground.starts[c] + node[c] * ground.widths[c] + ground.codes[c, i]]
        extra += counts[i] * (node.size - lost)
        ids[i] = classes  # suppressed rows are one class
    left = unexplained(ids, classes + 1, counts, ground.sums, ground.squares) if guided else 0.0
    return rows, hard, extra, left


@njit(cache=True)
def unexplained(ids: Array, classes: int, counts: Array, sums: Array, squares: Array) -> float:
    """Squared error left when every row's outcome is guessed from the rest of its class, relative to the mean's.

    Leave-one-out with `PRIOR` rows of the overall mean mixed in: with n rows, sum S and square sum Q of the outcome in
    a class, a = prior and overall mean m, the error of row y is (y(n+a) − (S + am)) / (n − 1 + a). Averaged over
    outcomes.
    """
    sizes, s, sq, rows, share = np.zeros(classes), np.zeros(classes), np.zeros(classes), 0, 0.0
    for i in range(ids.size):
        sizes[ids[i]] += counts[i]
        rows += counts[i]
    for q in range(sums.shape[0]):
        for c in range(classes):
            s[c], sq[c] = 0.0, 0.0
        for i in range(ids.size):
            s[ids[i]] += sums[q, i]
            sq[ids[i]] += squares[q, i]
        sum_of_all, whole, error = 0.0, 0.0, 0.0
        for c in range(classes):
            sum_of_all += s[c]
            whole += sq[c]
        mean = sum_of_all / rows
        whole -= rows * mean * mean
        for c in range(classes):
            if sizes[c] > 0:
                n, b = sizes[c] + PRIOR, s[c] + PRIOR * mean
                error += (n * n * sq[c] - 2 * n * b * s[c] + sizes[c] * b * b) / ((n - 1) * (n - 1))
        share += error / whole if whole > 0 else 0.0
    return share / max(1, sums.shape[0])
